import { defineConfig } from 'tsup'

export default defineConfig({
  entry: [
    'src/index.ts',
    'src/ai-sdk.ts',
    'src/zod.ts',
    'src/gpt-tokenizer.ts',
    'src/sqlite.ts',
    'src/postgres.ts',
    'src/testing/index.ts',
  ],
  format: 'esm',
  dts: false,
  clean: true,
  sourcemap: true,
  target: 'node22',
  removeNodeProtocol: false,
})

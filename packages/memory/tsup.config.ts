import { defineConfig } from 'tsup'

export default defineConfig({
  entry: [
    'src/index.ts',
    'src/ai-sdk.ts',
    'src/sqlite.ts',
    'src/postgres.ts',
    'src/pg-boss.ts',
    'src/testing.ts',
  ],
  format: 'esm',
  dts: false,
  clean: true,
  sourcemap: true,
  target: 'node22',
  removeNodeProtocol: false,
})

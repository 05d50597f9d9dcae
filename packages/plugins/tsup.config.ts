import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/index.ts', 'src/ai-sdk.ts'],
  format: 'esm',
  dts: false,
  clean: true,
  sourcemap: true,
  target: 'node22',
  removeNodeProtocol: false,
})

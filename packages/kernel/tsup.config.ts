import { defineConfig } from 'tsup'

export default defineConfig({
  entry: [
    'src/index.ts',
    'src/with-memory.ts',
    'src/with-plugins.ts',
    'src/with-preflight.ts',
    'src/with-result-policy.ts',
    'src/testing/index.ts',
  ],
  format: 'esm',
  dts: false,
  clean: true,
  sourcemap: true,
  target: 'node22',
  removeNodeProtocol: false,
})

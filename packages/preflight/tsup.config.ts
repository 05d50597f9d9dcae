import { defineConfig } from 'tsup'

const shared = {
  format: 'esm',
  dts: false,
  sourcemap: true,
  target: 'node22',
  removeNodeProtocol: false,
} as const

export default defineConfig([
  // Both run at once, so neither may clear away what the other has written.
  {
    ...shared,
    entry: ['src/index.ts', 'src/ai-sdk.ts', 'src/yaml.ts', 'src/zod.ts'],
    clean: ['!cli.js'],
  },
  // The command works without the optional peer installed: npx brings no optional peers. It is one
  // file that needs nothing beside it but Node.
  {
    ...shared,
    entry: ['src/cli.ts'],
    noExternal: ['yaml', '@symfonic/predicates'],
    external: [/^node:/],
    // For Node, yaml names a CommonJS build that calls require, which an ES module does not have.
    platform: 'neutral',
    sourcemap: false,
  },
])

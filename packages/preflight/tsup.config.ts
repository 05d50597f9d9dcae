import { defineConfig } from 'tsup'

const shared = { format: 'esm', dts: false, sourcemap: true, target: 'node22' } as const

export default defineConfig([
  { ...shared, entry: ['src/index.ts', 'src/ai-sdk.ts', 'src/yaml.ts'] },
  // The command works without the optional peer installed: npx brings no optional peers.
  { ...shared, entry: ['src/cli.ts'], noExternal: ['yaml'], sourcemap: false },
])

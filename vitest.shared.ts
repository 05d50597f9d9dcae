// Tests run from TypeScript source: no package has to be built first.
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  ssr: {
    resolve: { conditions: ['@symfonic/source', 'module', 'node', 'development|production'] },
  },
  // One worker serves many files: loading everything anew for each would double the time.
  // Every core: the default leaves one idle, and that is half of what there is on two.
  // No test is about speed: a time limit is there for what hangs, and far above what any machine needs.
  test: {
    include: ['src/**/*.test.ts'],
    isolate: false,
    maxWorkers: availableParallelism(),
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})

import { defineConfig } from 'vitest/config'
import shared from '../../vitest.shared.ts'

// Without the condition `module`: under it the AWS SDK, which comes along with Strands, names files that Node
// cannot find.
export default defineConfig({
  ...shared,
  ssr: { resolve: { conditions: ['@symfonic/source', 'node', 'development|production'] } },
})

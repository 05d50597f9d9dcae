import { kernel } from './harness/kernel.ts'
import { memory } from './harness/memory.ts'
import { plugins } from './harness/plugins.ts'
import { predicates } from './harness/predicates.ts'
import { preflight } from './harness/preflight.ts'
import { prompt } from './harness/prompt.ts'
import { resultPolicy } from './harness/result-policy.ts'
import type { Harnesses } from './run-vectors.ts'

/** Every vector kind we can run. A new harness is one line in the file of its package. */
export const harnesses: Harnesses = {
  ...predicates,
  ...preflight,
  ...plugins,
  ...memory,
  ...resultPolicy,
  ...kernel,
  ...prompt,
}

import { createKernel, type Kernel } from '@symfonic/kernel'
import { withPlugins } from '@symfonic/kernel/with-plugins'
import type { DomainPlugin } from '@symfonic/plugins'
import type { Suite } from '../suite.ts'
import { instructions, loopSteps, query, tenStepModel, tenTools } from '../ten-step-loop.ts'

const guardCount = 10
const limitNs = 50_000
/** The last step of the loop answers. */
const calls = loopSteps - 1

/** What ten guards that allow add to a tool call, in the loop that makes one a step. */
export const guards: Suite = {
  name: 'plugins/guards',
  prepare: async () => {
    let asked = 0
    const plugins = Array.from(
      { length: guardCount },
      (_, index): DomainPlugin => ({
        name: `guard ${index}`,
        validateStateTransition: async () => {
          asked += 1
          return true
        },
      }),
    )
    const model = tenStepModel()
    const common = { model, tools: tenTools, instructions }
    const guarded = createKernel({ ...common, capabilities: [withPlugins({ plugins })] })
    const plain = createKernel({ ...common, capabilities: [withPlugins({ plugins: [] })] })
    await assertCalls(guarded)
    await assertCalls(plain)
    if (asked !== guardCount * calls) throw new Error(`Guards were asked ${asked} times.`)
    return {
      contenders: [
        { name: 'guarded', units: calls, work: () => guarded.run({ query }) },
        { name: 'plain', units: calls, work: () => plain.run({ query }) },
      ],
      comparisons: [
        {
          name: `what ${guardCount} guards add to a tool call / 50 µs`,
          ours: 'guarded',
          less: 'plain',
          theirs: limitNs,
          bound: 1,
        },
        {
          name: `kernel.run with ${guardCount} guards / without, a tool call`,
          ours: 'guarded',
          theirs: 'plain',
        },
      ],
    }
  },
}

async function assertCalls(kernel: Kernel): Promise<void> {
  const { refusals, steps } = await kernel.run({ query })
  if (refusals.length === 0 && steps.length === loopSteps) return
  throw new Error(`${refusals.length} calls were refused in ${steps.length} steps.`)
}

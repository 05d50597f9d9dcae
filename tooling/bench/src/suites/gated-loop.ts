import { createKernel } from '@symfonic/kernel'
import { withPreflight } from '@symfonic/kernel/with-preflight'
import { hundredSkills, skillCount, state } from '../hundred-skills.ts'
import type { Suite } from '../suite.ts'
import { instructions, loopSteps, query, tenStepModel, tenTools } from '../ten-step-loop.ts'

/** What a hundred rules cost a step: the ten-step loop with pre-flight rules and without. */
export const gatedLoop: Suite = {
  name: 'kernel/gated-loop',
  prepare: async () => {
    const model = tenStepModel()
    let taken = 0
    const preflight = withPreflight({
      skills: hundredSkills(),
      onSelection: ({ active }) => {
        taken = active.length
      },
    })
    const gated = createKernel({ model, tools: tenTools, instructions, capabilities: [preflight] })
    const plain = createKernel({ model, tools: tenTools, instructions })

    const { refusals, steps } = await gated.run({ query, state })
    if (taken === 0 || taken === skillCount || refusals.length > 0 || steps.length !== loopSteps) {
      throw new Error(
        `The rules do not fit the loop: ${taken} of ${skillCount} take part, ${refusals.length} calls were refused in ${steps.length} steps.`,
      )
    }
    return {
      contenders: [
        { name: 'gated', units: loopSteps, work: () => gated.run({ query, state }) },
        { name: 'plain', units: loopSteps, work: () => plain.run({ query, state }) },
      ],
      comparisons: [
        {
          name: `kernel.run with ${skillCount} skills / without, a step`,
          ours: 'gated',
          theirs: 'plain',
        },
      ],
    }
  },
}

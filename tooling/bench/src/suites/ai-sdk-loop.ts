import { preflight } from '@symfonic/preflight/ai-sdk'
import { generateText, isStepCount } from 'ai'
import { hundredSkills, skillCount, state } from '../hundred-skills.ts'
import type { Suite } from '../suite.ts'
import {
  assertLoop,
  instructions,
  loopSteps,
  query,
  tenStepModel,
  tenTools,
} from '../ten-step-loop.ts'

/** What the rules cost a plain AI SDK app: the ten-step `generateText` loop with and without them. */
export const aiSdkLoop: Suite = {
  name: 'preflight/ai-sdk-loop',
  prepare: async () => {
    const rules = preflight(hundredSkills(), { instructions, state })
    const common = { model: tenStepModel(), prompt: query, stopWhen: isStepCount(20) }
    const plain = () => generateText({ ...common, instructions, tools: tenTools })
    const tools = rules.wrapTools(tenTools)
    const { instructions: told, prepareStep } = rules
    const ruled = () => generateText({ ...common, instructions: told, prepareStep, tools })
    for (const [who, run] of Object.entries({ plain, ruled })) {
      const { text, steps } = await run()
      const results = steps.flatMap((step) => step.toolResults.map(({ output }) => output))
      assertLoop(who, { text, steps: steps.length, results })
    }
    return {
      contenders: [
        { name: 'ruled', units: loopSteps, work: ruled },
        { name: 'plain', units: loopSteps, work: plain },
      ],
      comparisons: [
        {
          name: `generateText with ${skillCount} skills / without, a step`,
          ours: 'ruled',
          theirs: 'plain',
          bound: 1.1,
        },
      ],
    }
  },
}

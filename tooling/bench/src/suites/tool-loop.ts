import { createKernel } from '@symfonic/kernel'
import { asSchema, generateText, ToolLoopAgent, type ToolSet } from 'ai'
import type { Suite } from '../suite.ts'
import {
  assertLoop,
  instructions,
  loopSteps,
  query,
  tenStepModel,
  tenTools,
} from '../ten-step-loop.ts'

/**
 * A ten-step tool loop: the kernel against the AI SDK's own agent, on one model and one set of
 * tools. The third contender is the least that a step can cost on the SDK's blocking call: a single
 * step whose schemas were converted beforehand, and no loop around it.
 */
export const toolLoop: Suite = {
  name: 'kernel/tool-loop',
  prepare: async () => {
    const model = tenStepModel()
    const kernel = createKernel({ model, tools: tenTools, instructions })
    const agent = new ToolLoopAgent({ model, tools: tenTools, instructions })
    const wrapped = withWrappedSchemas(tenTools)

    const ours = await kernel.run({ query })
    const theirs = await agent.generate({ prompt: query })
    assertLoop('kernel.run', {
      text: ours.text,
      steps: ours.steps.length,
      results: ours.steps.flatMap(({ content }) => resultsIn(content)),
    })
    assertLoop('ToolLoopAgent.generate', {
      text: theirs.text,
      steps: theirs.steps.length,
      results: theirs.steps.flatMap(({ content }) => resultsIn(content)),
    })

    return {
      contenders: [
        { name: 'kernel.run', units: loopSteps, work: () => kernel.run({ query }) },
        {
          name: 'ToolLoopAgent.generate',
          units: loopSteps,
          work: () => agent.generate({ prompt: query }),
        },
        {
          name: 'generateText',
          units: 1,
          work: () => generateText({ model, tools: wrapped, instructions, prompt: query }),
        },
      ],
      comparisons: [
        {
          name: 'kernel.run / ToolLoopAgent.generate, a step',
          ours: 'kernel.run',
          theirs: 'ToolLoopAgent.generate',
          bound: 0.6,
        },
        {
          name: 'kernel.run / bare generateText, a step',
          ours: 'kernel.run',
          theirs: 'generateText',
        },
      ],
    }
  },
}

function resultsIn(content: readonly { readonly type: string; readonly output?: unknown }[]) {
  return content.flatMap((part) => (part.type === 'tool-result' ? [part.output] : []))
}

function withWrappedSchemas(tools: ToolSet): ToolSet {
  const wrapped = Object.entries(tools).map(([name, { execute: _, ...tool }]) => [
    name,
    { ...tool, inputSchema: asSchema(tool.inputSchema) },
  ])
  return Object.fromEntries(wrapped)
}

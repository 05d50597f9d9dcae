import { createKernel } from '@symfonic/kernel'
import { streamText, ToolLoopAgent } from 'ai'
import type { Suite } from '../suite.ts'
import { instructions, type MockModel, query } from '../ten-step-loop.ts'

const deltas = 1000

/** 1,000 text deltas, drained: the kernel against `streamText` and the AI SDK's own agent. */
export const stream: Suite = {
  name: 'kernel/stream',
  prepare: async () => {
    const model = streamingModel()
    const kernel = createKernel({ model, instructions })
    const agent = new ToolLoopAgent({ model, instructions })

    const contenders = [
      { name: 'kernel.stream', work: () => drain(kernel.stream({ query })) },
      {
        name: 'streamText',
        work: () => drain(streamText({ model, instructions, prompt: query }).stream),
      },
      {
        name: 'ToolLoopAgent.stream',
        work: async () => drain((await agent.stream({ prompt: query })).stream),
      },
    ]
    for (const { name, work } of contenders) {
      const seen = await work()
      if (seen !== deltas) throw new Error(`${name} gave ${seen} text deltas, not ${deltas}.`)
    }
    return {
      contenders: contenders.map((contender) => ({ ...contender, units: 1 })),
      comparisons: [
        {
          name: `kernel.stream / streamText, ${deltas} deltas`,
          ours: 'kernel.stream',
          theirs: 'streamText',
          bound: 1.1,
          aim: 0.4,
        },
        {
          name: `kernel.stream / ToolLoopAgent.stream, ${deltas} deltas`,
          ours: 'kernel.stream',
          theirs: 'ToolLoopAgent.stream',
        },
      ],
    }
  },
}

async function drain(parts: AsyncIterable<{ readonly type: string }>): Promise<number> {
  let count = 0
  for await (const { type } of parts) if (type === 'text-delta') count += 1
  return count
}

type StreamPart =
  Awaited<ReturnType<MockModel['doStream']>>['stream'] extends ReadableStream<infer Part>
    ? Part
    : never

function streamingModel(): MockModel {
  const parts: readonly StreamPart[] = [
    { type: 'stream-start', warnings: [] },
    { type: 'response-metadata', id: 'response-1', modelId: 'deltas', timestamp: new Date(0) },
    { type: 'text-start', id: '0' },
    ...Array.from({ length: deltas }, (_, index): StreamPart => {
      return { type: 'text-delta', id: '0', delta: `word${index} ` }
    }),
    { type: 'text-end', id: '0' },
    {
      type: 'finish',
      finishReason: { unified: 'stop', raw: 'end_turn' },
      usage: {
        inputTokens: { total: 40, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
        outputTokens: { total: deltas, text: undefined, reasoning: undefined },
      },
    },
  ]
  return {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: 'deltas',
    supportedUrls: {},
    doGenerate: async () => {
      throw new Error('This model only streams. Use the one of the ten-step loop.')
    },
    doStream: async () => ({ stream: streamOf(parts) }),
  }
}

function streamOf(parts: readonly StreamPart[]): ReadableStream<StreamPart> {
  let next = 0
  return new ReadableStream({
    pull: (controller) => {
      const part = parts[next]
      next += 1
      if (part === undefined) controller.close()
      else controller.enqueue(part)
    },
  })
}

// What the tests of the adapter share: a model that plays a script, and the ways the SDK runs one.
// Not a test itself; the ending keeps it out of the build and out of the test run.

import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import {
  generateText,
  isStepCount,
  type ModelMessage,
  type SystemModelMessage,
  streamText,
  ToolLoopAgent,
  type ToolSet,
} from 'ai'
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test'

/** One answer of the model: the names of the tools it calls, or else a text. */
export type Answer = string | readonly string[]

/** What every way of running is given. */
export interface RunSettings {
  readonly tools: ToolSet
  readonly instructions?: SystemModelMessage[]
  readonly abortSignal?: AbortSignal
}

/** What came of a run. */
export interface Ran {
  /** Outputs of all tool results, each as `name: type value`. */
  readonly results: readonly string[]
  /** The messages that the model was sent first. */
  readonly prompt: LanguageModelV4CallOptions['prompt']
}

type Run = (answers: readonly Answer[], settings: RunSettings) => Promise<Ran>

/** The ways into the SDK's loop. */
export const runs: readonly (readonly [name: string, run: Run])[] = [
  [
    'generateText',
    async (answers, settings) => {
      const { model, sent } = scriptedModel(answers)
      const { responseMessages } = await generateText({ ...loop, ...settings, model })
      return ranOf(responseMessages, sent)
    },
  ],
  [
    'streamText',
    async (answers, settings) => {
      const { model, sent } = scriptedModel(answers)
      const result = streamText({ ...loop, ...settings, model, onError: () => {} })
      await result.consumeStream()
      return ranOf(await result.responseMessages, sent)
    },
  ],
  [
    'ToolLoopAgent',
    async (answers, { abortSignal, ...settings }) => {
      const { model, sent } = scriptedModel(answers)
      const agent = new ToolLoopAgent({ stopWhen: loop.stopWhen, ...settings, model })
      const about = abortSignal === undefined ? {} : { abortSignal }
      const { responseMessages } = await agent.generate({ messages: loop.messages, ...about })
      return ranOf(responseMessages, sent)
    },
  ],
]

const loop = {
  stopWhen: isStepCount(6),
  messages: [{ role: 'user', content: 'cancel A1' }] as ModelMessage[],
}

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
}

/** Gives the answers in order, and "done" after the last. */
function scriptedModel(answers: readonly Answer[]) {
  const sent: LanguageModelV4CallOptions[] = []
  let calls = 0
  const next = (options: LanguageModelV4CallOptions) => {
    sent.push(options)
    const answer = answers[sent.length - 1] ?? 'done'
    const isText = typeof answer === 'string'
    const content: LanguageModelV4Content[] = isText
      ? [{ type: 'text', text: answer }]
      : answer.map((toolName) => {
          calls += 1
          const toolCallId = `call-${calls}`
          return { type: 'tool-call', toolCallId, toolName, input: '{"id":"A1"}' }
        })
    const unified = isText ? ('stop' as const) : ('tool-calls' as const)
    return { content, finishReason: { unified, raw: undefined }, usage }
  }
  const model = new MockLanguageModelV4({
    doGenerate: async (options) => ({ ...next(options), warnings: [] }),
    doStream: async (options) => {
      const { content, ...finish } = next(options)
      const chunks: LanguageModelV4StreamPart[] = [
        { type: 'stream-start', warnings: [] },
        ...content.flatMap(streamed),
        { type: 'finish', ...finish },
      ]
      return { stream: simulateReadableStream({ chunks, chunkDelayInMs: null }) }
    },
  })
  return { model, sent }
}

function streamed(content: LanguageModelV4Content): LanguageModelV4StreamPart[] {
  if (content.type === 'tool-call') return [content]
  if (content.type !== 'text') return []
  const id = '0'
  return [
    { type: 'text-start', id },
    { type: 'text-delta', id, delta: content.text },
    { type: 'text-end', id },
  ]
}

function ranOf(
  messages: readonly ModelMessage[],
  sent: readonly LanguageModelV4CallOptions[],
): Ran {
  const results = messages.flatMap((message) =>
    message.role === 'tool'
      ? message.content.flatMap((part) => {
          if (part.type !== 'tool-result') return []
          const said = 'value' in part.output ? JSON.stringify(part.output.value) : ''
          return [`${part.toolName}: ${part.output.type} ${said}`]
        })
      : [],
  )
  return { results, prompt: sent[0]?.prompt ?? [] }
}

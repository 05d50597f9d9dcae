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
  type Prompt,
  streamText,
  ToolLoopAgent,
  type ToolSet,
} from 'ai'
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test'

/** One answer of the model: calls as `name` or `[name, input]`, or else a text. */
export type Answer = string | readonly (string | readonly [name: string, input: unknown])[]

/** A model that gives the answers in order, and "done" after the last. Calls count up: call-1, … */
export function scriptedModel(answers: readonly Answer[]) {
  const sent: LanguageModelV4CallOptions[] = []
  let calls = 0
  const next = (options: LanguageModelV4CallOptions) => {
    sent.push(options)
    const answer = answers[sent.length - 1] ?? 'done'
    const content: LanguageModelV4Content[] =
      typeof answer === 'string'
        ? [{ type: 'text', text: answer }]
        : answer.map((call) => {
            calls += 1
            const [toolName, input] = typeof call === 'string' ? [call, {}] : call
            return {
              type: 'tool-call',
              toolCallId: `call-${calls}`,
              toolName,
              input: JSON.stringify(input),
            }
          })
    const unified = typeof answer === 'string' ? ('stop' as const) : ('tool-calls' as const)
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

/** Settings that every way of running understands. */
export type RunSettings = Omit<
  Parameters<typeof generateText<ToolSet>>[0],
  'model' | keyof Prompt
> & {
  readonly instructions: NonNullable<Prompt['instructions']>
}

/** What came of a run. */
export interface Ran {
  readonly text: string
  /** The conversation with what the run added to it. */
  readonly messages: ModelMessage[]
  /** What the model was sent, a call at a time. */
  readonly sent: readonly LanguageModelV4CallOptions[]
}

type Run = (
  answers: readonly Answer[],
  messages: ModelMessage[],
  settings: RunSettings,
) => Promise<Ran>

const stopWhen = isStepCount(12)

/** The four ways into the SDK's loop. */
export const runs: readonly (readonly [name: string, run: Run])[] = [
  [
    'generateText',
    async (answers, messages, settings) => {
      const { model, sent } = scriptedModel(answers)
      const result = await generateText({ stopWhen, ...settings, model, messages })
      return { text: result.text, messages: [...messages, ...result.responseMessages], sent }
    },
  ],
  [
    'streamText',
    async (answers, messages, settings) => {
      const { model, sent } = scriptedModel(answers)
      const result = streamText({ stopWhen, ...settings, model, messages, onError })
      await firstError(result.stream)
      const text = await result.text
      return { text, messages: [...messages, ...(await result.responseMessages)], sent }
    },
  ],
  [
    'ToolLoopAgent.generate',
    async (answers, messages, settings) => {
      const { model, sent } = scriptedModel(answers)
      const result = await new ToolLoopAgent({ stopWhen, ...settings, model }).generate({
        messages,
      })
      return { text: result.text, messages: [...messages, ...result.responseMessages], sent }
    },
  ],
  [
    'ToolLoopAgent.stream',
    async (answers, messages, settings) => {
      const { model, sent } = scriptedModel(answers)
      const agent = new ToolLoopAgent({ stopWhen, ...settings, model, onError })
      const result = await agent.stream({ messages })
      await firstError(result.stream)
      const text = await result.text
      return { text, messages: [...messages, ...(await result.responseMessages)], sent }
    },
  ],
]

/** The outputs of all tool results in a conversation, each as `name: output`. */
export function resultsIn(messages: readonly ModelMessage[]): string[] {
  return messages.flatMap((message) =>
    message.role === 'tool'
      ? message.content.flatMap((part) => {
          if (part.type !== 'tool-result') return []
          const { output } = part
          const said = output.type === 'execution-denied' ? (output.reason ?? '') : output.value
          return [`${part.toolName}: ${output.type} ${JSON.stringify(said)}`]
        })
      : [],
  )
}

/** The system texts that a model was sent. */
export function systemIn(options: LanguageModelV4CallOptions | undefined): string[] {
  return (options?.prompt ?? []).flatMap((message) =>
    message.role === 'system' ? [message.content] : [],
  )
}

/** Errors of a stream are parts of it; without this the SDK prints them, too. */
const onError = () => {}

async function firstError(stream: AsyncIterable<{ type: string; error?: unknown }>) {
  for await (const part of stream) if (part.type === 'error') throw part.error
}

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
}

function streamed(content: LanguageModelV4Content, index: number): LanguageModelV4StreamPart[] {
  if (content.type === 'tool-call') return [content]
  if (content.type !== 'text') return []
  const id = String(index)
  return [
    { type: 'text-start', id },
    { type: 'text-delta', id, delta: content.text },
    { type: 'text-end', id },
  ]
}

import { setTimeout as sleep } from 'node:timers/promises'
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  SharedV4Warning,
} from '@ai-sdk/provider'
import { countCalls } from './read-prompt.ts'
import { respond } from './respond.ts'
import { atOnce, type Pace, streamContent } from './stream-content.ts'
import { createScales, tokensOf } from './weigh-tokens.ts'

const modelId = 'hasty-clerk'

/**
 * A small language model that needs no key and no network: deterministic, made of rules, at home in
 * a travel desk. It reads what any model is sent (system messages, conversation, tool list, tool
 * results, refusals) and answers from that alone.
 *
 * It is hasty on purpose: see `achieve`. What it learns in a conversation it learns by reading.
 *
 * @param options.pace - Default: no delays.
 */
export function createLocalModel(options: { readonly pace?: Pace } = {}): LanguageModelV4 {
  const { pace = atOnce } = options
  const scales = createScales()

  const answer = (request: LanguageModelV4CallOptions) => {
    request.abortSignal?.throwIfAborted()
    const { content, cut } = contentFor(request)
    const finishReason: LanguageModelV4GenerateResult['finishReason'] = cut
      ? { unified: 'length', raw: 'max_tokens' }
      : content.some(({ type }) => type === 'tool-call')
        ? { unified: 'tool-calls', raw: 'tool_use' }
        : { unified: 'stop', raw: 'end_turn' }
    const usage = scales.weigh(request, JSON.stringify(content))
    return { content, finishReason, usage, warnings: warningsFor(request) }
  }
  const response = (request: LanguageModelV4CallOptions) => ({
    id: `local-${request.prompt.length}-${countCalls(request.prompt)}`,
    modelId,
    timestamp: new Date(),
  })

  return {
    specificationVersion: 'v4',
    provider: 'local',
    modelId,
    supportedUrls: {},
    doGenerate: async (request) => {
      const { abortSignal: signal } = request
      if (pace.thinkMs > 0) await sleep(pace.thinkMs, undefined, signal && { signal })
      return { ...answer(request), response: response(request) }
    },
    doStream: async (request) => {
      const { content, finishReason, usage, warnings } = answer(request)
      const stream = streamContent(content, {
        head: [
          { type: 'stream-start', warnings },
          { type: 'response-metadata', ...response(request) },
        ],
        tail: [{ type: 'finish', finishReason, usage }],
        pace,
        signal: request.abortSignal,
      })
      return { stream }
    },
  }
}

function contentFor(request: LanguageModelV4CallOptions) {
  const made = respond(request)
  const content: LanguageModelV4Content[] = []
  if ('text' in made) {
    const limit = request.maxOutputTokens ?? Number.POSITIVE_INFINITY
    const cut = tokensOf(made.text.length) > limit
    content.push({ type: 'text', text: cut ? made.text.slice(0, limit * 4) : made.text })
    return { content, cut }
  }
  if (made.because !== undefined) content.push({ type: 'reasoning', text: made.because })
  const before = countCalls(request.prompt)
  for (const [index, { tool, input }] of made.calls.entries()) {
    content.push({
      type: 'tool-call',
      toolCallId: `call-${before + index + 1}`,
      toolName: tool.name,
      input: JSON.stringify(input),
    })
  }
  return { content, cut: false }
}

/** Settings that have no effect on a model without chance. */
const without = [
  ...(['temperature', 'topP', 'topK', 'presencePenalty', 'frequencyPenalty'] as const),
  ...(['seed', 'stopSequences'] as const),
]

function warningsFor(request: LanguageModelV4CallOptions): SharedV4Warning[] {
  const unused = without.filter((feature) => request[feature] !== undefined)
  const json = request.responseFormat?.type === 'json' ? ['responseFormat' as const] : []
  return [...unused, ...json].map((feature) => ({ type: 'unsupported', feature }))
}

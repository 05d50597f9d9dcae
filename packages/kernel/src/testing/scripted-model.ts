import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'
import { KernelError } from '../errors.ts'

/** What a scripted model answers to one call. An empty step answers with an empty text. */
export interface ScriptedStep {
  readonly text?: string
  readonly reasoning?: string
  readonly toolCalls?: readonly ScriptedCall[]
  /** Default: 'tool-calls' when there are calls, else 'stop'. */
  readonly finishReason?: LanguageModelV4FinishReason['unified']
  /** The provider's own word for it. */
  readonly rawFinishReason?: string
  /** Tokens. Default: 10 in, 5 out. */
  readonly usage?: {
    readonly input?: number
    readonly output?: number
    readonly cacheRead?: number
  }
  /** Thrown instead of an answer, or, on a stream, after `errorAfter` parts. */
  readonly error?: unknown
  /** Parts a stream sends before `error`. Default 0: the request itself fails. */
  readonly errorAfter?: number
  /** Asked with what the model was sent, before it answers; throw to fail the test. */
  readonly expect?: (options: LanguageModelV4CallOptions) => void
}

/** A tool call of a scripted step. */
export interface ScriptedCall {
  readonly name: string
  /** An object, or text to send as it is (for input that is no JSON). Default `{}`. */
  readonly input?: unknown
  /** Default: `call-1`, `call-2` and so on over the whole script. */
  readonly id?: string
}

/** A model that plays a script and remembers what it was sent. */
export interface ScriptedModel extends LanguageModelV4 {
  /** What it was sent, a call at a time. */
  readonly received: readonly LanguageModelV4CallOptions[]
  /**
   * Ends a test: complains about steps nobody asked for, and about calls beyond the script even when
   * their error was swallowed on the way.
   *
   * @throws KernelError `KERNEL_SCRIPT_UNUSED`, `KERNEL_SCRIPT_EXHAUSTED`.
   */
  assertDone(): void
}

/**
 * A deterministic model for tests, blocking and streaming alike.
 *
 * @param script - One entry a model call, in order; a function may read what it was sent first.
 * @param options - `deltaChars`: length of a streamed text delta, default 12. `modelId` and
 *   `provider`: what it passes for.
 */
export function scriptedModel(
  script: readonly (ScriptedStep | ((sent: LanguageModelV4CallOptions) => ScriptedStep))[],
  options: {
    readonly deltaChars?: number
    readonly modelId?: string
    readonly provider?: string
  } = {},
): ScriptedModel {
  const { deltaChars = 12, modelId = 'scripted', provider = 'symfonic' } = options
  const received: LanguageModelV4CallOptions[] = []
  let unexpected: KernelError | undefined
  let calls = 0

  const nextStep = (sent: LanguageModelV4CallOptions): ScriptedStep => {
    received.push(sent)
    const entry = script[received.length - 1]
    if (entry === undefined) {
      unexpected = exhausted(received.length, script.length)
      throw unexpected
    }
    const step = typeof entry === 'function' ? entry(sent) : entry
    step.expect?.(sent)
    return step
  }
  const contentOf = ({ reasoning, text, toolCalls = [] }: ScriptedStep) => {
    const content: LanguageModelV4Content[] = []
    if (reasoning !== undefined) content.push({ type: 'reasoning', text: reasoning })
    if (text !== undefined) content.push({ type: 'text', text })
    for (const { id, name, input = {} } of toolCalls) {
      calls += 1
      content.push({
        type: 'tool-call',
        toolCallId: id ?? `call-${calls}`,
        toolName: name,
        input: typeof input === 'string' ? input : JSON.stringify(input),
      })
    }
    return content
  }

  return {
    specificationVersion: 'v4',
    provider,
    modelId,
    supportedUrls: {},
    received,
    assertDone: () => {
      if (unexpected) throw unexpected
      if (received.length < script.length) throw unused(received.length, script.length)
    },
    doGenerate: async (sent) => {
      const step = nextStep(sent)
      if (step.error !== undefined) throw step.error
      return {
        content: contentOf(step),
        finishReason: finishReasonOf(step),
        usage: usageOf(step),
        warnings: [],
        response: { id: `response-${received.length}`, modelId, timestamp: new Date(0) },
      }
    },
    doStream: async (sent) => {
      const step = nextStep(sent)
      if (step.error !== undefined && !step.errorAfter) throw step.error
      const parts: LanguageModelV4StreamPart[] = [
        { type: 'stream-start', warnings: [] },
        {
          type: 'response-metadata',
          id: `response-${received.length}`,
          modelId,
          timestamp: new Date(0),
        },
        ...contentOf(step).flatMap((content, index) => partsOf(content, index, deltaChars)),
        { type: 'finish', finishReason: finishReasonOf(step), usage: usageOf(step) },
      ]
      if (step.error !== undefined) {
        parts.splice(step.errorAfter ?? 0, parts.length, { type: 'error', error: step.error })
      }
      return { stream: streamOf(parts) }
    },
  }
}

function partsOf(
  content: LanguageModelV4Content,
  index: number,
  deltaChars: number,
): LanguageModelV4StreamPart[] {
  const id = String(index)
  switch (content.type) {
    case 'text':
    case 'reasoning': {
      const { type, text } = content
      const deltas: LanguageModelV4StreamPart[] = []
      for (let from = 0; from < text.length; from += deltaChars) {
        deltas.push({ type: `${type}-delta`, id, delta: text.slice(from, from + deltaChars) })
      }
      return [{ type: `${type}-start`, id }, ...deltas, { type: `${type}-end`, id }]
    }
    case 'tool-call': {
      const { toolCallId, toolName, input } = content
      return [
        { type: 'tool-input-start', id: toolCallId, toolName },
        { type: 'tool-input-delta', id: toolCallId, delta: input },
        { type: 'tool-input-end', id: toolCallId },
        content,
      ]
    }
    default:
      return []
  }
}

function streamOf(parts: readonly LanguageModelV4StreamPart[]) {
  let next = 0
  return new ReadableStream<LanguageModelV4StreamPart>({
    pull: (controller) => {
      const part = parts[next]
      next += 1
      if (part) controller.enqueue(part)
      else controller.close()
    },
  })
}

function finishReasonOf(step: ScriptedStep): LanguageModelV4FinishReason {
  const { finishReason = step.toolCalls?.length ? 'tool-calls' : 'stop', rawFinishReason } = step
  return { unified: finishReason, raw: rawFinishReason }
}

function usageOf({ usage = {} }: ScriptedStep): LanguageModelV4Usage {
  const { input = 10, output = 5, cacheRead } = usage
  return {
    inputTokens: { total: input, noCache: undefined, cacheRead, cacheWrite: undefined },
    outputTokens: { total: output, text: undefined, reasoning: undefined },
  }
}

function exhausted(call: number, steps: number): KernelError {
  return new KernelError(
    'KERNEL_SCRIPT_EXHAUSTED',
    `The scripted model was called ${call} times, but its script has ${steps} steps. Add a step, or find out why the agent goes on.`,
    { details: { call, steps } },
  )
}

function unused(played: number, steps: number): KernelError {
  return new KernelError(
    'KERNEL_SCRIPT_UNUSED',
    `${steps - played} of ${steps} steps of the scripted model were never asked for. Remove them, or find out why the agent stops early.`,
    { details: { unused: steps - played, steps } },
  )
}

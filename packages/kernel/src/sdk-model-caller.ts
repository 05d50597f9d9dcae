import { tracingChannel } from 'node:diagnostics_channel'
import { retryWithExponentialBackoff } from '@ai-sdk/provider-utils'
import {
  AI_SDK_TELEMETRY_TRACING_CHANNEL,
  APICallError,
  type CallWarning,
  type ContentPart,
  experimental_streamLanguageModelCall,
  generateText,
  type LanguageModel,
  type LanguageModelCallEndEvent,
  RetryError,
  ToolChoiceViolationError,
  type ToolSet,
  type TypedToolCall,
  wrapLanguageModel,
} from 'ai'
import type { ModelCaller, ModelPart, ModelRequest } from './model-caller.ts'

/**
 * A blocking call through `generateText`, limited to one step. Its content comes as parts too, each
 * text in one delta, so that one loop serves both.
 */
export const generateCaller: ModelCaller = async function* generateCaller(request) {
  let end: LanguageModelCallEndEvent<ToolSet> | undefined
  let warnings: readonly CallWarning[] = []
  const model = withWarnings(request, (given) => {
    warnings = given
  })
  try {
    const { finalStep } = await generateText({
      ...callOptions({ ...request, model }),
      ...(request.settings.maxRetries !== undefined && { maxRetries: request.settings.maxRetries }),
      onLanguageModelCallEnd: (event) => {
        end = event
      },
    })
    yield { type: 'model-call-start', warnings: finalStep.warnings ?? [] }
    const { id, timestamp, modelId } = finalStep.response
    yield { type: 'model-call-response-metadata', id, timestamp, modelId }
    yield* partsOf(finalStep.content)
    yield callEnd(finalStep)
  } catch (error) {
    // The model has answered and was paid for; only the forced tool is missing.
    if (!ToolChoiceViolationError.isInstance(error) || end === undefined) throw error
    yield { type: 'model-call-start', warnings: [...warnings] }
    yield { type: 'model-call-response-metadata', id: end.responseId, modelId: end.modelId }
    yield* partsOf(end.content)
    yield callEnd({ ...end, rawFinishReason: undefined })
    yield { type: 'error', error }
  }
}

/**
 * A streaming call through the SDK's single-call layer, which spends a few microseconds a delta
 * where `streamText` spends ten and more. That layer does not retry, so the connection is retried
 * here by the SDK's own rules; once parts flow nothing is repeated.
 */
export const streamCaller: ModelCaller = async function* streamCaller(request) {
  const retry = retryWithExponentialBackoff({
    maxRetries: request.settings.maxRetries ?? 2,
    abortSignal: request.signal,
    shouldRetry: isRetryable,
    getDelayInMs: ({ error, exponentialBackoffDelay }) =>
      requestedDelayMs(error) ?? exponentialBackoffDelay,
    createRetryError: (about) => new RetryError(about),
  })
  const { stream } = await retry(() => experimental_streamLanguageModelCall(callOptions(request)))
  yield* stream
}

/**
 * The error of an ignored forced tool carries no warnings, and one of them is why it was ignored. So
 * they are read off the answer on its way; a model named by id is left alone.
 */
function withWarnings(
  { model, forcedTool }: ModelRequest,
  onWarnings: (warnings: readonly CallWarning[]) => void,
): LanguageModel {
  if (forcedTool === undefined || typeof model === 'string') return model
  return wrapLanguageModel({
    model,
    middleware: {
      wrapGenerate: async ({ doGenerate }) => {
        const result = await doGenerate()
        onWarnings(result.warnings)
        return result
      },
    },
  })
}

function callOptions({ model, instructions, messages, tools, forcedTool, ...rest }: ModelRequest) {
  const { maxRetries: _, ...settings } = rest.settings
  return {
    model,
    tools,
    messages: [...messages],
    ...(instructions.length > 0 && { instructions: [...instructions] }),
    ...(forcedTool !== undefined && {
      toolChoice: { type: 'tool', toolName: forcedTool } as const,
    }),
    // With nobody listening the SDK would still prepare what it has to tell, for a third of a step.
    ...(!isObserved() && { telemetry: { isEnabled: false } }),
    ...settings,
    abortSignal: rest.signal,
  }
}

const telemetryChannel = tracingChannel(AI_SDK_TELEMETRY_TRACING_CHANNEL)

/** Has anybody asked the SDK for telemetry, by an integration or on its tracing channel? */
function isObserved(): boolean {
  const integrations = globalThis.AI_SDK_TELEMETRY_INTEGRATIONS ?? []
  return integrations.length > 0 || telemetryChannel.hasSubscribers
}

function* partsOf(content: readonly ContentPart<ToolSet>[]): Iterable<ModelPart> {
  const calls = new Set<unknown>()
  for (const [index, part] of content.entries()) {
    const id = String(index)
    switch (part.type) {
      case 'text':
      case 'reasoning': {
        const metadata = part.providerMetadata && { providerMetadata: part.providerMetadata }
        yield { type: `${part.type}-start`, id, ...metadata }
        yield { type: `${part.type}-delta`, id, text: part.text, ...metadata }
        yield { type: `${part.type}-end`, id, ...metadata }
        break
      }
      case 'tool-call':
        // generateText looks calls up by id: of two with one id it gives the first one twice.
        yield calls.has(part) ? lostCall(part) : part
        calls.add(part)
        break
      default:
        yield part as ModelPart
    }
  }
}

function lostCall({ toolCallId, toolName }: TypedToolCall<ToolSet>): ModelPart {
  const error = new Error(
    `The input of this call of ${toolName} is not known: another call had its id. Make it again.`,
  )
  const about = { type: 'tool-call' as const, toolCallId, toolName, input: {} }
  return { ...about, dynamic: true, invalid: true, error }
}

function callEnd(
  end: Pick<
    Extract<ModelPart, { type: 'model-call-end' }>,
    'finishReason' | 'rawFinishReason' | 'usage'
  > & { readonly providerMetadata?: unknown; readonly performance: unknown },
): ModelPart {
  const { finishReason, rawFinishReason, usage, providerMetadata, performance } = end
  return {
    type: 'model-call-end',
    finishReason,
    rawFinishReason,
    usage,
    providerMetadata,
    performance,
  } as ModelPart
}

function isRetryable(error: unknown): boolean {
  // Gateway errors carry the same flag without being API call errors.
  return error instanceof Error && 'isRetryable' in error && error.isRetryable === true
}

const longestRequestedDelayMs = 60_000

/** What `retry-after-ms` or `retry-after` (RFC 9110, 10.2.3) asks for, if it is within reason. */
function requestedDelayMs(error: unknown): number | undefined {
  const failure = APICallError.isInstance(error) ? error : (error as Error | undefined)?.cause
  if (!APICallError.isInstance(failure)) return undefined
  const headers = failure.responseHeaders ?? {}
  const milliseconds = Number.parseFloat(headers['retry-after-ms'] ?? '')
  const after = headers['retry-after'] ?? ''
  const seconds = Number.parseFloat(after)
  const delay = [milliseconds, seconds * 1000, Date.parse(after) - Date.now()].find(
    (candidate) => !Number.isNaN(candidate),
  )
  return delay !== undefined && delay >= 0 && delay < longestRequestedDelayMs ? delay : undefined
}

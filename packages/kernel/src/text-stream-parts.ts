import type { TextStreamPart, ToolSet } from 'ai'
import { describeError } from './describe-error.ts'
import type { TurnEvent } from './events.ts'
import type { TurnResult } from './turn-state.ts'

/**
 * A turn's events as the AI SDK's stream parts: one `start` and `finish` a turn, one `start-step`
 * and `finish-step` a model call, output parts unchanged, a refusal as the tool error it is to the
 * model. Events the SDK has no part for are left out.
 */
export async function* toTextStreamParts(
  events: AsyncIterable<TurnEvent>,
): AsyncGenerator<TextStreamPart<ToolSet>, void, void> {
  for await (const event of events) {
    const parts = partsOf(event)
    if (parts) yield* parts
  }
}

function partsOf(event: TurnEvent): readonly TextStreamPart<ToolSet>[] | undefined {
  switch (event.type) {
    case 'turn-start':
      return [{ type: 'start' }]
    case 'context-hydrated':
    case 'history-rewritten':
    case 'prompt-assembled':
    case 'forced-tool-ignored':
      return undefined
    case 'step-start':
      return [{ type: 'start-step', request: {}, warnings: [] }]
    case 'tool-refused': {
      const { toolCallId, toolName, input, message } = event
      return [{ type: 'tool-error', toolCallId, toolName, input, error: message, dynamic: true }]
    }
    case 'step-end': {
      const { finishReason, rawFinishReason, usage, providerMetadata, response } = event.record
      return [
        {
          type: 'finish-step',
          finishReason,
          rawFinishReason,
          usage,
          providerMetadata,
          response: {
            id: response.id ?? '',
            modelId: response.modelId ?? '',
            timestamp: response.timestamp ?? new Date(0),
          },
          performance: stepPerformance(event.record),
        },
      ]
    }
    case 'turn-end': {
      const { result } = event
      return [{ type: 'finish', ...sdkFinish(result), totalUsage: result.usage }]
    }
    case 'turn-abort':
      return [{ type: 'abort', reason: asText(event.reason) }]
    case 'turn-error':
      return [{ type: 'error', error: event.error }]
    default:
      return [event as TextStreamPart<ToolSet>]
  }
}

/** Why a turn ended, in the SDK's terms, which have no step limit. */
export function sdkFinish({ finishReason, steps }: Pick<TurnResult, 'finishReason' | 'steps'>) {
  return finishReason === 'step-limit'
    ? { finishReason: 'other' as const, rawFinishReason: finishReason }
    : { finishReason, rawFinishReason: steps.at(-1)?.rawFinishReason }
}

/** As the SDK writes a reason, which names the kind of an error; some values have no text. */
function asText(reason: unknown): string {
  return reason instanceof Error ? String(reason) : describeError(reason)
}

/** The SDK's performance figures of a step, in milliseconds and tokens a second. */
export function stepPerformance(record: {
  readonly modelMs: number
  readonly toolsMs: number
  readonly usage: {
    readonly outputTokens: number | undefined
    readonly totalTokens: number | undefined
  }
}) {
  const { modelMs, toolsMs, usage } = record
  const perSecond = (tokens: number | undefined) =>
    modelMs > 0 ? ((tokens ?? 0) / modelMs) * 1000 : 0
  return {
    stepTimeMs: modelMs + toolsMs,
    responseTimeMs: modelMs,
    toolExecutionMs: {},
    timeToFirstOutputMs: undefined,
    effectiveOutputTokensPerSecond: perSecond(usage.outputTokens),
    effectiveTotalTokensPerSecond: perSecond(usage.totalTokens),
    outputTokensPerSecond: undefined,
    inputTokensPerSecond: undefined,
  }
}

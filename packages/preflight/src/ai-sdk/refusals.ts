import { PreflightError } from '../errors.ts'
import type { PreflightOptions, PreflightRefusal } from './options.ts'

/** Tells the app that a call was not let through. Never throws, never waits. */
export type Report = (refused: PreflightRefusal) => void

/** Passes refusals on to the app's callback and, where something went wrong, to its log. */
export function createReport({
  onRefusal,
  logger,
}: Pick<PreflightOptions, 'onRefusal' | 'logger'>): Report {
  return (refused) => {
    const { cause, toolCall } = refused
    if (cause !== undefined) {
      quietly(() => logger?.warn(`rules for ${toolCall.toolName} not readable: ${reason(cause)}`))
    }
    quietly(() => onRefusal?.(refused))
  }
}

/**
 * What the wrapped `execute` throws. The SDK turns it into a `tool-error` part, and the model reads
 * its message, and nothing else, as an error result.
 */
export function refusalError({ toolCall, refusal, cause }: PreflightRefusal): PreflightError {
  const { toolCallId, toolName } = toolCall
  const { missing, skills, message } = refusal
  const error = new PreflightError('PREFLIGHT_CALL_REFUSED', message, {
    details: { toolCallId, toolName, missing, skills },
    cause,
  })
  // The SDK writes down what an error says of itself as a text. To a model its class is noise.
  return Object.defineProperty(error, 'toString', { value: () => message })
}

/** An error in few words, for a log line. */
export function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Runs what belongs to the app and must not disturb the run: it may throw, now or later. */
export function quietly(work: () => unknown): void {
  try {
    const result = work()
    if (result instanceof Promise) result.catch(() => {})
  } catch {
    // The call is refused either way; a callback or log that is down must not change that.
  }
}

import type { ModelMessage } from 'ai'
import type { TurnView } from './capability.ts'
import type { Plan } from './compose.ts'
import { describeError } from './describe-error.ts'
import type { HistoryRewrittenEvent } from './events.ts'
import { withinTime } from './time-limit.ts'

/** A history as it is sent, and what there is to tell of it. */
export interface RewrittenHistory {
  readonly messages: readonly ModelMessage[]
  readonly events: readonly HistoryRewrittenEvent[]
}

/**
 * Brings the transcript of a step through the capabilities that rewrite it, each given what the last
 * one left. Always begun from the untouched transcript, so nothing is ever built on a rewrite. One that
 * throws, hangs or gives no list is skipped: the model then reads more than it had to, and nothing is lost.
 */
export async function rewriteHistory(plan: Plan, view: TurnView): Promise<RewrittenHistory> {
  const { signal } = view
  const timeoutMs = plan.limits.toolTimeoutMs
  let messages = view.messages
  const events: HistoryRewrittenEvent[] = []
  for (const { capability, rewriteHistory: rewrite } of plan.rewriters) {
    try {
      const rewritten = await withinTime(rewrite(messages, view), { timeoutMs, signal })
      if (!Array.isArray(rewritten.messages)) throw new TypeError('it gave no list of messages')
      messages = rewritten.messages
      const { details } = rewritten
      if (details) events.push({ type: 'history-rewritten', step: view.step, capability, details })
    } catch (error) {
      if (signal.aborted) throw signal.reason
      view.logger.warn(`"${capability}" could not rewrite the history; it is sent as it is`, {
        reason: describeError(error),
      })
    }
  }
  return { messages, events }
}

import type { Capability, Scope } from '@symfonic/kernel'
import { withResultPolicy } from '@symfonic/kernel/with-result-policy'
import { type RecallRequest, recallToolName } from '@symfonic/result-policy'

/** The policy that sends stubs in place of large results, and the way back for the people at the desk. */
export interface ShortResults {
  readonly capability: Capability
  /** What the model would read if it asked for this, in this conversation. */
  recall(
    request: RecallRequest,
    place: { readonly scope: Scope; readonly sessionId: string },
  ): Promise<string>
}

/** @param pricedAs - Whose prices are reckoned with. Default: those of the model itself. */
export function createShortResults(pricedAs?: string): ShortResults {
  const capability = withResultPolicy({
    modelName: pricedAs,
    // What the formatter gives is the answer itself.
    tools: { format_for_slack: 'never' },
  })
  return {
    capability,
    recall: async (request, context) => {
      const execute = capability.tools?.[recallToolName]?.execute
      return String(await execute?.(request, { toolCallId: 'desk', messages: [], context }))
    },
  }
}

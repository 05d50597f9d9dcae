import { type ApprovalRequest, askApp, own } from './app-approval.ts'
import type { Judge, Judgement } from './judge.ts'
import type { ProposedCall } from './options.ts'
import { quietly, type Report, reason } from './refusals.ts'
import type { ToolApprovalConfiguration, ToolApprovalStatus, ToolSet } from './sdk.ts'
import { callsBefore, denyCall, expectCall, type Step, type StepLog } from './step-calls.ts'
import type { ToolWrapper } from './wrap-tools.ts'

/**
 * The rules as an approval policy: a call they refuse is denied, and about every other the app's own
 * policy decides.
 *
 * The policy is asked before any call of a step has run. A call of a wrapped tool that lacks only
 * what an earlier call of the step may still bring, or is refused by what such a call may change, is
 * therefore not denied here: its `execute` judges it in its turn. For a tool that cannot be wrapped
 * there is no later, so it is denied.
 *
 * Never throws, since that would end the run: whatever fails, denies.
 */
export function createToolApproval({
  judge,
  report,
  stepOf,
  isWrapped,
  configuration,
  enforce,
  logger,
}: {
  readonly judge: Judge
  readonly report: Report
  readonly stepOf: StepLog
  readonly isWrapped: ToolWrapper['isWrapped']
  readonly configuration: ToolApprovalConfiguration<ToolSet, unknown> | undefined
  readonly enforce: boolean
  readonly logger: { warn(line: string): void } | undefined
}): (request: ApprovalRequest) => Promise<ToolApprovalStatus> {
  return async (request) => {
    try {
      const { toolCall, messages, tools } = request
      // The provider has run it already; denying it now would only leave the SDK a call too many.
      if (!enforce || toolCall.providerExecuted) return await askApp(configuration, request)

      const { toolCallId, toolName, input } = toolCall
      const call: ProposedCall = { toolCallId, toolName, input }
      const step = stepOf(messages, call)
      const isJudgedAgain = isWrapped(own(tools, toolName), toolName)
      const judgement = judge.judge({ messages, toolCall: call })
      if (!judgement.allowed && !(isJudgedAgain && mayPassLater(request, call, step, judgement))) {
        const { refusal, cause } = judgement
        denyCall(step, call)
        report({ toolCall: call, refusal, by: 'approval', cause })
        return { type: 'denied', reason: refusal.message }
      }
      const status = await askApp(configuration, request)
      if (isDenial(status)) denyCall(step, call)
      else if (isJudgedAgain) expectCall(step, call)
      return status
    } catch (error) {
      quietly(() => logger?.warn(`a tool approval failed, so the call is denied: ${reason(error)}`))
      return {
        type: 'denied',
        reason:
          'Whether this call is approved could not be decided. Go on without it, or report that ' +
          'it could not be done.',
      }
    }
  }

  function mayPassLater(
    { messages }: ApprovalRequest,
    toolCall: ProposedCall,
    step: Step,
    { tentative }: Judgement,
  ): boolean {
    const earlier = callsBefore(step, toolCall).filter(({ phase }) => phase !== 'denied')
    if (earlier.length === 0) return false
    // What an earlier call does to the app's state cannot be told from its name.
    if (tentative) return true
    const names = earlier.map((call) => call.toolCall.toolName)
    return judge.judge({ messages, toolCall }, names).allowed
  }
}

function isDenial(status: ToolApprovalStatus): boolean {
  return (typeof status === 'object' ? status.type : status) === 'denied'
}

import {
  asSchema,
  type ToolApprovalConfiguration,
  type ToolApprovalStatus,
  type ToolSet,
} from './sdk.ts'

type Configuration = ToolApprovalConfiguration<ToolSet, unknown>
/** What the SDK asks about one call. */
export type ApprovalRequest = Parameters<Extract<Configuration, (...about: never[]) => unknown>>[0]

/**
 * What the app itself says about a call: by its function for all calls, else by its entry for the
 * tool, else by the tool's own `needsApproval`. The SDK's order and rules; they have to be followed
 * here because a function in their place switches the last two off.
 *
 * @throws What the app's functions throw, and for a status that is none.
 */
export async function askApp(
  configuration: Configuration | undefined,
  request: ApprovalRequest,
): Promise<ToolApprovalStatus> {
  if (typeof configuration === 'function') return known(await configuration(request))
  const { toolCall, messages, runtimeContext } = request
  const { toolCallId, toolName, input } = toolCall
  const entry = own(configuration, toolName)
  if (entry !== undefined && entry !== null) {
    if (typeof entry !== 'function') return known(entry)
    const toolContext = (await contextOf(request)) as never
    return known(await entry(input, { toolCallId, messages, toolContext, runtimeContext }))
  }
  const tool = own(request.tools, toolName)
  const needed =
    typeof tool?.needsApproval === 'function'
      ? await tool.needsApproval(input, {
          toolCallId,
          messages,
          context: (await contextOf(request)) as never,
        })
      : tool?.needsApproval
  return needed ? 'user-approval' : undefined
}

/** Names come from a model: a tool called `constructor` is not one. */
export function own<Value>(
  record: Readonly<Record<string, Value>> | undefined,
  name: string,
): Value | undefined {
  return record && Object.hasOwn(record, name) ? record[name] : undefined
}

const statuses = ['not-applicable', 'approved', 'denied', 'user-approval']

/** The SDK would fall over a status it does not know. */
function known(status: ToolApprovalStatus): ToolApprovalStatus {
  const type: unknown = typeof status === 'object' ? status?.type : status
  if (status === undefined || statuses.includes(type as string)) return status
  throw new TypeError(`toolApproval gave the status ${String(type)}, which there is not`)
}

async function contextOf({ tools, toolCall, toolsContext }: ApprovalRequest): Promise<unknown> {
  const context = own(toolsContext as Readonly<Record<string, unknown>>, toolCall.toolName)
  const { contextSchema } = own(tools, toolCall.toolName) ?? {}
  if (contextSchema === undefined || contextSchema === null) return context
  const result = await asSchema(contextSchema).validate?.(context)
  if (result === undefined) return context
  if (!result.success) throw result.error
  return result.value
}

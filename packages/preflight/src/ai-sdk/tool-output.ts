import type { ProposedCall } from './options.ts'
import type { ToolResultPart, ToolSet } from './sdk.ts'

/** What a tool's result looks like in a message. */
export type ToolOutput = ToolResultPart['output']

/** Any tool of the AI SDK: static, dynamic, of a provider, with or without `execute`. */
export type AnyTool = ToolSet[string]

/**
 * Whether a result in a message says that its tool succeeded. Only kinds that are known to carry a
 * result do; whatever else is there satisfies no rule.
 */
export function isSuccess(output: unknown): boolean {
  const { type, value } = (output ?? {}) as { readonly type?: unknown; readonly value?: unknown }
  return type === 'text' || type === 'content' || (type === 'json' && !isMcpError(value))
}

/**
 * What the model will read of a value that a tool gave: as the SDK converts it, save that an error
 * of an MCP server is an error.
 *
 * @returns A promise only where the tool has a `toModelOutput`.
 */
export function modelOutput(
  tool: AnyTool,
  { toolCallId, input }: ProposedCall,
  value: unknown,
): ToolOutput | PromiseLike<ToolOutput> {
  if (tool.toModelOutput) return convertByTool(tool, { toolCallId, input, output: value })
  if (typeof value === 'string') return { type: 'text', value }
  return { type: 'json', value: JSON.parse(JSON.stringify(value) ?? 'null') }
}

/**
 * A tool's own `toModelOutput`. The SDK's MCP client converts results without their `isError`, and a
 * call that failed would be kept as one that succeeded; so such a result becomes an error first.
 */
export async function convertByTool(
  tool: AnyTool,
  about: { readonly toolCallId: string; readonly input: unknown; readonly output: unknown },
): Promise<ToolOutput> {
  if (isMcpError(about.output)) return { type: 'error-text', value: textOf(about.output) }
  const output = await tool.toModelOutput?.(about as never)
  if (typeof output?.type !== 'string') throw new TypeError('toModelOutput gave no output')
  return output
}

/** A failure as the model will read it. */
export function errorOutput(error: unknown): ToolOutput {
  return { type: 'error-text', value: String(error) }
}

/** A result by which an MCP server says that the call failed. */
interface McpError {
  readonly isError: true
  readonly content: readonly unknown[]
}

function isMcpError(value: unknown): value is McpError {
  if (typeof value !== 'object' || value === null) return false
  const { isError, content } = value as { readonly isError?: unknown; readonly content?: unknown }
  return isError === true && Array.isArray(content)
}

function textOf({ content }: McpError): string {
  const texts = (content as readonly { readonly text?: unknown }[])
    .map((part) => part?.text)
    .filter((text) => typeof text === 'string')
  return texts.join('\n') || 'The tool reported an error without saying which.'
}

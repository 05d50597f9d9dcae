import { type JSONValue, modelMessageSchema, type ToolResultPart } from 'ai'
import type { AnyTool } from './tools.ts'

/** What a tool's result looks like in a message. */
export type ToolOutput = ToolResultPart['output']

/**
 * What a tool gave, as the model will read it: the tool's own `toModelOutput`, else text for a
 * string and JSON for the rest, copied so that a later change of the value does not change the
 * transcript.
 *
 * @throws TypeError for a value JSON cannot hold, such as one that contains itself or a BigInt, and
 *   for a `toModelOutput` that gives none of the SDK's outputs.
 */
export async function toToolOutput(
  tool: AnyTool | undefined,
  call: { readonly toolCallId: string; readonly input: unknown },
  value: unknown,
): Promise<ToolOutput> {
  if (tool?.toModelOutput) {
    return settled(await tool.toModelOutput({ ...call, output: value } as never))
  }
  return plainOutput(value)
}

/**
 * Text for a string and JSON for the rest, copied.
 *
 * @throws TypeError for a value JSON cannot hold.
 */
export function plainOutput(value: unknown): ToolOutput {
  return typeof value === 'string'
    ? { type: 'text', value }
    : { type: 'json', value: copyJson(value) }
}

/** A refusal or failure as the model will read it: marked as an error on the wire. */
export function errorOutput(message: string): ToolOutput {
  return { type: 'error-text', value: message }
}

/** Did the tool succeed? Denials and both error types count as failures (DESIGN decision 6). */
export function isFailure(output: ToolOutput): boolean {
  return (
    output.type === 'error-text' ||
    output.type === 'error-json' ||
    output.type === 'execution-denied'
  )
}

/**
 * A copy of `value` as JSON would carry it; undefined becomes null.
 *
 * @throws TypeError when JSON cannot hold it.
 */
export function copyJson(value: unknown): JSONValue {
  if (value === undefined) return null
  const text = JSON.stringify(value)
  if (text === undefined) throw new TypeError(`a ${typeof value} cannot be written as JSON`)
  return JSON.parse(text)
}

/**
 * Takes what `toModelOutput` gave, if it can be stored and sent: a transcript that holds anything else
 * would not load again. The tool may hand out its own object and go on changing it.
 */
function settled(output: ToolOutput): ToolOutput {
  const part = { type: 'tool-result', toolCallId: '', toolName: '', output }
  if (!modelMessageSchema.safeParse({ role: 'tool', content: [part] }).success) {
    throw new TypeError('its toModelOutput gave no output of the AI SDK')
  }
  return output.type === 'json' || output.type === 'error-json'
    ? { ...output, value: copyJson(output.value) }
    : output
}

import { type JSONValue, modelMessageSchema, type ToolResultPart } from 'ai'
import { plainCopy } from './plain-copy.ts'
import type { AnyTool } from './tools.ts'

/** What a tool's result looks like in a message. */
export type ToolOutput = ToolResultPart['output']

/**
 * What a tool gave, as the model will read it: the tool's own `toModelOutput`, else text for a
 * string and JSON for the rest, copied so that a later change of the value does not change the
 * transcript. Text is made well-formed: providers refuse half a surrogate pair.
 *
 * @throws TypeError for a value JSON cannot hold, such as one that contains itself, a BigInt or a Map,
 *   and for a `toModelOutput` that gives none of the SDK's outputs.
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
    ? { type: 'text', value: value.toWellFormed() }
    : { type: 'json', value: copyJson(value) }
}

/** A refusal or failure as the model will read it: marked as an error on the wire. */
export function errorOutput(message: string): ToolOutput {
  return { type: 'error-text', value: message.toWellFormed() }
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
 * A copy of `value` as JSON would carry it, its texts well-formed; undefined becomes null.
 *
 * @throws TypeError when JSON cannot hold it, or would hold `{}` or `null` in place of it: a Map, a
 *   number that is not finite, a date that is none.
 */
export function copyJson(value: unknown): JSONValue {
  if (value === undefined) return null
  const text = JSON.stringify(value)
  if (text === undefined) throw new TypeError(`a ${typeof value} cannot be written as JSON`)
  // Asking about every value costs more than writing it, and what is lost leaves one of these.
  if (text.includes('{}') || text.includes('null')) JSON.stringify(value, refuseLoss)
  return JSON.parse(text.includes('\\ud') ? wellFormed(text) : text)
}

function refuseLoss(this: Readonly<Record<string, unknown>>, key: string, value: unknown) {
  if (typeof value === 'number' && !Number.isFinite(value)) throw unwritable(String(value), key)
  if (value === null && this[key] instanceof Date) throw unwritable('an invalid date', key)
  if (typeof value === 'object' && value !== null && Object.keys(value).length === 0) {
    const [, kind = ''] = /^\[object (.*)\]$/.exec(Object.prototype.toString.call(value)) ?? []
    if (!writableKinds.has(kind)) throw unwritable(`a value of the kind ${kind}`, key)
  }
  return value
}

/** Of objects that have nothing in them that JSON would write: those with nothing else in them either. */
const writableKinds = new Set(['Object', 'Array', 'Arguments', 'Number', 'String', 'Boolean'])

function unwritable(what: string, key: string) {
  const where = key === '' ? '' : ` (at "${key.slice(0, 100)}")`
  return new TypeError(`${what}${where} cannot be written as JSON`)
}

/** Written as JSON, half a surrogate pair is an escape, and a whole one is not. */
function wellFormed(json: string): string {
  return json.replace(/\\(?:ud[89a-f][0-9a-f]{2}|.)/g, (written) =>
    written.length === 6 ? '\\ufffd' : written,
  )
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
    : plainCopy(output)
}

import { MemoryError } from '../errors.ts'
import { jsonSchema } from './sdk.ts'

/** A field of a tool's input, as JSON schema has it: a text, one of a few words, or a list of texts. */
export type ToolField =
  | { readonly type: 'string'; readonly maxLength: number; readonly description?: string }
  | { readonly type: 'string'; readonly enum: readonly string[] }
  | {
      readonly type: 'array'
      readonly items: { readonly type: 'string'; readonly maxLength: number }
      readonly minItems: number
      readonly maxItems: number
    }

/** The input of one tool: what the model is told of it, and the check. */
export interface ToolInput<Input> {
  readonly schema: ReturnType<typeof jsonSchema<Input>>
  /**
   * What a model sent, checked against the same fields: own keys, types, words and lengths.
   *
   * @throws MemoryError - `MEMORY_QUERY_INVALID` naming the field, short and without the value.
   */
  readonly read: (input: unknown) => Input
}

/**
 * Describes a tool's input once. It is checked where the tool runs and not by the SDK, whose message
 * repeats the whole input to the model, and which a host that calls `execute` itself goes around.
 */
export function toolInput<Input>(
  fields: { readonly [Key in keyof Input]-?: ToolField },
  required: readonly (keyof Input & string)[],
): ToolInput<Input> {
  const known: readonly [string, ToolField][] = Object.entries(fields)
  return Object.freeze({
    schema: jsonSchema<Input>({
      type: 'object',
      properties: { ...fields },
      required: [...required],
      additionalProperties: false,
    } as Parameters<typeof jsonSchema>[0]),
    read: (input: unknown): Input => {
      if (typeof input !== 'object' || input === null || Array.isArray(input)) {
        throw wrongInput('input', 'It is no object.')
      }
      const sent = new Map<string, unknown>(Object.entries(input))
      for (const key of sent.keys()) {
        if (!Object.hasOwn(fields, key)) {
          const names = known.map(([name]) => name).join(', ')
          throw wrongInput(key.slice(0, 60).toWellFormed(), `There is only: ${names}.`)
        }
      }
      const read = known.flatMap(([name, field]) => {
        const value = sent.get(name)
        if (value === undefined && !required.some((each) => each === name)) return []
        const fault = faultOf(value, field)
        if (fault !== undefined) throw wrongInput(name, fault)
        return [[name, value] as const]
      })
      return Object.fromEntries(read) as Input
    },
  })
}

/** The one refusal of a tool's input. */
export function wrongInput(field: string, what: string): MemoryError {
  return new MemoryError('MEMORY_QUERY_INVALID', `"${field}" was refused. ${what}`, {
    details: { field },
  })
}

function faultOf(value: unknown, field: ToolField): string | undefined {
  if ('enum' in field) {
    return field.enum.some((word) => word === value)
      ? undefined
      : `It is none of ${field.enum.join(', ')}.`
  }
  if (field.type === 'array') {
    const { items, minItems, maxItems } = field
    const isList =
      Array.isArray(value) &&
      value.length >= minItems &&
      value.length <= maxItems &&
      value.every((each) => isText(each, items.maxLength))
    return isList
      ? undefined
      : `It is no list of at most ${maxItems} ids. Give ${minItems} or more.`
  }
  return isText(value, field.maxLength)
    ? undefined
    : `It is no text of 1 to ${field.maxLength} characters. Write a few words.`
}

function isText(value: unknown, maxChars: number): boolean {
  return typeof value === 'string' && value.trim() !== '' && value.length <= maxChars
}

import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import { numberFrom } from './details.ts'

/** What a property of a tool's input can be filled with. */
export type Slot =
  | 'reservation'
  | 'traveller-id'
  | 'name'
  | 'origin'
  | 'destination'
  | 'flight'
  | 'date'
  | 'bags'
  | 'topic'
  | 'note'
  | 'text'

/** One property of a tool's input, as its JSON schema describes it. */
export interface Property {
  readonly name: string
  readonly required: boolean
  /** JSON schema type; undefined when it has none or several. */
  readonly type: string | undefined
  /** The values it may have, if it is an enumeration. */
  readonly values: readonly string[] | undefined
  readonly description: string
  /** What it can be filled with; undefined when the model has no idea. */
  readonly slot: Slot | undefined
}

type ObjectSchema = {
  readonly properties?: Readonly<Record<string, unknown>>
  readonly required?: readonly string[]
}

/** The properties of a tool's input. A schema that describes no object has none. */
export function propertiesOf({ inputSchema }: LanguageModelV4FunctionTool): readonly Property[] {
  const { properties = {}, required = [] } = inputSchema as ObjectSchema
  return Object.entries(properties).map(([name, schema]) => {
    const about = typeof schema === 'object' && schema !== null ? schema : {}
    const { type, enum: values, description = '' } = about as Readonly<Record<string, unknown>>
    const text = typeof description === 'string' ? description : ''
    return {
      name,
      required: required.includes(name),
      type: typeof type === 'string' ? type : undefined,
      values: Array.isArray(values) ? values.filter((each) => typeof each === 'string') : undefined,
      description: text,
      slot: slotOf(name) ?? slotOf(text),
    }
  })
}

const slots: readonly (readonly [Slot, RegExp])[] = [
  ['reservation', /reservation|booking|locator|\bpnr\b/],
  ['traveller-id', /(?:travell?er|passenger|customer).{0,3}id\b/],
  ['name', /\bname\b|travell?er|passenger|customer/],
  ['origin', /\borigin\b/],
  ['destination', /\bdestination\b/],
  ['flight', /flight/],
  ['date', /\bdate\b|\bday\b|departure/],
  ['bags', /\bbags?\b|luggage|suitcase|\bpieces\b/],
  ['topic', /topic|subject|category|\bkind\b/],
  ['text', /\btext\b|answer|message|markdown/],
  ['note', /value|preference|\bnote\b|content/],
]

function slotOf(text: string): Slot | undefined {
  const words = text.replace(/_/g, ' ').toLowerCase()
  return slots.find(([, pattern]) => pattern.test(words))?.[0]
}

/**
 * Puts an input right after its schema was read again: numbers that were copied as words. The model
 * does this once an error told it to.
 *
 * @returns The same object when there is nothing to put right.
 */
export function correctInput(
  tool: LanguageModelV4FunctionTool,
  input: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const corrected: Record<string, unknown> = { ...input }
  let changed = false
  for (const { name, type } of propertiesOf(tool)) {
    const value = input[name]
    if (typeof value !== 'string' || (type !== 'number' && type !== 'integer')) continue
    const number = numberFrom(value)
    if (number === undefined) continue
    corrected[name] = number
    changed = true
  }
  return changed ? corrected : input
}

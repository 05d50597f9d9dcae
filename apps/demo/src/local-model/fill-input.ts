import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import { achieve } from './achieve.ts'
import { type DeedName, findToolFor } from './deeds.ts'
import { type Details, reservationsIn } from './details.ts'
import { type Property, propertiesOf } from './input-schema.ts'
import type { Call, Mind } from './mind.ts'
import type { Note } from './note-down.ts'
import { describeFailure } from './phrase.ts'
import { describeRecord, matching, type ResultRecord, recordsIn } from './records.ts'
import { chooseTopic } from './topics.ts'

/** What a goal leads to: calls to make, or something to say. */
export type Pursuit =
  | { readonly calls: readonly Call[]; readonly because?: string }
  /** `note` is for memory, and nobody sees it. */
  | { readonly say: string; readonly note?: Note }

type Filled = { readonly input: Readonly<Record<string, unknown>> } | Pursuit
type Value = { readonly value: unknown } | Pursuit

/**
 * Fills a tool's input from what was said. What nobody said is found out by other tools, or asked
 * for; the result is then a pursuit and no input.
 *
 * @param deed - What the input is for: a cancelled trip is no candidate for cancelling.
 */
export function fillInput(
  tool: LanguageModelV4FunctionTool,
  deed: DeedName,
  details: Details,
  mind: Mind,
): Filled {
  const entries: [string, unknown][] = []
  for (const property of propertiesOf(tool)) {
    const found = valueFor(property, deed, details, mind)
    if (!('value' in found)) {
      if (property.required) return found
    } else if (found.value !== undefined) {
      entries.push([property.name, found.value])
    } else if (property.required) {
      return { say: `I need to know: ${questionAbout(property)}` }
    }
  }
  return { input: Object.fromEntries(entries) }
}

function valueFor(property: Property, deed: DeedName, details: Details, mind: Mind): Value {
  switch (property.slot) {
    case 'reservation':
      return findReservation(deed, details, mind)
    case 'traveller-id':
      return findTravellerId(details, mind)
    case 'name':
      return { value: nameIn(details, mind) }
    case 'origin':
      return { value: details.route?.from ?? usedBefore(property, mind) }
    case 'destination':
      return { value: details.route?.to ?? usedBefore(property, mind) }
    case 'flight':
      return { value: details.flight }
    case 'date':
      return { value: details.date }
    case 'bags':
      return { value: digitsAsNumber(details.bags) }
    case 'topic':
      return { value: chooseTopic(property, details) }
    case 'note':
      return { value: details.note }
    default:
      return { value: undefined }
  }
}

/** A reservation by its code, by pointing back, or by whose it is and where it goes. */
function findReservation(deed: DeedName, details: Details, mind: Mind): Value {
  const [named] = details.reservations
  if (named !== undefined) return { value: named }
  if (details.pointsBack) {
    const last = [...mind.before, mind.said].flatMap(reservationsIn).at(-1)
    if (last !== undefined) return { value: last }
  }
  const lister = findToolFor('list', mind.tools)
  if (lister === undefined || (details.whose === undefined && details.travellerId === undefined)) {
    return { say: 'Which reservation? Tell me its six-character code, or whose it is.' }
  }
  const filled = fillInput(lister, 'list', details, mind)
  if (!('input' in filled)) return filled
  const listed = achieve({ tool: lister, input: filled.input }, mind, () => undefined)
  if (listed.state === 'calls') return listed
  if (listed.state === 'failed') return { say: describeFailure('list', listed.error) }
  const records = recordsIn(listed.value).filter(
    (record) => deed !== 'cancel' || record['status'] !== 'cancelled',
  )
  const fitting = matching(records, details.words)
  const [only] = fitting
  if (only === undefined) return { say: 'There is no such reservation.' }
  if (fitting.length === 1) return { value: reservationsIn(JSON.stringify(only))[0] }
  return { say: `Which one?\n${fitting.map((each) => `- ${describeRecord(each)}`).join('\n')}` }
}

function findTravellerId(details: Details, mind: Mind): Value {
  if (details.travellerId !== undefined) return { value: details.travellerId }
  const name = nameIn(details, mind)
  if (name === undefined) return { say: 'Whose reservations? Tell me the name of the traveller.' }
  const finder = findToolFor('look-up', mind.tools)
  const property = finder && propertiesOf(finder).find(({ slot }) => slot === 'name')
  if (finder === undefined || property === undefined) {
    return { say: 'I cannot look up travellers, so I need the traveller id.' }
  }
  const call = { tool: finder, input: { [property.name]: name } }
  const found = achieve(call, mind, () => undefined)
  if (found.state === 'calls') return found
  if (found.state === 'failed') return { say: describeFailure('look-up', found.error) }
  const [record] = recordsIn(found.value)
  const id = record && Object.entries(record).find(([key]) => /id$/i.test(key))?.[1]
  return { value: id }
}

/** What nobody says again is as it was in the last call that had it. */
function usedBefore({ name }: Property, { earlier, attempts }: Mind): unknown {
  const inputs = [...earlier, ...attempts].map(({ input }) => (input ?? {}) as ResultRecord)
  return inputs.findLast((input) => Object.hasOwn(input, name))?.[name]
}

function nameIn({ whose }: Details, { speaker }: Mind): string | undefined {
  return whose === 'mine' ? speaker : whose?.name
}

/** A number written in digits is one; a word is sent as it was said. */
function digitsAsNumber(bags: string | undefined): string | number | undefined {
  return bags !== undefined && /^\d+$/.test(bags) ? Number(bags) : bags
}

function questionAbout({ name, description }: Property): string {
  const words = name.replace(/_/g, ' ')
  return description === '' ? `${words}?` : `${words} (${description})?`
}

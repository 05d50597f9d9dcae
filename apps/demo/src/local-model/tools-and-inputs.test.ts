import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import { describe, expect, it } from 'vitest'
import { offeredTools } from '../testing/model-request.ts'
import { type DeedName, deedNames, findToolFor } from './deeds.ts'
import { correctInput, propertiesOf } from './input-schema.ts'
import { describeRecord, matching, recordsIn } from './records.ts'
import { chooseTopic } from './topics.ts'

function tool(
  name: string,
  description: string,
  properties: Record<string, object> = {},
): LanguageModelV4FunctionTool {
  return { type: 'function', name, description, inputSchema: { type: 'object', properties } }
}

describe('finding the tool for a deed', () => {
  it.each<[DeedName, string]>([
    ['list', 'list_reservations'],
    ['show', 'read_reservation'],
    ['cancel', 'cancel_reservation'],
    ['change-flight', 'change_flight'],
    ['find-flight', 'search_flights'],
    ['add-bags', 'add_baggage'],
    ['look-up', 'find_traveller'],
    ['remember', 'remember_preference'],
    ['recall', 'recall_preferences'],
  ])('%s is done by %s', (deed, name) => {
    expect(findToolFor(deed, offeredTools)?.name).toBe(name)
  })

  it('finds nothing among tools that only mention it', () => {
    const tools = [
      tool('read_reservation', 'Reads a reservation, to look at before you cancel it.'),
    ]
    expect(findToolFor('cancel', tools)).toBeUndefined()
  })

  it('finds nothing at all without tools', () => {
    expect(deedNames.map((deed) => findToolFor(deed, []))).toEqual(deedNames.map(() => undefined))
  })
})

describe('reading the schema of a tool', () => {
  it.each([
    ['reservation_id', '', 'reservation'],
    ['id', 'Code of the booking', 'reservation'],
    ['traveller_id', '', 'traveller-id'],
    ['passenger', '', 'name'],
    ['flight_number', '', 'flight'],
    ['origin', 'City', 'origin'],
    ['destination', 'City', 'destination'],
    ['new_date', '', 'date'],
    ['bags', '', 'bags'],
    ['markdown', '', 'text'],
    ['x', '', undefined],
  ])('fills %s (%s) with: %s', (name, description, slot) => {
    const [property] = propertiesOf(tool('t', '', { [name]: { type: 'string', description } }))
    expect(property?.slot).toBe(slot)
  })

  it('makes numbers of number words where the schema wants numbers, and only there', () => {
    const counting = tool('t', '', { bags: { type: 'integer' }, note: { type: 'string' } })
    expect(correctInput(counting, { bags: 'two', note: 'two' })).toEqual({ bags: 2, note: 'two' })
    const right = { bags: 2, note: 'many' }
    expect(correctInput(counting, right)).toBe(right)
    expect(correctInput(counting, { bags: 'many' })).toEqual({ bags: 'many' })
  })

  it.each([
    { words: 'window please', values: ['seat', 'other'], required: true, topic: 'seat' },
    { words: 'my hotel', values: ['hotel', 'other'], required: true, topic: 'hotel' },
    { words: 'quiet', values: ['seat', 'other'], required: true, topic: 'other' },
    { words: 'quiet', values: ['a', 'b'], required: true, topic: 'b' },
    { words: 'quiet', values: ['seat'], required: false, topic: undefined },
    { words: 'vegan', values: undefined, required: true, topic: 'meal' },
  ])('chooses $topic of $values for "$words"', ({ topic, ...about }) => {
    expect(chooseTopic(about, about)).toBe(topic)
  })
})

describe('reading a result', () => {
  const rome = { reservation_id: 'K4T9QX', origin: 'Lisbon', destination: 'Rome' }
  const oslo = { reservation_id: 'B7M2LD', origin: 'Rome', destination: 'Oslo' }

  it.each([
    { value: { items: [rome, oslo] }, records: [rome, oslo] },
    { value: [rome, 'noise', null], records: [rome] },
    { value: rome, records: [rome] },
    { value: { items: [] }, records: [] },
    { value: 'text', records: [] },
    { value: null, records: [] },
  ])('finds the records in $value', ({ value, records }) => {
    expect(recordsIn(value)).toEqual(records)
  })

  it.each([
    ['my trip to rome', [rome]],
    ['my trip from rome', [oslo]],
    ['the one to oslo', [oslo]],
    ['lisbon', [rome]],
    ['any trip', [rome, oslo]],
  ])('takes "%s" for the right trip', (words, records) => {
    expect(matching([rome, oslo], words)).toEqual(records)
  })

  it('describes a record it has never seen', () => {
    const page = 'https://desk.example/r'
    expect(describeRecord({ id: 'A1B2C3', price_eur: 5, seat_row: 7, page, nested: {} })).toBe(
      `**A1B2C3**, price 5 EUR, seat row 7, [page](${page})`,
    )
  })
})

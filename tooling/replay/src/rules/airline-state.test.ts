import type { ModelMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { airlineState } from './airline-state.ts'
import { madeCall } from './made-call.ts'

const flights = [
  { flight_number: 'HAT1', date: '2024-05-20', price: 1 },
  { flight_number: 'HAT2', date: '2024-05-21', price: 2 },
]
const reservation = (more: object = {}) => ({
  ...{ reservation_id: 'R', cabin: 'economy', insurance: 'no', created_at: '2024-05-01T00:00:00' },
  flights,
  ...more,
})
const shown = (more: object = {}) =>
  madeCall('get_reservation_details', { reservation_id: 'R' }, reservation(more))
const about = (input: unknown) => ({ toolCallId: 'c', toolName: 'write', input })
const stateOf = (messages: ModelMessage[], input: unknown = { reservation_id: 'R' }) =>
  airlineState(messages, about(input))

const nothingKnown = {
  user: { looked_up: false },
  confirmation: { explicit: false },
  reservation: {
    ...{ read: false, cabin: null, insured: false },
    ...{ booked_within_24h: false, airline_cancelled: false },
  },
  change: { flights: true },
}

describe('the state of an airline conversation', () => {
  it('is whole and in doubt before anything has happened', () => {
    expect(airlineState([], undefined)).toEqual(nothingKnown)
  })

  it('knows what was looked up, read and said', () => {
    const messages: ModelMessage[] = [
      ...madeCall('get_user_details', { user_id: 'U' }, { name: 'U' }),
      ...shown({ cabin: 'business', insurance: 'yes', created_at: '2024-05-15T10:00:00' }),
      { role: 'user', content: 'yes' },
    ]
    expect(stateOf(messages, { reservation_id: 'R', flights })).toEqual({
      user: { looked_up: true },
      confirmation: { explicit: true },
      reservation: {
        ...{ read: true, cabin: 'business', insured: true },
        ...{ booked_within_24h: true, airline_cancelled: false },
      },
      change: { flights: false },
    })
  })

  it.each<{ what: string; messages: ModelMessage[]; input?: unknown }>([
    { what: 'another reservation was read', messages: shown({ reservation_id: 'S' }) },
    { what: 'the call names none', messages: shown(), input: {} },
    { what: 'the call names something else', messages: shown(), input: { reservation_id: ['R'] } },
    { what: 'the call is text', messages: shown(), input: 'R' },
    {
      what: 'reading failed',
      messages: madeCall('get_reservation_details', {}, reservation(), true),
    },
    { what: 'another tool says so', messages: madeCall('think', {}, reservation()) },
    {
      what: 'it is within another thing',
      messages: madeCall('book_reservation', {}, { a: reservation() }),
    },
    { what: 'it is a list', messages: madeCall('book_reservation', {}, [reservation()]) },
    {
      what: 'its id is inherited',
      messages: madeCall('book_reservation', {}, '{"__proto__":{"reservation_id":"R"}}'),
    },
    { what: 'looking up failed', messages: madeCall('get_user_details', {}, 'Error: no', true) },
  ])('knows nothing when $what', ({ messages, input }) => {
    expect(input === undefined ? stateOf(messages) : stateOf(messages, input)).toEqual(nothingKnown)
  })

  it.each([
    { tool: 'get_reservation_details' },
    { tool: 'book_reservation' },
    { tool: 'cancel_reservation' },
    { tool: 'update_reservation_flights' },
    { tool: 'update_reservation_baggages' },
    { tool: 'update_reservation_passengers' },
  ])('takes a reservation that $tool shows for read', ({ tool }) => {
    expect(stateOf(madeCall(tool, {}, reservation())).reservation.read).toBe(true)
  })

  it('goes by the last time a reservation was shown', () => {
    const messages = [
      ...shown(),
      ...shown({ cabin: 'business' }),
      ...shown({ reservation_id: 'S' }),
    ]
    expect(stateOf(messages).reservation.cabin).toBe('business')
  })

  it.each([
    { what: 'a day and a second', created: '2024-05-14T14:59:59', is: false },
    { what: 'a day to the second', created: '2024-05-14T15:00:00', is: true },
    { what: 'no time at all', created: '2024-05-15T15:00:00', is: true },
    { what: 'nobody knows how long', created: 'yesterday', is: false },
    { what: 'since a time that is no text', created: 7, is: false },
    { what: 'since a time that is missing', created: undefined, is: false },
    { what: 'since an empty time', created: '', is: false },
  ])('booked for $what: within 24 hours is $is', ({ created, is }) => {
    expect(stateOf(shown({ created_at: created })).reservation.booked_within_24h).toBe(is)
  })

  it.each([
    { what: 'no', insurance: 'no' },
    { what: 'a flag', insurance: true },
    { what: 'missing', insurance: undefined },
  ])('takes insurance that is $what for none', ({ insurance }) => {
    expect(stateOf(shown({ insurance })).reservation.insured).toBe(false)
  })

  describe('when a flight was looked up', () => {
    const status = (flight_number: string, date: string, answer: string, failed = false) =>
      madeCall('get_flight_status', { flight_number, date }, answer, failed)

    it.each([
      { what: 'cancelled', messages: status('HAT2', '2024-05-21', 'cancelled'), is: true },
      { what: 'on time', messages: status('HAT2', '2024-05-21', 'on time'), is: false },
      {
        what: 'cancelled on another day',
        messages: status('HAT2', '2024-05-20', 'cancelled'),
        is: false,
      },
      {
        what: 'cancelled, another flight',
        messages: status('HAT3', '2024-05-21', 'cancelled'),
        is: false,
      },
      {
        what: 'not to be found',
        messages: status('HAT2', '2024-05-21', 'cancelled', true),
        is: false,
      },
      {
        what: 'cancelled, then not',
        messages: [
          ...status('HAT2', '2024-05-21', 'cancelled'),
          ...status('HAT2', '2024-05-21', 'on time'),
        ],
        is: false,
      },
    ])('and was $what, the airline has cancelled: $is', ({ messages, is }) => {
      expect(stateOf([...shown(), ...messages]).reservation.airline_cancelled).toBe(is)
    })
  })

  it.each([
    { what: 'the same flights', wanted: flights, changes: false },
    { what: 'the same in another order', wanted: flights.toReversed(), changes: false },
    { what: 'one less', wanted: flights.slice(1), changes: true },
    { what: 'one twice', wanted: [...flights, ...flights.slice(1)], changes: true },
    { what: 'another day', wanted: [{ flight_number: 'HAT1', date: '2024-06-20' }], changes: true },
    { what: 'no flights', wanted: [], changes: true },
    { what: 'flights that cannot be read', wanted: [{ flight: 'HAT1' }], changes: true },
    { what: 'no list', wanted: 'HAT1', changes: true },
    { what: 'nothing about flights', wanted: undefined, changes: true },
  ])('a call that wants $what changes flights: $changes', ({ wanted, changes }) => {
    const input = { reservation_id: 'R', flights: wanted }
    expect(stateOf(shown(), input).change.flights).toBe(changes)
    expect(stateOf(shown({ flights: 'unreadable' }), input).change.flights).toBe(true)
  })
})

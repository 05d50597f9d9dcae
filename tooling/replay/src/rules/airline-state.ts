import type { ProposedCall, TurnView } from '@symfonic/kernel'
import { z } from 'zod'
import { type AnsweredCall, answeredCalls } from './answered-calls.ts'
import { isConfirmed } from './confirmation.ts'

/**
 * What the airline rules read. Every path has a value at all times: a predicate on a path that is
 * missing does not hold, and a skill whose predicate does not hold is no rule any more. Where there is
 * doubt, the value is the one under which the rule stands.
 */
export interface AirlineState {
  /** A profile has been read, in this conversation. */
  readonly user: { readonly looked_up: boolean }
  /** The user's last message says yes (`isConfirmed`). */
  readonly confirmation: { readonly explicit: boolean }
  /** The reservation that the call is about, as it was last shown. */
  readonly reservation: {
    /** A result has shown it: it was read, booked, changed or cancelled. */
    readonly read: boolean
    /** null until it is read. */
    readonly cabin: string | null
    readonly insured: boolean
    readonly booked_within_24h: boolean
    /** A flight of it was looked up, and the airline has cancelled it. */
    readonly airline_cancelled: boolean
  }
  /** What the call would change: other flights than the reservation has, or the same. */
  readonly change: { readonly flights: boolean }
}

/**
 * Reduces a conversation to the state that the airline rules read.
 *
 * @param messages - The transcript so far; results that failed show nothing.
 * @param call - The call being judged; without one, no reservation is meant and none counts as read.
 */
export function airlineState(
  messages: TurnView['messages'],
  call: ProposedCall | undefined,
): AirlineState {
  const answered = answeredCalls(messages)
  const { reservation_id: id, flights } = callSchema.parse(call?.input)
  const shown = id === null ? undefined : lastShown(answered, id)
  return {
    user: { looked_up: answered.some(({ toolName }) => toolName === 'get_user_details') },
    confirmation: { explicit: isConfirmed(messages) },
    reservation: {
      read: shown !== undefined,
      cabin: shown?.cabin ?? null,
      insured: shown?.insurance === 'yes',
      booked_within_24h: isRecent(shown?.created_at),
      airline_cancelled: shown?.flights?.some((flight) => isCancelled(answered, flight)) ?? false,
    },
    change: { flights: !isSameTrip(shown?.flights, flights) },
  }
}

/** Tools that answer with a reservation. */
const showing = new Set([
  'get_reservation_details',
  'book_reservation',
  'cancel_reservation',
  'update_reservation_flights',
  'update_reservation_baggages',
  'update_reservation_passengers',
])

/** The policy fixes the time of every conversation. It names one zone, and so do all its times. */
const now = Date.parse('2024-05-15T15:00:00Z')
const dayMs = 24 * 60 * 60 * 1000

const text = z.string().nullable().catch(null)
const flightSchema = z.object({ flight_number: z.string(), date: z.string() })
const flightsSchema = z.array(flightSchema).nullable().catch(null)
type Flight = z.infer<typeof flightSchema>

const reservationSchema = z.object({
  reservation_id: z.string().min(1),
  cabin: text,
  insurance: text,
  created_at: text,
  flights: flightsSchema,
})

const callSchema = z
  .object({ reservation_id: text, flights: flightsSchema })
  .catch({ reservation_id: null, flights: null })

function lastShown(answered: readonly AnsweredCall[], id: string) {
  return answered.reduce<z.infer<typeof reservationSchema> | undefined>(
    (last, { toolName, answer }) => {
      if (!showing.has(toolName)) return last
      const { data } = reservationSchema.safeParse(answer)
      return data?.reservation_id === id ? data : last
    },
    undefined,
  )
}

function isRecent(createdAt: string | null | undefined): boolean {
  return createdAt ? now - Date.parse(`${createdAt}Z`) <= dayMs : false
}

function isCancelled(answered: readonly AnsweredCall[], flight: Flight): boolean {
  const last = answered.findLast(({ toolName, input }) => {
    const { data } = flightSchema.safeParse(input)
    return toolName === 'get_flight_status' && data !== undefined && keyOf(data) === keyOf(flight)
  })
  return last?.answer === 'cancelled'
}

/** False when either is unknown. */
function isSameTrip(had: readonly Flight[] | null | undefined, wanted: readonly Flight[] | null) {
  if (!had || !wanted) return false
  const keys = (flights: readonly Flight[]) => flights.map(keyOf).sort().join(', ')
  return keys(had) === keys(wanted)
}

function keyOf({ flight_number, date }: Flight): string {
  return `${flight_number} on ${date}`
}

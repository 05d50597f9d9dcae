import { type ToolSet, tool } from 'ai'
import { z } from 'zod'
import type { Desk } from './desk.ts'
import type { Offer } from './offers.ts'
import { ownerOfTurn, type Preferences } from './preferences.ts'
import type { Reservation } from './seed.ts'
import { toSlackMarkup } from './slack-markup.ts'

const topics = ['seat', 'meal', 'hotel', 'airline', 'other'] as const

/** The tools of the desk. Inputs and results are spelled as on the wire, in snake_case. */
export function createDeskTools(desk: Desk, preferences: Preferences) {
  return {
    find_traveller: tool({
      description: 'Finds a traveller by name and gives the traveller id.',
      inputSchema: z.object({ name: z.string().min(1).describe('First, last or full name') }),
      execute: async ({ name }) => {
        const { travellerId, name: fullName } = desk.findTraveller(name)
        return { traveller_id: travellerId, name: fullName }
      },
    }),
    list_reservations: tool({
      description: 'Lists the reservations of one traveller.',
      inputSchema: z.object({ traveller_id: z.string().describe('As find_traveller gave it') }),
      execute: async ({ traveller_id }) => ({
        reservations: desk.listReservations(traveller_id).map(toLine),
      }),
    }),
    read_reservation: tool({
      description: 'Reads one reservation: route, date, fare, price, bags and status.',
      inputSchema: z.object({ reservation_id: reservationId }),
      execute: async ({ reservation_id }) => toSheet(desk.readReservation(reservation_id)),
    }),
    cancel_reservation: tool({
      description: 'Cancels a reservation. This cannot be undone.',
      inputSchema: z.object({ reservation_id: reservationId }),
      execute: async ({ reservation_id }) => {
        const { reservation, refundEur } = desk.cancel(reservation_id)
        return { ...toLine(reservation), refund_eur: refundEur, receipt: linkTo(reservation) }
      },
    }),
    search_flights: tool({
      description: 'Searches the flights of a route: times, stops, seats and prices.',
      inputSchema: z.object({
        origin: z.string().min(1).describe('City, such as Paris'),
        destination: z.string().min(1).describe('City'),
      }),
      execute: async ({ origin, destination }) => ({
        ...{ origin, destination },
        offers: desk.searchFlights(origin, destination).map(toOffer),
      }),
    }),
    change_flight: tool({
      description: 'Changes the flight of a reservation, and its date if one is given.',
      inputSchema: z.object({
        reservation_id: reservationId,
        flight: z.string().describe('Flight number, such as TP838'),
        date: z.iso.date().optional().describe('New date, YYYY-MM-DD; left out, it stays'),
      }),
      execute: async ({ reservation_id, flight, date }) =>
        toLine(desk.changeFlight(reservation_id, flight, date)),
    }),
    add_baggage: tool({
      description: 'Adds checked bags to a reservation.',
      inputSchema: z.object({
        reservation_id: reservationId,
        bags: z.number().int().min(1).max(3).describe('How many bags to add'),
      }),
      execute: async ({ reservation_id, bags }) => {
        const { reservation, feeEur } = desk.addBags(reservation_id, bags)
        return { ...toLine(reservation), bags: reservation.bags, fee_eur: feeEur }
      },
    }),
    recall_preferences: tool({
      description: 'Recalls the preferences which the person who speaks has told before.',
      inputSchema: z.object({ topic: z.enum(topics).optional().describe('Left out: all of them') }),
      execute: async ({ topic }) => {
        const all = [...(await preferences.recall())].filter(([each]) => !topic || each === topic)
        return { owner: ownerOfTurn().userId, preferences: Object.fromEntries(all) }
      },
    }),
    remember_preference: tool({
      description: 'Remembers a preference of the person who speaks, for later conversations.',
      inputSchema: z.object({
        topic: z.enum(topics),
        value: z.string().min(1).max(200).describe('The preference, such as "aisle seat"'),
      }),
      execute: async ({ topic, value }) => {
        await preferences.remember(topic, value)
        return { owner: ownerOfTurn().userId, topic, value }
      },
    }),
    format_for_slack: tool({
      description: 'Formats a finished answer for Slack: bold text and links as Slack writes them.',
      inputSchema: z.object({ text: z.string().min(1).describe('The whole answer, as Markdown') }),
      execute: async ({ text }) => toSlackMarkup(text),
    }),
  } satisfies ToolSet
}

const reservationId = z.string().describe('The six-character reservation code')

function toOffer({ priceEur, ...offer }: Offer) {
  return { ...offer, price_eur: priceEur }
}

function toLine({ reservationId, origin, destination, flight, date, status }: Reservation) {
  return { reservation_id: reservationId, origin, destination, flight, date, status }
}

function toSheet(reservation: Reservation) {
  const { fare, priceEur, bags } = reservation
  return { ...toLine(reservation), fare, price_eur: priceEur, bags, page: linkTo(reservation) }
}

function linkTo({ reservationId }: Reservation): string {
  return `https://desk.example/r/${reservationId}`
}

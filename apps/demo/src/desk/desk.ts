import { type Offer, offersOf } from './offers.ts'
import type { Reservation, Seed, Traveller } from './seed.ts'

/**
 * The travel desk: everything its tools can do, in memory.
 *
 * What cannot be done is thrown and not returned, because a tool that throws counts as not called: a
 * look at a reservation that does not exist must not satisfy the rule that it was read. Messages say
 * what to do instead; a model reads them.
 */
export interface Desk {
  findTraveller(name: string): Traveller
  listReservations(travellerId: string): readonly Reservation[]
  readReservation(reservationId: string): Reservation
  /** Every offer of a route. Cities as people write them. */
  searchFlights(origin: string, destination: string): readonly Offer[]
  /** The reservation as it is now, and what is paid back in EUR. */
  cancel(reservationId: string): { reservation: Reservation; refundEur: number }
  changeFlight(reservationId: string, flight: string, date?: string): Reservation
  /** The reservation as it is now, and the fee in EUR. */
  addBags(reservationId: string, bags: number): { reservation: Reservation; feeEur: number }
}

const bagLimit = 3
const bagFeeEur = 35

/** Opens a desk on its own copy of the data. */
export function createDesk({ travellers, reservations, flights, prices }: Seed): Desk {
  const booked = new Map(reservations.map((each) => [each.reservationId, each]))

  const read = (reservationId: string): Reservation => {
    const found = booked.get(reservationId.toUpperCase())
    if (found) return found
    throw new Error(
      `There is no reservation ${reservationId}. Check the code, or list those of the traveller.`,
    )
  }
  const readActive = (reservationId: string): Reservation => {
    const found = read(reservationId)
    if (found.status === 'confirmed') return found
    throw new Error(`${found.reservationId} is cancelled already. Nothing about it can be changed.`)
  }
  const save = (reservation: Reservation): Reservation => {
    booked.set(reservation.reservationId, reservation)
    return reservation
  }

  return {
    findTraveller: (name) => {
      const wanted = name.trim().toLowerCase()
      const found = travellers.filter((each) => isCalled(each, wanted))
      const [only] = found
      if (only && found.length === 1) return only
      throw new Error(
        only
          ? `Several travellers are called ${name}: ${found.map((each) => each.name).join(', ')}. Ask which.`
          : `No traveller is called ${name}. Ask for the name as it is in the passport.`,
      )
    },
    listReservations: (travellerId) => {
      if (!travellers.some((each) => each.travellerId === travellerId)) {
        throw new Error(`There is no traveller ${travellerId}. Find the traveller by name first.`)
      }
      return [...booked.values()].filter((each) => each.travellerId === travellerId)
    },
    readReservation: read,
    searchFlights: (origin, destination) => {
      const wanted = `${origin.trim()}-${destination.trim()}`.toLowerCase()
      const route = [...flights.keys()].find((each) => each.toLowerCase() === wanted)
      if (route !== undefined) return offersOf(route, { flights, prices })
      throw new Error(
        `Nothing flies from ${origin} to ${destination}. Offer one of: ${[...flights.keys()].join(', ')}.`,
      )
    },
    cancel: (reservationId) => {
      const reservation = readActive(reservationId)
      const refundEur = reservation.fare === 'flexible' ? reservation.priceEur : 0
      return { reservation: save({ ...reservation, status: 'cancelled' }), refundEur }
    },
    changeFlight: (reservationId, flight, date) => {
      const reservation = readActive(reservationId)
      const { origin, destination } = reservation
      const offered = flights.get(`${origin}-${destination}`) ?? []
      const wanted = flight.replace(/\s/g, '').toUpperCase()
      if (!offered.includes(wanted)) {
        throw new Error(
          `${flight} does not fly from ${origin} to ${destination}. Offer one of: ${offered.join(', ')}.`,
        )
      }
      return save({ ...reservation, flight: wanted, date: date ?? reservation.date })
    },
    addBags: (reservationId, bags) => {
      const reservation = readActive(reservationId)
      const total = reservation.bags + bags
      if (total > bagLimit) {
        throw new Error(
          `${reservation.reservationId} has ${reservation.bags} bags and may have ${bagLimit} in all. Offer ${bagLimit - reservation.bags} more.`,
        )
      }
      return { reservation: save({ ...reservation, bags: total }), feeEur: bags * bagFeeEur }
    },
  }
}

function isCalled({ name }: Traveller, wanted: string): boolean {
  const own = name.toLowerCase()
  return wanted !== '' && (own === wanted || own.split(' ').includes(wanted))
}

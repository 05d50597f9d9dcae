/** Somebody who travels for the company. */
export interface Traveller {
  readonly travellerId: string
  readonly name: string
}

/** A booked flight. */
export interface Reservation {
  /** Six letters and digits. */
  readonly reservationId: string
  readonly travellerId: string
  readonly origin: string
  readonly destination: string
  readonly flight: string
  /** ISO date, without a time. */
  readonly date: string
  readonly status: 'confirmed' | 'cancelled'
  /** Flexible fares are refunded, basic ones are not. */
  readonly fare: 'flexible' | 'basic'
  readonly priceEur: number
  readonly bags: number
}

/** What the desk starts with. */
export interface Seed {
  readonly travellers: readonly Traveller[]
  readonly reservations: readonly Reservation[]
  /** Flights of each route, by `origin-destination`. */
  readonly flights: ReadonlyMap<string, readonly string[]>
  /** What these flights cost in EUR, by flight number. */
  readonly prices: ReadonlyMap<string, number>
}

/**
 * A small, always fresh world: dates lie some days after `today`, so that no trip is ever over.
 *
 * @param today - ISO date.
 */
export function seedDesk(today: string): Seed {
  return {
    travellers: [
      { travellerId: 'T-101', name: 'Mia Lindqvist' },
      { travellerId: 'T-102', name: 'Omar Haddad' },
      { travellerId: 'T-103', name: 'Wei Chen' },
    ],
    reservations: rows.map(([reservationId, travellerId, route, flight, inDays, ...rest]) => {
      const [origin = '', destination = ''] = route.split('-')
      const [status, fare, priceEur, bags] = rest
      const date = daysAfter(today, inDays)
      const about = { reservationId, travellerId, origin, destination, flight, date }
      return { ...about, status, fare, priceEur, bags }
    }),
    flights: new Map([
      ['Lisbon-Rome', ['TP836', 'TP838']],
      ['Rome-Oslo', ['DY1877', 'DY1879']],
      ['Berlin-Madrid', ['IB3677', 'IB3675']],
      ['Madrid-Berlin', ['IB3676', 'IB3678']],
      ['Vienna-Paris', ['OS411', 'OS417']],
      ['Paris-Tokyo', ['AF276', 'NH216']],
    ]),
    prices: new Map([
      ...([
        ['TP836', 214],
        ['TP838', 198],
        ['DY1877', 96],
        ['DY1879', 104],
      ] as const),
      ...([
        ['IB3677', 180],
        ['IB3675', 172],
        ['IB3676', 88],
        ['IB3678', 95],
      ] as const),
      ...([
        ['OS411', 143],
        ['OS417', 151],
        ['AF276', 1180],
        ['NH216', 940],
      ] as const),
    ]),
  }
}

type Row = readonly [
  reservationId: string,
  travellerId: string,
  route: string,
  flight: string,
  inDays: number,
  status: Reservation['status'],
  fare: Reservation['fare'],
  priceEur: number,
  bags: number,
]

const rows: readonly Row[] = [
  ['K4T9QX', 'T-101', 'Lisbon-Rome', 'TP836', 12, 'confirmed', 'flexible', 214, 1],
  ['B7M2LD', 'T-101', 'Rome-Oslo', 'DY1877', 15, 'confirmed', 'basic', 96, 0],
  ['Z3R8WN', 'T-102', 'Berlin-Madrid', 'IB3677', 6, 'confirmed', 'flexible', 180, 0],
  ['N8C4TA', 'T-102', 'Madrid-Berlin', 'IB3676', 9, 'confirmed', 'basic', 88, 0],
  ['H6P5VE', 'T-103', 'Vienna-Paris', 'OS411', 20, 'cancelled', 'flexible', 143, 1],
  ['W5D9KU', 'T-103', 'Paris-Tokyo', 'AF276', 24, 'confirmed', 'flexible', 1180, 2],
]

function daysAfter(isoDate: string, days: number): string {
  return new Date(Date.parse(isoDate) + days * 86_400_000).toISOString().slice(0, 10)
}

import type { Seed } from './seed.ts'

/** One way to fly a route. */
export interface Offer {
  readonly flight: string
  /** `nonstop`, or `via` and a city. */
  readonly connection: string
  /** Local time, `HH:MM`. */
  readonly departs: string
  readonly seats: number
  readonly priceEur: number
}

/** As many as a search for flights gives: more than anybody, or any model, wants to read. */
const offerCount = 240

const airlines = [
  ...([
    ['AY', 'Helsinki'],
    ['BA', 'London'],
    ['EK', 'Dubai'],
    ['ET', 'Addis Ababa'],
  ] as const),
  ...([
    ['KE', 'Seoul'],
    ['KL', 'Amsterdam'],
    ['LH', 'Munich'],
    ['LO', 'Warsaw'],
  ] as const),
  ...([
    ['LX', 'Zurich'],
    ['QR', 'Doha'],
    ['SK', 'Copenhagen'],
    ['TK', 'Istanbul'],
  ] as const),
]

/** All offers of a route by departure: its own flights, and ways around. The same ones every time. */
export function offersOf(
  route: string,
  { flights, prices }: Pick<Seed, 'flights' | 'prices'>,
): readonly Offer[] {
  const own = (flights.get(route) ?? []).map((flight, index) => ({
    flight,
    connection: 'nonstop',
    departs: timeAt(620 + 475 * index),
    ...{ seats: 4 + index, priceEur: prices.get(flight) ?? 0 },
  }))
  const numbers = Array.from(
    { length: offerCount / airlines.length },
    (_, index) => 301 + 17 * index,
  )
  const around = numbers.flatMap((number, row) =>
    airlines.map(([code, hub], column) => {
      const index = airlines.length * row + column
      return {
        flight: `${code}${number}`,
        connection: `via ${hub}`,
        departs: timeAt(300 + 53 * index),
        ...{ seats: 1 + ((5 * index) % 9), priceEur: 230 + ((37 * index) % 900) },
      }
    }),
  )
  return [...own, ...around.slice(own.length)].sort((one, other) =>
    one.departs < other.departs ? -1 : 1,
  )
}

function timeAt(minutes: number): string {
  const [hour, minute] = [Math.floor(minutes / 60) % 24, minutes % 60]
  return [hour, minute].map((part) => String(part).padStart(2, '0')).join(':')
}

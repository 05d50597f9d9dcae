import type { Ledger, LedgerPlace, RecordedResult } from '../ledger.ts'

/** One thing every ledger does. `check` rejects, with what is wrong, when it does not. */
export interface LedgerBehaviour {
  readonly name: string
  /** It separates tenants: no ledger may be excused from it. */
  readonly isIsolation?: boolean
  readonly check: (ledger: Ledger) => Promise<void>
}

/** A behaviour a ledger does not have, and why. It shows as skipped. */
export interface LedgerSkip {
  readonly behaviour: string
  readonly reason: string
}

/** The parts of a test runner that are needed: those of vitest, of `node:test`, and of most others. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown
  it(name: string, body: () => Promise<void>): unknown
  /** Shows a test as skipped. Needed only where something is skipped. */
  skip?(name: string): unknown
}

/**
 * The conformance suite of the `Ledger` contract, for any ledger anyone writes (DESIGN decision 11).
 *
 * @param createLedger - Called before each test for an empty ledger.
 * @param options.skip - Behaviours it lacks, with reasons. Isolation cannot be skipped.
 * @throws Error for a skip that names no behaviour, or one that must not be skipped.
 */
export function describeLedger(
  name: string,
  createLedger: () => Ledger | Promise<Ledger>,
  options: { runner: TestRunner; skip?: readonly LedgerSkip[] },
): void {
  const { runner, skip = [] } = options
  for (const { behaviour } of skip) {
    const found = ledgerBehaviours.find((one) => one.name === behaviour)
    if (found === undefined) throw new Error(`No behaviour is called "${behaviour}".`)
    if (found.isIsolation)
      throw new Error(`"${behaviour}" separates tenants and cannot be skipped.`)
  }
  runner.describe(`the ledger ${name}`, () => {
    for (const behaviour of ledgerBehaviours) {
      const skipped = skip.find((one) => one.behaviour === behaviour.name)
      if (skipped !== undefined) runner.skip?.(`${behaviour.name} (${skipped.reason})`)
      else runner.it(behaviour.name, async () => behaviour.check(await createLedger()))
    }
  })
}

const here: LedgerPlace = { scopeKey: 'tenant-a', thread: 'thread-1' }

/** Places that a careless key could take for `here`, or for each other. */
const elsewhere: readonly LedgerPlace[] = [
  { scopeKey: 'tenant-b', thread: 'thread-1' },
  { scopeKey: 'tenant-a', thread: 'thread-2' },
  { scopeKey: 'TENANT-A', thread: 'thread-1' },
  { scopeKey: 'tenant-a ', thread: 'thread-1' },
  { scopeKey: 'tenant-athread-1', thread: 'thread-1' },
  { scopeKey: 'tenant-', thread: 'athread-1' },
  { scopeKey: 'tenant-%', thread: 'thread-_' },
  { scopeKey: '__proto__', thread: 'constructor' },
  { scopeKey: '*', thread: '*' },
]

/** What every ledger does, in the order in which it is checked. */
export const ledgerBehaviours: readonly LedgerBehaviour[] = [
  {
    name: 'gives back what was recorded, byte for byte',
    async check(ledger) {
      const texts = [
        'plain',
        '',
        '{"a":[1,2]}',
        'naïve 漢字 😀',
        '\u0000\u2028\\ " \r\n',
        'x'.repeat(200_000),
      ]
      const results = texts.map((text, index) =>
        result(`r_${index}`, { text, isError: index === 1 }),
      )
      await record(ledger, here, results)
      for (const wanted of results) same(await ledger.fetch(here, wanted.id), wanted, wanted.id)
    },
  },
  {
    name: 'answers one outcome per result, in order',
    async check(ledger) {
      const outcomes = await ledger.record(here, [result('r_1'), result('r_2')])
      same(outcomes, [{ stored: true }, { stored: true }], 'outcomes')
      same([...(await ledger.record(here, []))], [], 'outcomes of nothing')
    },
  },
  {
    name: 'keeps a result once, however often it is recorded',
    async check(ledger) {
      await record(ledger, here, [result('r_1'), result('r_1')])
      await record(ledger, here, [result('r_1')])
      same(await ledger.count(here), 1, 'count')
    },
  },
  {
    name: 'changes nothing when an id is recorded again',
    async check(ledger) {
      await record(ledger, here, [result('r_1', { text: 'first' })])
      await record(ledger, here, [result('r_1', { text: 'second' })])
      same((await ledger.fetch(here, 'r_1'))?.text, 'first', 'text')
    },
  },
  {
    name: 'finds nothing under an id that was never recorded',
    async check(ledger) {
      await record(ledger, here, [result('r_1')])
      for (const id of ['r_2', '', 'R_1', 'r_%', '__proto__', 'constructor', "' OR 1=1 --"]) {
        same(await ledger.fetch(here, id), undefined, `id ${JSON.stringify(id)}`)
      }
    },
  },
  {
    name: 'finds nothing from another scope or thread',
    isIsolation: true,
    async check(ledger) {
      await record(ledger, here, [result('r_1')])
      for (const place of elsewhere) {
        same(await ledger.fetch(place, 'r_1'), undefined, JSON.stringify(place))
        same(await ledger.count(place), 0, `count of ${JSON.stringify(place)}`)
      }
    },
  },
  {
    name: 'keeps results of the same id apart by their place',
    isIsolation: true,
    async check(ledger) {
      const places = [here, ...elsewhere]
      for (const [index, place] of places.entries()) {
        await record(ledger, place, [result('r_1', { text: `text ${index}` })])
      }
      for (const [index, place] of places.entries()) {
        same((await ledger.fetch(place, 'r_1'))?.text, `text ${index}`, JSON.stringify(place))
      }
    },
  },
  {
    name: 'forgets the results of a released place, and no others',
    isIsolation: true,
    async check(ledger) {
      const places = [here, ...elsewhere]
      for (const place of places) await record(ledger, place, [result('r_1')])
      await ledger.release(here)
      same(await ledger.fetch(here, 'r_1'), undefined, 'the released result')
      same(await ledger.count(here), 0, 'the released count')
      for (const place of elsewhere) same(await ledger.count(place), 1, JSON.stringify(place))
      await ledger.release(here)
    },
  },
  {
    name: 'takes again what it has released',
    async check(ledger) {
      await record(ledger, here, [result('r_1', { text: 'first' })])
      await ledger.release(here)
      await record(ledger, here, [result('r_1', { text: 'second' })])
      same((await ledger.fetch(here, 'r_1'))?.text, 'second', 'text')
      same(await ledger.count(here), 1, 'count')
    },
  },
  {
    name: 'takes results at the same time without losing one',
    async check(ledger) {
      const results = Array.from({ length: 40 }, (_, index) => result(`r_${index}`))
      await Promise.all(results.map((one) => record(ledger, here, [one])))
      same(await ledger.count(here), results.length, 'count')
    },
  },
]

function result(id: string, about: Partial<RecordedResult> = {}): RecordedResult {
  return { id, toolCallId: `call of ${id}`, toolName: 'search', isError: false, text: id, ...about }
}

async function record(
  ledger: Ledger,
  place: LedgerPlace,
  results: readonly RecordedResult[],
): Promise<void> {
  const outcomes = await ledger.record(place, results)
  const refused = outcomes.find(({ stored }) => !stored)
  if (refused !== undefined) throw new Error(`It did not take a result: ${JSON.stringify(refused)}`)
}

/** Compares plain data, whatever the order of its keys. */
function same(actual: unknown, wanted: unknown, what: string): void {
  const [one, other] = [canonical(actual), canonical(wanted)]
  if (one === other) return
  const shown = (text: string) => (text.length > 200 ? `${text.slice(0, 200)}…` : text)
  throw new Error(`${what}: expected ${shown(other)}, got ${shown(one)}.`)
}

function canonical(value: unknown): string {
  if (value === undefined) return 'undefined'
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}

import { describe, expect, it } from 'vitest'
import { createInMemoryLedger } from '../in-memory-ledger.ts'
import type { Ledger, LedgerPlace, RecordedResult } from '../ledger.ts'
import { describeLedger, ledgerBehaviours } from './describe-ledger.ts'

/** A good ledger with one method made worse. */
function worse(change: (good: Ledger) => Partial<Ledger>): () => Ledger {
  return () => {
    const good = createInMemoryLedger()
    return { ...good, ...change(good) }
  }
}

const onePlace: LedgerPlace = { scopeKey: 'one', thread: 'one' }

const broken: { what: string; fails: string; create: () => Ledger }[] = [
  {
    what: 'that trims texts',
    fails: 'gives back what was recorded, byte for byte',
    create: worse((good) => ({
      record: (place, results) =>
        good.record(
          place,
          results.map((one) => ({ ...one, text: one.text.trim() })),
        ),
    })),
  },
  {
    what: 'that forgets error-ness',
    fails: 'gives back what was recorded, byte for byte',
    create: worse((good) => ({
      fetch: async (place, id) => {
        const found = await good.fetch(place, id)
        return found && { ...found, isError: false }
      },
    })),
  },
  {
    what: 'that answers once for many',
    fails: 'answers one outcome per result, in order',
    create: worse((good) => ({
      record: async (place, results) => (await good.record(place, results)).slice(0, 1),
    })),
  },
  {
    what: 'that counts recordings',
    fails: 'keeps a result once, however often it is recorded',
    create: () => {
      const good = createInMemoryLedger()
      let count = 0
      return {
        ...good,
        record: (place, results) => {
          count += results.length
          return good.record(place, results)
        },
        count: async () => count,
      }
    },
  },
  {
    what: 'that overwrites',
    fails: 'changes nothing when an id is recorded again',
    create: () => mapLedger(({ scopeKey, thread }) => JSON.stringify([scopeKey, thread])),
  },
  {
    what: 'that finds by a pattern',
    fails: 'finds nothing under an id that was never recorded',
    create: worse((good) => ({
      fetch: (place, id) => good.fetch(place, id.toLowerCase()),
    })),
  },
  {
    what: 'that knows one place only',
    fails: 'finds nothing from another scope or thread',
    create: worse((good) => ({
      record: (_, results) => good.record(onePlace, results),
      fetch: (_, id) => good.fetch(onePlace, id),
      count: () => good.count(onePlace),
      release: () => good.release(onePlace),
    })),
  },
  {
    what: 'that glues scope and thread together',
    fails: 'keeps results of the same id apart by their place',
    create: () => mapLedger(({ scopeKey, thread }) => scopeKey + thread),
  },
  {
    what: 'that compares scopes without case',
    fails: 'finds nothing from another scope or thread',
    create: () =>
      mapLedger(({ scopeKey, thread }) => JSON.stringify([scopeKey.toLowerCase(), thread])),
  },
  {
    what: 'that releases a whole scope',
    fails: 'forgets the results of a released place, and no others',
    create: worse((good) => ({
      release: async (place) => {
        await good.release(place)
        await good.release({ ...place, thread: 'thread-2' })
      },
    })),
  },
  {
    what: 'that releases nothing',
    fails: 'forgets the results of a released place, and no others',
    create: worse(() => ({ release: async () => {} })),
  },
  {
    what: 'that closes what it has released',
    fails: 'takes again what it has released',
    create: () => {
      const good = createInMemoryLedger()
      const closed = new Set<string>()
      return {
        ...good,
        record: async (place, results) =>
          closed.has(JSON.stringify(place))
            ? results.map(() => ({ stored: true }))
            : good.record(place, results),
        release: (place) => {
          closed.add(JSON.stringify(place))
          return good.release(place)
        },
      }
    },
  },
  {
    what: 'that loses what comes at the same time',
    fails: 'takes results at the same time without losing one',
    create: () => {
      let kept: RecordedResult[] = []
      return {
        ...createInMemoryLedger(),
        record: async (_, results) => {
          const before = kept
          await Promise.resolve()
          kept = [...before, ...results]
          return results.map(() => ({ stored: true }))
        },
        count: async () => kept.length,
      }
    },
  },
]

describe('the conformance suite of ledgers', () => {
  it.each(broken)('fails a ledger $what', async ({ fails, create }) => {
    expect(await failuresOf(create)).toContain(fails)
  })

  it('has a broken ledger for every behaviour', () => {
    const names = ledgerBehaviours.map(({ name }) => name)
    expect([...new Set(broken.map(({ fails }) => fails))].sort()).toEqual(names.sort())
  })

  it('passes a good one', async () => {
    expect(await failuresOf(() => createInMemoryLedger())).toEqual([])
  })

  it('shows what is skipped, with the reason', () => {
    const [behaviour = ''] = ledgerBehaviours.map(({ name }) => name)
    const shown: string[] = []
    const runner = {
      describe: (_: string, body: () => void) => body(),
      it: (name: string) => shown.push(`run ${name}`),
      skip: (name: string) => shown.push(`skip ${name}`),
    }
    describeLedger('x', createInMemoryLedger, { runner, skip: [{ behaviour, reason: 'no room' }] })
    expect(shown[0]).toBe(`skip ${behaviour} (no room)`)
    expect(shown).toHaveLength(ledgerBehaviours.length)
  })

  it.each(['finds nothing from another scope or thread', 'no such behaviour'])(
    'does not skip "%s"',
    (behaviour) => {
      const skip = [{ behaviour, reason: 'hard' }]
      expect(() =>
        describeLedger('x', createInMemoryLedger, { runner: { describe, it }, skip }),
      ).toThrow(behaviour)
    },
  )
})

async function failuresOf(create: () => Ledger): Promise<string[]> {
  const outcomes = await Promise.all(
    ledgerBehaviours.map(({ name, check }) =>
      check(create()).then(
        () => undefined,
        () => name,
      ),
    ),
  )
  return outcomes.filter((name) => name !== undefined)
}

/** A plain ledger over one map, with a key of one's choice. It overwrites. */
function mapLedger(keyOf: (place: LedgerPlace) => string): Ledger {
  const kept = new Map<string, Map<string, RecordedResult>>()
  return {
    async record(place, results) {
      const own = kept.get(keyOf(place)) ?? new Map()
      kept.set(keyOf(place), own)
      for (const result of results) own.set(result.id, result)
      return results.map(() => ({ stored: true }))
    },
    fetch: async (place, id) => kept.get(keyOf(place))?.get(id),
    count: async (place) => kept.get(keyOf(place))?.size ?? 0,
    release: async (place) => void kept.delete(keyOf(place)),
  }
}

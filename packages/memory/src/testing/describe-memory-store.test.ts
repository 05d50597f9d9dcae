import { describe, expect, it } from 'vitest'
import type { StoredEntry } from '../entry.ts'
import { MemoryError } from '../errors.ts'
import { createInMemoryStore } from '../in-memory-store.ts'
import type { Scope } from '../scope.ts'
import type { MemoryStore, SearchOptions } from '../store.ts'
import {
  checkBehaviour,
  describeMemoryStore,
  type StoreBehaviourName,
  storeBehaviours,
} from './describe-memory-store.ts'

/** A good store with one thing made worse. */
function worse(change: (good: MemoryStore) => Partial<MemoryStore>): () => MemoryStore {
  return () => {
    const good = createInMemoryStore()
    return { ...good, ...change(good) }
  }
}

/** A good store that reads another scope than it was given. */
function rescoped(read: (scope: Scope) => Scope): () => MemoryStore {
  return worse((good) => ({
    write: (scope, write) => good.write(read(scope), write),
    get: (scope, ids) => good.get(read(scope), ids),
    list: (scope, options) => good.list(read(scope), options),
    search: (scope, text, options) => good.search(read(scope), text, options),
    searchVector: (scope, vector, options) => good.searchVector(read(scope), vector, options),
    neighbours: (scope, places, options) => good.neighbours(read(scope), places, options),
    linked: (scope, ids, options) => good.linked(read(scope), ids, options),
    touch: (scope, ids, options) => good.touch(read(scope), ids, options),
    remove: (scope, selector) => good.remove(read(scope), selector),
    describe: (scope) => good.describe(read(scope)),
    export: (scope) => good.export(read(scope)),
    jobs: {
      ...good.jobs,
      enqueue: (scope, job) => good.jobs.enqueue(read(scope), job),
      count: (scope) => good.jobs.count(read(scope)),
    },
  }))
}

/** Every key of a filter but the status, which has a default. */
const filterKeys = [
  ...['layers', 'label', 'kind', 'subject', 'source', 'sourceTag', 'turnId', 'sessionId'],
  ...['occurredFrom', 'occurredBefore', 'dueUntil'],
]

/** The same search with one key of the filter left out. */
function without(key: string, { limit, filter = {} }: SearchOptions): SearchOptions {
  return {
    limit,
    filter: Object.fromEntries(Object.entries(filter).filter(([each]) => each !== key)),
  }
}

const broken: { what: string; fails: StoreBehaviourName; create: () => MemoryStore }[] = [
  {
    what: 'that leaks users of a tenant into each other',
    fails: 'keeps-scopes-apart',
    create: rescoped((scope) => (scope?.tenantId ? { tenantId: scope.tenantId } : scope)),
  },
  {
    what: 'that compares tenants without case',
    fails: 'sees-nothing-elsewhere',
    create: rescoped((scope) =>
      scope?.tenantId ? { ...scope, tenantId: scope.tenantId.toLowerCase() } : scope,
    ),
  },
  {
    what: 'that takes a missing scope for all',
    fails: 'requires-a-scope',
    create: rescoped((scope) => (scope?.tenantId ? scope : { tenantId: 'acme', userId: 'ann' })),
  },
  {
    what: 'that reads what a tenant wrote for everybody',
    fails: 'removes-one-scope-only',
    create: worse((good) => ({
      export: async function* (scope) {
        yield* good.export(scope)
        if (scope.userId !== undefined) yield* good.export({ tenantId: scope.tenantId })
      },
    })),
  },
  {
    what: 'that empties the tenant with one of its users',
    fails: 'removes-one-scope-only',
    create: worse((good) => ({
      remove: async (scope, selector) => {
        if ('everything' in selector && scope.userId !== undefined) {
          await good.remove({ tenantId: scope.tenantId }, selector)
        }
        return good.remove(scope, selector)
      },
    })),
  },
  {
    what: 'that loses an update',
    fails: 'keeps-every-update',
    create: worse((good) => ({
      write: (scope, { put = [], ...rest }) =>
        good.write(scope, { ...rest, put: put.map(({ expectedVersion: _, ...each }) => each) }),
    })),
  },
  {
    what: 'that writes half of a batch',
    fails: 'writes-all-or-nothing',
    create: worse((good) => ({
      write: async (scope, { put = [], ...rest }) => {
        for (const each of put.slice(0, -1)) await good.write(scope, { put: [each] })
        return good.write(scope, { ...rest, put: put.slice(-1) })
      },
    })),
  },
  {
    what: 'that writes a turn again when it is retried',
    fails: 'writes-once',
    create: worse((good) => ({
      write: (scope, { put = [], ...rest }) =>
        good.write(scope, { ...rest, put: put.map(({ ifExists: _, ...each }) => each) }),
    })),
  },
  {
    what: 'that still finds the words of what was removed',
    fails: 'removes-for-good',
    create: worse((good) => {
      const found = new Map<string, readonly { id: string; score: number }[]>()
      return {
        remove: async (scope, selector) => {
          const before = await good.search(scope, 'zeppelin', { limit: 9 })
          found.set('zeppelin', before)
          return good.remove(scope, selector)
        },
        search: async (scope, text, options) =>
          found.get(text) ?? (await good.search(scope, text, options)),
      }
    }),
  },
  {
    what: 'that hands one job to every worker',
    fails: 'hands-a-job-to-one-worker',
    create: worse((good) => ({
      jobs: { ...good.jobs, claim: (options) => good.jobs.claim({ ...options, leaseMs: 1 }) },
    })),
  },
  {
    what: 'that lets a job take effect twice',
    fails: 'completes-a-job-once',
    create: worse((good) => ({
      write: async (scope, { completes, ...write }) => {
        const outcome = await good.write(scope, write)
        if (completes !== undefined) await good.jobs.complete(scope, completes)
        return outcome
      },
    })),
  },
  {
    what: 'that hands out its own objects',
    fails: 'answers-copies',
    create: worse((good) => {
      const kept = new Map<string, StoredEntry>()
      return {
        get: async (scope, ids) =>
          (await good.get(scope, ids)).map((entry) => {
            const mine = kept.get(entry.id) ?? { ...entry }
            kept.set(entry.id, mine)
            return mine
          }),
      }
    }),
  },
  {
    what: 'that pages by where it believes to be',
    fails: 'pages-without-gaps',
    create: worse((good) => ({
      list: async (scope, options) => {
        const { entries, next } = await good.list(scope, options)
        return { entries: options?.cursor ? entries.slice(1) : entries, ...(next && { next }) }
      },
    })),
  },
  {
    what: 'that searches in ASCII only',
    fails: 'finds-any-script',
    create: worse((good) => ({
      search: (scope, text, options) => good.search(scope, text.replace(/[^ -~]/gu, ' '), options),
    })),
  },
  ...filterKeys.flatMap((key) => [
    {
      what: `that searches words without a look at ${key}`,
      fails: 'filters-text-searches' as const,
      create: worse((good) => ({
        search: (scope, text, options) => good.search(scope, text, without(key, options)),
      })),
    },
    {
      what: `that searches vectors without a look at ${key}`,
      fails: 'filters-vector-searches' as const,
      create: worse((good) => ({
        searchVector: (scope, vector, options) =>
          good.searchVector(scope, vector, without(key, options)),
      })),
    },
  ]),
  {
    what: 'that finds by words what was superseded',
    fails: 'filters-text-searches',
    create: worse((good) => ({
      search: (scope, text, options) =>
        good.search(scope, text, { ...options, filter: { status: 'all', ...options.filter } }),
    })),
  },
  {
    what: 'that finds by words what was superseded where it is given no filter',
    fails: 'filters-text-searches',
    create: worse((good) => ({
      search: (scope, text, { limit, filter = { status: 'all' } }) =>
        good.search(scope, text, { limit, filter }),
    })),
  },
  {
    what: 'that finds by vectors what was superseded where it is given no filter',
    fails: 'filters-vector-searches',
    create: worse((good) => ({
      searchVector: (scope, vector, { limit, filter = { status: 'all' } }) =>
        good.searchVector(scope, vector, { limit, filter }),
    })),
  },
  {
    what: 'that finds twenty by words',
    fails: 'gives-the-most',
    create: worse((good) => ({
      search: async (...asked) => (await good.search(...asked)).slice(0, 20),
    })),
  },
  {
    what: 'that finds twenty by vectors',
    fails: 'gives-the-most',
    create: worse((good) => ({
      searchVector: async (...asked) => (await good.searchVector(...asked)).slice(0, 20),
    })),
  },
  {
    what: 'that gets a hundred',
    fails: 'gives-the-most',
    create: worse((good) => ({
      get: async (...asked) => (await good.get(...asked)).slice(0, 100),
    })),
  },
  {
    what: 'that touches a hundred',
    fails: 'gives-the-most',
    create: worse((good) => ({
      touch: (scope, ids, options) => good.touch(scope, ids.slice(0, 100), options),
    })),
  },
  {
    what: 'that exports a thousand',
    fails: 'gives-the-most',
    create: worse((good) => ({
      export: async function* (scope) {
        let left = 1_000
        for await (const entry of good.export(scope)) {
          if (left === 0) return
          left -= 1
          yield entry
        }
      },
    })),
  },
  {
    what: 'that ranks as it did at first sight',
    fails: 'ranks-what-is-there-now',
    create: worse((good) => {
      const seen = new Map<string, string[]>()
      return {
        search: async (scope, text, options) => {
          const ranked = await good.search(scope, text, options)
          const key = JSON.stringify([scope, text])
          const first = seen.get(key) ?? ranked.map(({ id }) => id)
          seen.set(key, first)
          const place = (id: string) => (first.includes(id) ? first.indexOf(id) : first.length)
          return [...ranked].sort((one, other) => place(one.id) - place(other.id))
        },
      }
    }),
  },
  {
    what: 'that refuses a text that fills its index',
    fails: 'takes-the-longest',
    create: worse((good) => ({
      write: async (scope, write) => {
        if (write.put?.some(({ entry }) => new Set(entry.content).size > 10_000)) {
          throw new MemoryError('MEMORY_STORE_FAILED', 'The index is full. Write less.')
        }
        return good.write(scope, write)
      },
    })),
  },
]

describe('describeMemoryStore', () => {
  it.each(broken)('fails a store $what', async ({ fails, create }) => {
    const behaviour = storeBehaviours.find(({ name }) => name === fails)
    if (behaviour === undefined) throw new Error(`No behaviour is called ${fails}.`)
    await expect(checkBehaviour(behaviour, create)).rejects.toThrow(Error)
    // For the right reason: the store it was made of passes.
    await checkBehaviour(behaviour, () => createInMemoryStore())
  })

  it('is failed by at least ten stores, each by a behaviour that says what is wrong', () => {
    expect(broken.length).toBeGreaterThanOrEqual(10)
    expect(new Set(broken.map(({ fails }) => fails)).size).toBeGreaterThanOrEqual(10)
  })

  it('asks a store for no search that it declares it cannot do, and sees that it refuses', async () => {
    const behaviour = storeBehaviours.find(({ name }) => name === 'ranks-by-vector')
    if (behaviour === undefined) throw new Error('The behaviour is gone.')
    const blind = (searchVector: MemoryStore['searchVector']) =>
      worse((good) => ({
        capabilities: { ...good.capabilities, ranksByVector: false },
        searchVector,
      }))
    const refusing = blind(async () => {
      throw new MemoryError('MEMORY_STORE_UNSUPPORTED', 'No vectors. Search by text.')
    })
    await checkBehaviour(behaviour, refusing)
    // An empty answer would look like one.
    const silent = blind(async () => [])
    await expect(checkBehaviour(behaviour, silent)).rejects.toThrow(/MEMORY_STORE_UNSUPPORTED/)
  })

  it.each(storeBehaviours.filter((behaviour) => behaviour.isIsolation))(
    'refuses to skip what keeps tenants apart: $name',
    ({ name }) => {
      const runner = { describe: () => {}, it: () => {} }
      const skip = [{ behaviour: name, reason: 'we trust our tenants' }]
      expect(() =>
        describeMemoryStore('lax', () => createInMemoryStore(), { runner, skip }),
      ).toThrow(/keeps tenants apart/)
    },
  )

  it('shows a skipped behaviour as skipped, with its reason, and needs one', () => {
    const shown: string[] = []
    const runner = {
      describe: (_: string, body: () => void) => body(),
      it: () => {},
      skip: (title: string) => shown.push(title),
    }
    const suite = (reason: string) =>
      describeMemoryStore('small', () => createInMemoryStore(), {
        runner,
        skip: [{ behaviour: 'follows-links', reason }],
      })
    suite('it keeps no links')
    expect(shown).toEqual([
      'follows links from either end, to what is there and current (it keeps no links)',
    ])
    expect(() => suite(' ')).toThrow(/no reason/)
  })

  it('refuses a skip of what does not exist', () => {
    const runner = { describe: () => {}, it: () => {} }
    const skip = [{ behaviour: 'flies' as StoreBehaviourName, reason: 'no wings' }]
    expect(() =>
      describeMemoryStore('small', () => createInMemoryStore(), { runner, skip }),
    ).toThrow(/No behaviour/)
  })
})

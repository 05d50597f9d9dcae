import type { MemoryStore } from '../store.ts'
import type { StoreBehaviour } from './behaviour.ts'
import { entryBehaviours } from './entry-behaviours.ts'
import { refuses } from './expect.ts'
import { isolationBehaviours } from './isolation-behaviours.ts'
import { jobBehaviours } from './job-behaviours.ts'
import { limitBehaviours } from './limit-behaviours.ts'
import { listingBehaviours } from './listing-behaviours.ts'
import { here } from './sample.ts'
import { searchBehaviours } from './search-behaviours.ts'

/** The parts of a test runner that are needed: those of vitest, of `node:test`, and of most others. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown
  it(name: string, body: () => Promise<void>): unknown
  /** Shows a test as skipped. Needed only where something is skipped. */
  skip?(name: string): unknown
}

/** Everything a store does, in the order in which it is checked. */
export const storeBehaviours = [
  ...isolationBehaviours,
  ...entryBehaviours,
  ...listingBehaviours,
  ...searchBehaviours,
  ...jobBehaviours,
  ...limitBehaviours,
] as const

/** The name of a behaviour, for a skip. */
export type StoreBehaviourName = (typeof storeBehaviours)[number]['name']

/** A behaviour that a store does not have, and why. It shows as skipped, never as passed. */
export interface StoreSkip {
  readonly behaviour: StoreBehaviourName
  readonly reason: string
}

/** How the suite runs, and what a store may be excused from. */
export interface DescribeStoreOptions {
  readonly runner: TestRunner
  /** Behaviours it lacks. What keeps tenants apart cannot be skipped. */
  readonly skip?: readonly StoreSkip[]
}

/**
 * The conformance suite of the `MemoryStore` contract, for any store anyone writes (DESIGN decision 11).
 *
 * Of a search that the store declares it cannot do, the refusal is checked. Each store is closed after
 * its test.
 *
 * @param createStore - Called before each test for an empty store.
 * @throws Error for a skip that names no behaviour, gives no reason, or must not be skipped.
 */
export function describeMemoryStore(
  name: string,
  createStore: () => MemoryStore | Promise<MemoryStore>,
  { runner, skip = [] }: DescribeStoreOptions,
): void {
  const behaviours: readonly StoreBehaviour[] = storeBehaviours
  for (const { behaviour, reason } of skip) {
    const found = behaviours.find((each) => each.name === behaviour)
    if (found === undefined) throw new Error(`No behaviour is called "${behaviour}".`)
    if (reason.trim() === '') throw new Error(`The skip of "${behaviour}" gives no reason.`)
    if (found.isIsolation) throw new Error(`"${behaviour}" keeps tenants apart: it is not skipped.`)
  }
  runner.describe(`the memory store ${name}`, () => {
    for (const behaviour of behaviours) {
      const skipped = skip.find((each) => each.behaviour === behaviour.name)
      if (skipped !== undefined) runner.skip?.(`${behaviour.title} (${skipped.reason})`)
      else runner.it(behaviour.title, async () => checkBehaviour(behaviour, createStore))
    }
  })
}

/**
 * Checks one behaviour on a store of its own. A search behaviour of a store that declares it cannot
 * search passes when `search` refuses as it must.
 */
export async function checkBehaviour(
  behaviour: StoreBehaviour,
  createStore: () => MemoryStore | Promise<MemoryStore>,
): Promise<void> {
  const store = await createStore()
  try {
    if (behaviour.needs !== undefined && !store.capabilities[behaviour.needs]) {
      await refusesTheSearch(store, behaviour.needs)
    } else await behaviour.check(store)
  } finally {
    await store.close()
  }
}

async function refusesTheSearch(
  store: MemoryStore,
  needs: 'ranksByText' | 'ranksByVector',
): Promise<void> {
  await refuses('MEMORY_STORE_UNSUPPORTED', `a search without ${needs}`, () =>
    needs === 'ranksByText'
      ? store.search(here, 'words', { limit: 1 })
      : store.searchVector(here, new Float32Array([1]), { limit: 1 }),
  )
}

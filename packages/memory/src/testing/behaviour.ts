import type { MemoryStore } from '../store.ts'

/** One thing that every store does. `check` rejects, with what is wrong, when it does not. */
export interface StoreBehaviour<Name extends string = string> {
  readonly name: Name
  /** The same as a sentence, for the title of a test. */
  readonly title: string
  /** It keeps tenants apart: no store may be excused from it. */
  readonly isIsolation?: boolean
  /** Whether a store that declares what it declares can be asked at all. */
  readonly needs?: 'ranksByText' | 'ranksByVector'
  readonly check: (store: MemoryStore) => Promise<void>
}

/** Keeps the names of behaviours as literals, so that skips are typed. */
export function defineBehaviours<const Name extends string>(
  behaviours: readonly StoreBehaviour<Name>[],
): readonly StoreBehaviour<Name>[] {
  return behaviours
}

import type { StatePredicate } from '@symfonic/predicates'
import type { PathKeys } from './path-keys.ts'
import { isPossible, placesOf } from './places.ts'
import { valueTexts } from './value-texts.ts'

/** A predicate, and what it takes to tell which others it can contradict. */
export interface Demand extends Trail {
  /** The same for two predicates exactly when they say the same of the same place. */
  readonly id: number
  readonly predicate: StatePredicate
}

/** Where a path leads. */
export interface Trail {
  /** The places on the way, from the outside in, and the path's own at the end. */
  readonly trail: readonly string[]
  /** Whether some segment has a key of its own, so that other predicates decide what it means. */
  readonly isLoose: boolean
}

/** Says where a path leads. */
export function trailOf(path: string, pathKeys: PathKeys): Trail {
  const trail: string[] = []
  let isLoose = false
  for (const { family, written } of pathKeys(path)) {
    trail.push(`${trail.at(-1) ?? ''}/${family}`)
    isLoose ||= written !== undefined
  }
  return { trail, isLoose }
}

/**
 * Says whether some state satisfies all of a set of demands.
 *
 * Predicates bear on each other only when one speaks of a value that the other speaks of, or that
 * the other's lies in. So a set is taken apart into such groups, each is judged by itself, and the
 * answer is remembered: most sets are new, and nearly all groups are not.
 */
export function createCompatibility(pathKeys: PathKeys): (demands: ReadonlySet<Demand>) => boolean {
  const answers = new Map<string, boolean>()
  const isGroupPossible = (group: readonly Demand[]): boolean => {
    const [only] = group
    // Alone, a predicate holds somewhere, unless it is about membership in nothing.
    if (only !== undefined && group.length === 1) {
      return only.predicate.op !== 'in' || valueTexts(only.predicate).size > 0
    }
    const key = group
      .map(({ id }) => id)
      .sort((one, other) => one - other)
      .join()
    let answer = answers.get(key)
    if (answer === undefined) {
      const predicates = group.map(({ predicate }) => predicate)
      answer = isPossible(placesOf(predicates, pathKeys))
      answers.set(key, answer)
    }
    return answer
  }
  return (demands) => {
    for (const group of groupsOf(demands)) if (!isGroupPossible(group)) return false
    return true
  }
}

/** Demands by the outermost place that they share with a predicate on that very place. */
function groupsOf(demands: ReadonlySet<Demand>): Iterable<readonly Demand[]> {
  const roots = new Set<string | undefined>()
  for (const { trail, isLoose } of demands) roots.add(isLoose ? trail[0] : trail.at(-1))
  const groups = new Map<string | undefined, Demand[]>()
  for (const demand of demands) {
    const root = demand.trail.find((place) => roots.has(place))
    const group = groups.get(root)
    if (group === undefined) groups.set(root, [demand])
    else group.push(demand)
  }
  return groups.values()
}

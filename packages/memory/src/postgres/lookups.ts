import type { Measure } from './partition-measure.ts'
import { quoteTerm } from './term-vector.ts'

/** What one statement looks up: three lists with a place for each term. */
export interface Lookups {
  /** The terms, as queries. */
  readonly terms: readonly string[]
  /** Which entries are read for the term, as a query. */
  readonly where: readonly string[]
  /** The rarity of the term; null where the statement counts it. */
  readonly rarities: readonly (number | null)[]
}

/** A term that was put off. */
interface CommonTerm {
  /** As a query. */
  readonly term: string
  readonly rarity: number
}

/** How a query is looked up: first what has a rare term, then, where need be, the rest. */
export interface LookupPlan {
  readonly first: Lookups
  /** All entries that `first` finds, as a query. */
  readonly rare: string
  /** The terms that `first` only counts for what has a rare one as well. */
  readonly common: readonly CommonTerm[]
}

/** Terms that are put off at most: every set of them is weighed. */
const mostPutOff = 4

/** The server reckons in single precision. */
const tolerance = 0.999

/**
 * Plans a search. The common terms of a large partition match most of what is matched and say least, so
 * they are put off. One term is always looked up, if need be the rarest of the common ones.
 *
 * @param terms - Each once, behind the tag of their partition.
 */
export function planLookups(terms: readonly string[], { entries, common }: Measure): LookupPlan {
  const rarities = new Map<string, number>()
  for (const term of terms) {
    const share = common.get(term)
    if (share !== undefined) rarities.set(term, rarityOf(share * entries, entries))
  }
  const putOff = [...rarities]
    .map(([term, rarity]) => ({ term, rarity }))
    .sort((one, other) => one.rarity - other.rarity)
    .slice(0, Math.min(mostPutOff, Math.max(0, terms.length - 1)))
  const rare = terms.filter((term) => putOff.every((each) => each.term !== term))
  const anyRare = anyOf(rare.map(quoteTerm))
  const all = [...rare, ...putOff.map(({ term }) => term)]
  return {
    first: {
      terms: all.map(quoteTerm),
      where: all
        .map(quoteTerm)
        .map((query, at) => (at < rare.length ? query : `${query} & ${anyRare}`)),
      rarities: all.map((term) => rarities.get(term) ?? null),
    },
    rare: anyRare,
    common: putOff.map(({ term, rarity }) => ({ term: quoteTerm(term), rarity })),
  }
}

/**
 * What is left to look up: entries without a rare term whose common ones together may be worth as much
 * as the last of the best so far.
 *
 * @param options.least - The score of the last place; 0 where places are free.
 * @param options.mostOfTerm - What a term is worth at most, times its rarity.
 * @returns undefined where no other entry can be among the best.
 */
export function nextLookups(
  { rare, common }: LookupPlan,
  { least, mostOfTerm }: { least: number; mostOfTerm: number },
): Lookups | undefined {
  const isEnough = (set: readonly CommonTerm[]): boolean =>
    set.reduce((sum, { rarity }) => sum + rarity, 0) * mostOfTerm >= least * tolerance
  // From the rarest on: a set that is enough without its commonest term is there without it.
  const sets = subsetsOf(common.toReversed()).filter((set) => {
    return isEnough(set) && (set.length === 1 || !isEnough(set.slice(0, -1)))
  })
  if (sets.length === 0) return undefined
  const worthy = anyOf(sets.map((set) => set.map(({ term }) => term).join(' & ')))
  const terms = common.map(({ term }) => term)
  return {
    terms,
    where: terms.map((term) => `${term} & ${worthy} & !${rare}`),
    rarities: common.map(({ rarity }) => rarity),
  }
}

/** How much a term tells by being in no more than so many of the entries. */
function rarityOf(found: number, entries: number): number {
  return Math.log(1 + (Math.max(entries - found, 0) + 0.5) / (found + 0.5))
}

/** All sets of one or more, each in the order given. */
function subsetsOf(terms: readonly CommonTerm[]): CommonTerm[][] {
  let sets: CommonTerm[][] = [[]]
  for (const term of terms) sets = [...sets, ...sets.map((set) => [...set, term])]
  return sets.slice(1)
}

function anyOf(queries: readonly string[]): string {
  return `(${queries.join(' | ')})`
}

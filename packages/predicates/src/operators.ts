import { equalsJson } from './equality.ts'

/** The operators of a state predicate. The set is closed. @see PRED-07 */
export type PredicateOperator = 'eq' | 'neq' | 'in' | 'exists'

/** Answers for one predicate whether a value found in the state satisfies it. */
export type OperatorTest = (seen: unknown) => boolean

interface Operator {
  /** Whether `value` must be written. @see PRED-14 */
  readonly takesValue: boolean
  /** Prepares the test for one expected value. It is only asked about values that were found. */
  readonly prepare: (expected: unknown) => OperatorTest
}

/**
 * The one table of operators. A path that does not resolve never reaches it: a missing value fails
 * every operator, `neq` included (PRED-21), so `exists` holds for whatever gets this far (PRED-12).
 *
 * @see PRED-07, PRED-09, PRED-10, PRED-11, PRED-12
 */
export const operators: Readonly<Record<PredicateOperator, Operator>> = Object.freeze({
  eq: Object.freeze({ takesValue: true, prepare: prepareEquals }),
  neq: Object.freeze({ takesValue: true, prepare: prepareDiffers }),
  in: Object.freeze({ takesValue: true, prepare: prepareMember }),
  exists: Object.freeze({ takesValue: false, prepare: prepareExists }),
})

/** True when the value names one of the four operators, exactly as written. */
export function isPredicateOperator(value: unknown): value is PredicateOperator {
  return typeof value === 'string' && Object.hasOwn(operators, value)
}

/**
 * What to do about an operator that does not exist: why it is held back, or which of the four says
 * the same.
 *
 * @see PRED-08, PRED-22
 */
export function operatorAdvice(written: string): string {
  const name = written.toLowerCase()
  if (isPredicateOperator(name)) return `Write "${name}": operators are lower case.`
  const deferred = deferredReasons.get(name)
  if (deferred !== undefined) return deferred
  const instead = otherSpellings.get(name)
  return instead === undefined ? 'Use one of eq, neq, in, exists.' : `Use ${instead}.`
}

const compareBefore =
  'It is deferred. Compare where the state is written, keep the answer under a key of its own, and ask for it with "eq".'

const deferredReasons: ReadonlyMap<string, string> = new Map([
  ['lt', compareBefore],
  ['gt', compareBefore],
  ['contains', compareBefore],
  [
    'regex',
    'It is deferred because a pattern supplied by an author can be made to run for ever (ReDoS). Match where the state is written and use "eq", or list the values with "in".',
  ],
])

const otherSpellings: ReadonlyMap<string, string> = new Map([
  ['=', '"eq"'],
  ['==', '"eq"'],
  ['===', '"eq"'],
  ['equals', '"eq"'],
  ['is', '"eq"'],
  ['!=', '"neq"'],
  ['!==', '"neq"'],
  ['ne', '"neq"'],
  ['not', '"neq"'],
  ['not_eq', '"neq"'],
  ['one_of', '"in"'],
  ['oneof', '"in"'],
  ['any_of', '"in"'],
  ['nin', 'one "neq" entry for each value'],
  ['not_in', 'one "neq" entry for each value'],
  ['exist', '"exists"'],
  ['has', '"exists"'],
  ['present', '"exists"'],
])

function prepareEquals(expected: unknown): OperatorTest {
  if (isScalar(expected)) return (seen) => seen === expected
  return (seen) => equalsJson(seen, expected)
}

function prepareDiffers(expected: unknown): OperatorTest {
  if (isScalar(expected)) return (seen) => seen !== expected
  return (seen) => !equalsJson(seen, expected)
}

/** From this many scalars on, hashing beats looking at each one. */
const worthHashing = 16

function prepareMember(expected: unknown): OperatorTest {
  const list = expected as readonly unknown[]
  if (!list.every(isScalar)) {
    return (seen) => {
      for (let index = 0; index < list.length; index += 1) {
        if (equalsJson(seen, list[index])) return true
      }
      return false
    }
  }
  if (list.length < worthHashing) {
    return (seen) => {
      for (let index = 0; index < list.length; index += 1) {
        if (seen === list[index]) return true
      }
      return false
    }
  }
  // A set agrees with === on scalars: -0 is 0, and NaN cannot be in a list that was parsed.
  const members: ReadonlySet<unknown> = new Set(list)
  return (seen) => members.has(seen)
}

function prepareExists(): OperatorTest {
  return () => true
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null
}

import assert from 'node:assert/strict'
import { evaluatePredicate, PredicateError, parsePrecondition } from '@symfonic/predicates'
import type { Harnesses } from '../run-vectors.ts'
import type { Vector } from '../vectors.ts'

/** The vector kinds that `@symfonic/predicates` answers. */
export const predicates: Harnesses = {
  'predicate.evaluate': evaluate,
  'precondition.validate': validate,
}

function evaluate({ input, expected }: Vector): void {
  const { state, predicate } = input as { state: object; predicate: object }
  const [parsed] = parsePrecondition([{ state: predicate }]).predicates
  assert(parsed !== undefined, 'a state entry must give a predicate')
  const { holds } = expected as { holds: boolean }
  assert.equal(evaluatePredicate(parsed, state), holds)
}

function validate({ input, expected }: Vector): void {
  const { precondition } = input as { precondition: unknown }
  const { valid } = expected as { valid: boolean }
  assert.equal(isAccepted(precondition), valid)
}

/** A refusal must be our own error: a crash over malformed input is not a refusal. */
function isAccepted(precondition: unknown): boolean {
  try {
    parsePrecondition(precondition)
    return true
  } catch (error) {
    if (error instanceof PredicateError) return false
    throw error
  }
}

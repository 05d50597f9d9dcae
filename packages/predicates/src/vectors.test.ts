import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { describeDrop } from './describe.ts'
import { PredicateError } from './errors.ts'
import { evaluatePredicate } from './evaluate.ts'
import { explainPredicate } from './explain.ts'
import { parsePrecondition, type StatePredicate } from './precondition.ts'

const file = new URL('../../../../shared/spec/vectors.json', import.meta.url)
const present = existsSync(file)

interface Vector {
  id: string
  kind: string
  title: string
  input: Record<string, unknown>
  expected: Record<string, unknown>
}

const vectors: Vector[] = present ? JSON.parse(readFileSync(file, 'utf8')).vectors : []
const ofKind = (kind: string) => vectors.filter((vector) => vector.kind === kind)

describe.skipIf(!present)('the conformance vectors', () => {
  it('has vectors of every kind this package answers for', () => {
    expect(ofKind('predicate.evaluate').length).toBeGreaterThan(0)
    expect(ofKind('precondition.validate').length).toBeGreaterThan(0)
    expect(ofKind('preflight.debugLine').length).toBeGreaterThan(0)
  })

  it.each(ofKind('predicate.evaluate'))('$id $title', ({ input, expected }) => {
    const predicate = parse(input['predicate'])
    expect(evaluatePredicate(predicate, input['state'])).toBe(expected['holds'])
    expect(explainPredicate(predicate, input['state']).holds).toBe(expected['holds'])
  })

  it.each(ofKind('precondition.validate'))('$id $title', ({ input, expected }) => {
    const parsing = () => parsePrecondition(input['precondition'])
    if (expected['valid'] === true) expect(parsing).not.toThrow()
    else expect(parsing).toThrow(PredicateError)
  })

  it.each(ofKind('preflight.debugLine'))('$id $title', ({ input, expected }) => {
    const explanation = explainPredicate(parse(input['predicate']), input['state'])
    expect(describeDrop(String(input['skillName']), explanation)).toBe(expected['line'])
  })
})

function parse(state: unknown): StatePredicate {
  const [predicate] = parsePrecondition([{ state }]).predicates
  if (predicate === undefined) throw new Error('a state entry parses to one predicate')
  return predicate
}

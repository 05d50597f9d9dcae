import { existsSync, readFileSync } from 'node:fs'
import { evaluatePrecondition, resolvePath, type StatePredicate } from '@symfonic/predicates'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { filterSkillsByStatePredicates } from '../select-skills.ts'
import type { Skill } from '../skill.ts'
import { loadSkillsFromYaml } from './read-skills.ts'

// Conditions of flows and rules that people wrote for another system, set as preconditions in YAML.
// What the four operators cannot say is set aside and counted, never bent to fit.

const data = new URL('../../../../../shared/data/procedural-flows/flows.jsonl', import.meta.url)
const present = existsSync(data)

interface Clause {
  path: string
  op: string
  value?: unknown
}

interface Flow {
  id: string
  name: string
  conditions: { where: string; clauses: Clause[] | null }[]
  stepSlotEvents?: Clause[]
}

const flows = (present ? readFileSync(data, 'utf8').trim().split('\n') : []).map(
  (line) => JSON.parse(line) as Flow,
)

/** A condition, or a slot event of a step, which is the condition that holds after it. */
const conditions = flows.flatMap(({ id, conditions, stepSlotEvents = [] }) => [
  ...conditions.map(({ where, clauses }) => ({ id, where, clauses })),
  ...stepSlotEvents.map((clause) => ({ id, where: 'step event', clauses: [clause] })),
])

/** What was set aside, by reason. */
const asides = new Map<string, number>([
  ['null: the data set has no clause for it', 0],
  ['truthy: no operator asks for truth', 0],
])

const rules = conditions.flatMap(({ id, where, clauses }, index) => {
  const reason = asideReason(clauses)
  if (reason === undefined && clauses !== null) {
    const label = `${index} ${id} (${where})`
    return [{ label, action_tool: 'act', precondition: clauses.map(entryOf) }]
  }
  const counted = reason ?? ''
  asides.set(counted, (asides.get(counted) ?? 0) + 1)
  return []
})

function asideReason(clauses: Clause[] | null): string | undefined {
  if (clauses === null) return 'null: the data set has no clause for it'
  const odd = clauses.find(({ op }) => !['eq', 'neq', 'in', 'exists'].includes(op))?.op
  if (odd === undefined) return undefined
  return odd === 'truthy' ? 'truthy: no operator asks for truth' : `${odd}: no such operator`
}

/**
 * `exists: false` stands for a slot that was set to null. `exists` asks for presence and takes no
 * value (PRED-12, PRED-14), so the entry says what the author wrote: the slot equals null.
 */
function entryOf(clause: Clause) {
  const { path, op, value } = clause
  if (isClearedSlot(clause)) return { state: { path, op: 'eq', value: null } }
  return { state: op === 'exists' ? { path, op } : { path, op, value } }
}

function isClearedSlot({ op, value }: Clause): boolean {
  return op === 'exists' && value === false
}

const clearedSlots = conditions
  .filter(({ clauses }) => asideReason(clauses) === undefined)
  .flatMap(({ clauses }) => clauses ?? [])
  .filter(isClearedSlot).length

describe.skipIf(!present)('conditions of published flows and rules', () => {
  const loaded = present ? loadSkillsFromYaml(stringify({ skills: rules })) : []

  it('with eq, neq, in and exists all load', () => {
    expect(flows.length).toBeGreaterThan(0)
    expect(loaded).toHaveLength(rules.length)
    const asideCount = [...asides.values()].reduce((sum, count) => sum + count, 0)
    expect(loaded.length + asideCount).toBe(conditions.length)
    const clauses = loaded.flatMap(({ precondition }) => precondition.predicates)
    console.log(
      [
        `procedural flows: ${clauses.length} clauses of ${loaded.length} conditions load, ${clearedSlots} of them as eq null; set aside:`,
        ...[...asides].map(([reason, count]) => `- ${count} ${reason}`),
      ].join('\n'),
    )
    expect(clauses.length).toBeGreaterThan(0)
  })

  it('hold in the state that they describe', () => {
    for (const { label, precondition } of loaded) {
      expect(
        evaluatePrecondition(precondition, describedState(precondition.predicates)),
        label,
      ).toBe(true)
    }
  })

  it('do not hold when one clause is not met, or nothing is known', () => {
    for (const skill of loaded) {
      for (const predicate of skill.precondition.predicates) {
        for (const state of unmetStates(skill, predicate)) {
          const { active, dropped } = filterSkillsByStatePredicates([skill], state)
          expect(active, skill.label).toEqual([])
          expect(dropped).toHaveLength(1)
        }
      }
    }
  })
})

/** A state in which every predicate holds. */
function describedState(predicates: readonly StatePredicate[]): object {
  const state = {}
  for (const { path, op, value } of predicates) {
    if (op === 'eq') set(state, path, value)
    if (op === 'neq') set(state, path, `other than ${JSON.stringify(value)}`)
    if (op === 'in') set(state, path, (value as unknown[])[0])
    if (op === 'exists' && !resolvePath(path, state).found) set(state, path, false)
  }
  return state
}

/** The described state without what the predicate is about, and with another value there. */
function unmetStates({ precondition }: Skill, { path, op, value }: StatePredicate): object[] {
  const other = op === 'neq' ? value : ['no such value']
  const changed = describedState(precondition.predicates)
  set(changed, path, other)
  return op === 'exists' ? [{}] : [{}, changed]
}

function set(state: object, path: string, value: unknown): void {
  const segments = path.split('.')
  const last = segments.pop() ?? ''
  let record = state as Record<string, unknown>
  for (const segment of segments) {
    record[segment] ??= {}
    record = record[segment] as Record<string, unknown>
  }
  record[last] = value
}

import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { defineSkill, parseSkills } from './define-skill.ts'
import { firstActionTool } from './first-action.ts'
import { indexByActionTool, judgeCall } from './gate.ts'
import { buildRulesBlock } from './rules-block.ts'
import { filterSkillsByStatePredicates } from './select-skills.ts'

const file = new URL('../../../../shared/spec/vectors.json', import.meta.url)
const present = existsSync(file)

// biome-ignore lint/suspicious/noExplicitAny: each kind has inputs and outcomes of its own shape
type Loose = any

interface Vector {
  id: string
  kind: string
  title: string
  input: Loose
  expected: Loose
}

const vectors: Vector[] = present ? JSON.parse(readFileSync(file, 'utf8')).vectors : []
const ofKind = (kind: string) => vectors.filter((vector) => vector.kind === kind)

describe.skipIf(!present)('the conformance vectors', () => {
  it.each([
    ['preflight.filter', 5],
    ['preflight.debugLine', 1],
    ['preflight.renderL1', 3],
    ['preflight.renderL1Pair', 2],
    ['preflight.gate', 6],
    ['preflight.force', 3],
  ])('of the kind %s number %d', (kind, count) => {
    expect(ofKind(kind)).toHaveLength(count)
  })

  it.each(ofKind('preflight.filter'))('$id $title', ({ input, expected }) => {
    expect(activeIn(input).map(({ label }) => label)).toEqual(expected.survivors)
  })

  it.each(ofKind('preflight.debugLine'))('$id $title', ({ input, expected }) => {
    const lines: string[] = []
    const precondition = [{ state: input.predicate }]
    const skill = defineSkill({ label: input.skillName, precondition })
    filterSkillsByStatePredicates([skill], input.state, {
      logger: { debug: (line) => lines.push(line) },
    })
    expect(lines).toEqual([expected.line])
  })

  it.each(ofKind('preflight.renderL1'))('$id $title', ({ input, expected }) => {
    const block = buildRulesBlock(activeIn(input))
    if (expected.startsWith !== undefined) expect(block.startsWith(expected.startsWith)).toBe(true)
    if (expected.notContains !== undefined) expect(block).not.toContain(expected.notContains)
    if (expected.bullets === undefined) return
    const bullets = block.split('\n').filter((line) => line.startsWith('- '))
    expect(bullets).toHaveLength(expected.bullets.length)
    for (const [position, bullet] of bullets.entries()) {
      const { startsWith = '', contains = '', endsWith = '' } = expected.bullets[position]
      expect(bullet.startsWith(startsWith)).toBe(true)
      expect(bullet).toContain(contains)
      expect(bullet.endsWith(endsWith)).toBe(true)
    }
  })

  it.each(ofKind('preflight.renderL1Pair'))('$id $title', ({ input, expected }) => {
    const [a, b] = [input.stateA, input.stateB].map((state) =>
      buildRulesBlock(activeIn({ ...input, state })),
    )
    expect(a).not.toBe('')
    expect(a === b).toBe(expected.identical)
  })

  it.each(ofKind('preflight.gate'))('$id $title', ({ input, expected }) => {
    const index = indexByActionTool(activeIn(input))
    const called = new Set<string>(input.calledThisTurn)
    const refused = input.toolCalls.filter(
      (toolName: string) => !judgeCall(index, toolName, called).allowed,
    )
    expect(refused).toEqual(expected.errorResultsFor)
  })

  it.each(ofKind('preflight.force'))('$id $title', ({ input, expected }) => {
    expect(input.forceFirstAction).toBe(true)
    const forced = firstActionTool(activeIn(input), new Set(input.calledThisTurn))
    expect(forced ?? null).toBe(expected.forcedTool)
  })
})

function activeIn(input: Loose) {
  return filterSkillsByStatePredicates(parseSkills(input.skills), input.state).active
}

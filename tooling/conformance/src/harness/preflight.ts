import assert from 'node:assert/strict'
import { parsePrecondition } from '@symfonic/predicates'
import {
  buildRulesBlock,
  defineSkill,
  filterSkillsByStatePredicates,
  firstActionTool,
  indexByActionTool,
  judgeCall,
  type Skill,
  type SkillSource,
} from '@symfonic/preflight'
import { loadSkillsFromYaml } from '@symfonic/preflight/yaml'
import type { Harnesses } from '../run-vectors.ts'
import type { Vector } from '../vectors.ts'

/** The vector kinds that `@symfonic/preflight` answers. */
export const preflight: Harnesses = {
  'preflight.filter': filter,
  'preflight.debugLine': debugLine,
  'preflight.renderL1': renderRules,
  'preflight.renderL1Pair': renderRulesTwice,
  'preflight.gate': gate,
  'preflight.force': force,
  'yaml.loadSkills': loadYaml,
}

type State = Record<string, unknown>

interface SkillsInState {
  skills: SkillSource[]
  state: State
}

function filter({ input, expected }: Vector): void {
  const { survivors } = expected as { survivors: string[] }
  const active = activeSkills(input as SkillsInState)
  assert.deepEqual(
    active.map(({ label }) => label),
    survivors,
  )
}

function debugLine({ input, expected }: Vector): void {
  const { skillName, predicate, state } = input as {
    skillName: string
    predicate: object
    state: State
  }
  const { level, line } = expected as { level: string; line: string }
  const logged: { level: string; line: string }[] = []
  const note = (level: string) => (line: string) => void logged.push({ level, line })
  const skills = [
    defineSkill({ label: skillName, precondition: [{ state: predicate }] } as SkillSource),
  ]
  const logger = {
    debug: note('debug'),
    info: note('info'),
    warn: note('warn'),
    error: note('error'),
  }
  filterSkillsByStatePredicates(skills, state, { logger })
  assert.deepEqual(logged, [{ level, line }])
}

/** What a rules block must look like; a part that is absent is not asked. */
interface ExpectedBlock {
  startsWith?: string
  notContains?: string
  bullets?: { startsWith?: string; endsWith?: string; contains?: string }[]
}

function renderRules({ input, expected }: Vector): void {
  const { startsWith, notContains, bullets } = expected as ExpectedBlock
  const block = buildRulesBlock(activeSkills(input as SkillsInState))
  if (startsWith !== undefined) assert(block.startsWith(startsWith), block)
  if (notContains !== undefined) assert(!block.includes(notContains), block)
  if (bullets === undefined) return
  const found = block.split('\n').filter((line) => line.startsWith('- '))
  assert.equal(found.length, bullets.length, block)
  for (const [index, bullet] of bullets.entries()) {
    const line = found[index] ?? ''
    assert(line.startsWith(bullet.startsWith ?? ''), line)
    assert(line.endsWith(bullet.endsWith ?? ''), line)
    assert(line.includes(bullet.contains ?? ''), line)
  }
}

function renderRulesTwice({ input, expected }: Vector): void {
  const { skills, stateA, stateB } = input as {
    skills: SkillSource[]
    stateA: State
    stateB: State
  }
  const { identical } = expected as { identical: boolean }
  const [a, b] = [stateA, stateB].map((state) => buildRulesBlock(activeSkills({ skills, state })))
  assert.notEqual(a, '', 'an empty block would be identical for no reason')
  assert.equal(a === b, identical)
}

function gate({ input, expected }: Vector): void {
  const { calledThisTurn, toolCalls } = input as { calledThisTurn: string[]; toolCalls: string[] }
  const { errorResultsFor } = expected as { errorResultsFor: string[] }
  const index = indexByActionTool(activeSkills(input as SkillsInState))
  const called = new Set(calledThisTurn)
  const refused: string[] = []
  for (const toolName of toolCalls) {
    if (judgeCall(index, toolName, called).allowed) called.add(toolName)
    else refused.push(toolName)
  }
  assert.deepEqual(refused, errorResultsFor)
}

function force({ input, expected }: Vector): void {
  const { forceFirstAction, calledThisTurn } = input as {
    forceFirstAction: boolean
    calledThisTurn: string[]
  }
  const { forcedTool } = expected as { forcedTool: string | null }
  const active = activeSkills(input as SkillsInState)
  const forced = forceFirstAction ? firstActionTool(active, new Set(calledThisTurn)) : undefined
  assert.equal(forced ?? null, forcedTool)
}

function loadYaml({ input, expected }: Vector): void {
  const { yaml } = input as { yaml: string }
  const { preconditions } = expected as { preconditions: unknown[] }
  assert.deepEqual(
    loadSkillsFromYaml(yaml).map(({ precondition }) => precondition),
    preconditions.map(parsePrecondition),
  )
}

function activeSkills({ skills, state }: SkillsInState): readonly Skill[] {
  return filterSkillsByStatePredicates(skills.map(defineSkill), state).active
}

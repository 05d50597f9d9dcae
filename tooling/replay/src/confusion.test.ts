import type { Capability } from '@symfonic/kernel'
import { describe, expect, it } from 'vitest'
import { type Confusion, confusionOf, isSound, sumOf } from './confusion.ts'
import { parseRecording } from './parse-recording.ts'
import { toRecord } from './projection.ts'
import { replay } from './replay.ts'
import type { PolicyRules, RuleSet } from './rule-set.ts'
import type { PolicyRule } from './rules/policy-rule.ts'

const rule = (id: string, label: string, ...tools: string[]): PolicyRule => ({
  ...{ id, label, content: label, tools, precondition: [] },
})
const lookFirst = rule('L', 'Look first', 'write')
const writeOnce = rule('O', 'Write once', 'write', 'erase')

/** "Look before you write", and "nothing more once it is written". */
const gate: Capability = {
  name: 'desk',
  gate: (view) => {
    const shown = toRecord(view.messages).map(({ content }) => content)
    return ({ toolName }) => {
      const skills = [
        ...(toolName === 'write' && !shown.includes('seen') ? ['Look first: write'] : []),
        ...(toolName !== 'look' && shown.includes('written') ? [`Write once: ${toolName}`] : []),
      ]
      if (skills.length === 0) return { allowed: true }
      return { allowed: false, message: skills.join(), details: { skills } }
    }
  },
}
const about: PolicyRules = {
  rules: [lookFirst, writeOnce],
  inexpressible: [{ id: 'N', reason: 'counts' }],
  rulesFor: () => [lookFirst, writeOnce],
}
const rules: RuleSet = {
  ...{ name: 'n', sentence: 's', policies: about, capabilities: () => [gate] },
  ...{ subjectOf: () => '', breachesOf: () => [] },
}

const looking = (id: string, answer = 'seen') => ({ id, name: 'look', answer })
const writing = (id: string, answer = 'written') => ({ id, name: 'write', answer })
const erasing = (id: string) => ({ id, name: 'erase', answer: 'ok' })
type Made = ReturnType<typeof looking>

const runOf = (made: readonly Made[], more: object = {}) =>
  parseRecording(
    {
      ...{ id: 'r', source: 'desk', reward: 1, ...more },
      messages: made.flatMap(({ id, name, answer }) => [
        { role: 'assistant', content: '', toolCalls: [{ id, name, args: {} }] },
        { role: 'tool', content: answer, toolCallId: id },
      ]),
    },
    { file: 'runs.jsonl', line: 1 },
  )
type Named = readonly (readonly [rule: string, tool: string, callId: string])[]
async function confused(
  ...runs: readonly { made: readonly Made[]; named: Named; more?: object }[]
): Promise<Confusion> {
  const recordings = runs.map(({ made, more }, index) => runOf(made, { id: `r${index}`, ...more }))
  const replays = await Promise.all(
    recordings.map((recording) => replay(recording, { capabilities: [gate] })),
  )
  const verdicts = runs.map(({ named }, index) => ({
    id: `r${index}`,
    violations: named.map(([rule, tool, callId]) => ({
      ...{ rule, tool, callId, rejectedByEnvironment: false },
    })),
  }))
  return confusionOf(replays, verdicts, rules, about)
}

/** The cells that hold something, as `rule column: call ids`, of both tables. */
function cellsOf({ tables }: Confusion) {
  const [position, lastUse] = tables.map(({ rows }) =>
    rows.flatMap(({ rule, agreed, namedByIdReuse, namedOnly, overlookedByIdReuse, refusedOnly }) =>
      Object.entries({ agreed, namedByIdReuse, namedOnly, overlookedByIdReuse, ...refusedOnly })
        .filter(([, calls]) => calls.length > 0)
        .map(([column, calls]) => `${rule} ${column}: ${calls.map(({ callId }) => callId)}`),
    ),
  )
  return { position, lastUse }
}

describe('confusionOf', () => {
  it.each<{
    what: string
    made: readonly Made[]
    named: Named
    reward?: number
    position: string[]
    lastUse?: string[]
    sound: boolean
  }>([
    {
      what: 'agrees on a call that is named and refused',
      made: [writing('a')],
      named: [['L', 'write', 'a']],
      position: ['L agreed: a'],
      sound: true,
    },
    {
      what: 'agrees by rule: one call can break several',
      made: [writing('a'), writing('b')],
      named: [
        ['L', 'write', 'a'],
        ['O', 'write', 'b'],
        ['L', 'write', 'b'],
      ],
      position: ['L agreed: a,b', 'O agreed: b'],
      sound: true,
    },
    {
      what: 'faults a call that is named and passes',
      made: [looking('a'), writing('b')],
      named: [['L', 'write', 'b']],
      position: ['L namedOnly: b'],
      sound: false,
    },
    {
      what: 'faults a call that is named and does not exist',
      made: [writing('a')],
      named: [
        ['L', 'write', 'a'],
        ['L', 'write', 'z'],
      ],
      position: ['L agreed: a', 'L namedOnly: z'],
      sound: false,
    },
    {
      what: 'faults a call of a good run that is refused and not named',
      made: [writing('a')],
      named: [],
      position: ['L full: a'],
      sound: false,
    },
    {
      what: 'faults it also where another rule names the call',
      made: [writing('a')],
      named: [['O', 'write', 'a']],
      position: ['L full: a', 'O namedOnly: a'],
      sound: false,
    },
    {
      what: 'lets a call of a bad run be refused and not named',
      made: [writing('a')],
      named: [],
      reward: 0.5,
      position: ['L less: a'],
      sound: true,
    },
    {
      what: 'explains a call that is named by the reuse of an id',
      made: [looking('a'), writing('b'), looking('a', 'Error: no')],
      named: [['L', 'write', 'b']],
      position: ['L namedByIdReuse: b'],
      lastUse: ['L agreed: b'],
      sound: true,
    },
    {
      what: 'explains a call that is overlooked by the reuse of an id',
      made: [looking('a', 'Error: no'), writing('b', 'Error: no'), looking('a')],
      named: [],
      // No rule names the call, so it stays an unnamed one of a good run.
      position: ['L overlookedByIdReuse: b'],
      lastUse: [],
      sound: false,
    },
    {
      what: 'takes one id for as many calls as it is named',
      made: [writing('a', 'Error: no'), writing('a', 'Error: no'), erasing('b')],
      named: [
        ['L', 'write', 'a'],
        ['L', 'write', 'a'],
      ],
      position: ['L agreed: a,a'],
      sound: true,
    },
  ])('$what', async ({ made, named, reward = 1, position, lastUse = position, sound }) => {
    const confusion = await confused({ made, named, more: { reward } })
    expect(cellsOf(confusion)).toEqual({ position, lastUse })
    expect(isSound(confusion)).toBe(sound)
  })

  it('counts by rule and source, and leaves out where there is nothing to judge', async () => {
    const { tables } = await confused(
      { made: [looking('a'), writing('b')], named: [] },
      { made: [looking('a'), erasing('b')], named: [], more: { source: 'office' } },
    )
    expect(tables.map(({ joinResults }) => joinResults)).toEqual(['position', 'last-use-of-id'])
    const counts = tables[0]?.rows.map(({ rule, source, judged }) => ({ rule, source, judged }))
    expect(counts).toEqual([
      { rule: 'L', source: 'desk', judged: 1 },
      { rule: 'O', source: 'desk', judged: 1 },
      { rule: 'O', source: 'office', judged: 1 },
    ])
    expect(sumOf(tables[0]?.rows ?? []).judged).toBe(3)
  })

  it('counts what the oracle names for rules that no skill can say', async () => {
    const { inexpressible } = await confused({
      made: [looking('a'), writing('b')],
      named: [['N', 'write', 'b']],
    })
    expect(inexpressible).toEqual([{ id: 'N', reason: 'counts', named: 1 }])
  })

  it('faults a rule that the oracle names and nobody knows', async () => {
    const { unknownRules, ...rest } = await confused({
      ...{ made: [looking('a'), writing('b')], named: [['Z', 'write', 'b']] },
    })
    expect(unknownRules).toEqual(['Z'])
    expect(isSound({ ...rest, unknownRules })).toBe(false)
    expect(isSound({ ...rest, unknownRules: [] })).toBe(true)
  })

  it('faults a violation of a tool that its rule does not govern', async () => {
    const confusion = await confused({ made: [erasing('a')], named: [['L', 'erase', 'a']] })
    expect(cellsOf(confusion).position).toEqual(['L namedOnly: a'])
    expect(isSound(confusion)).toBe(false)
  })

  it('leaves out runs that no oracle speaks of', async () => {
    const replayed = await replay(runOf([writing('a')]), { capabilities: [gate] })
    const { tables, kernel } = confusionOf([replayed], [], rules, about)
    expect(tables.flatMap(({ rows }) => rows)).toEqual([])
    expect(kernel).toMatchObject({ onRecord: 0, inKernel: 0 })
  })

  it('says which refusals of a kernel follow from others, and which others would not be', async () => {
    const { kernel } = await confused({
      made: [writing('a', 'seen'), writing('b'), erasing('c')],
      named: [],
    })
    expect(kernel).toMatchObject({ onRecord: 2, inKernel: 2, unexplained: [] })
    expect(kernel.onlyAfterRefusal.map(({ callId }) => callId)).toEqual(['b'])
    expect(kernel.onlyWithoutRefusal.map(({ callId }) => callId)).toEqual(['c'])
  })

  it('faults a kernel that judges otherwise than the gate', async () => {
    const lax = await replay(runOf([writing('a')]))
    const verdicts = [{ id: 'r', violations: [] }]
    const { kernel, ...rest } = confusionOf([lax], verdicts, rules, about)
    expect(kernel).toMatchObject({ onRecord: 1, inKernel: 0, onlyWithoutRefusal: [] })
    expect(kernel.unexplained).toEqual([{ run: 'r', tool: 'write', callId: 'a', messageIndex: 0 }])
    expect(isSound({ ...rest, tables: [], kernel })).toBe(false)
  })
})

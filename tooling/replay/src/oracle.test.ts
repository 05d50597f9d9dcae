import { describe, expect, it } from 'vitest'
import { compareWithOracle } from './oracle.ts'
import { parseRecording } from './parse-recording.ts'
import { type CallPlace, callsOf, type Replay } from './replay.ts'
import type { RuleSet } from './rule-set.ts'

/** A run that makes the named calls, one a step, each with the given id. */
const runOf = (...ids: string[]) =>
  parseRecording(
    {
      id: 'r',
      messages: ids.flatMap((id) => [
        { role: 'assistant', content: '', toolCalls: [{ id, name: 'write', args: {} }] },
        { role: 'tool', content: 'ok', toolCallId: id },
      ]),
    },
    { file: 'runs.jsonl', line: 1 },
  )
const recording = runOf('a', 'b', 'a', 'c')
const placed = callsOf(recording)
const pick = (indexes: readonly number[]) =>
  placed.filter((_, index) => indexes.includes(index)) as CallPlace[]

const replayOf = (...refused: number[]): Replay => ({
  ...{ recording, transcript: [], divergence: undefined },
  refused: pick(refused).map((place) => ({
    ...place,
    ...{ capability: 'c', message: 'm', details: {} },
  })),
})
const rulesWith = (breaches: { position: number[]; lastUse: number[] }): RuleSet => ({
  ...{ name: 'n', sentence: 's', oracleRule: 'W1' },
  capabilities: () => [],
  subjectOf: () => '',
  breachesOf: (_, joinBy) => pick(joinBy === 'position' ? breaches.position : breaches.lastUse),
})
const named = (...ids: string[]) => [
  {
    id: 'r',
    violations: ids.map((callId) => ({
      ...{ rule: 'W1', tool: 'write', callId, rejectedByEnvironment: false },
    })),
  },
]
const at = (callId: string, messageIndex: number | undefined) => ({
  ...{ run: 'r', tool: 'write', callId, messageIndex },
})

describe('compareWithOracle', () => {
  it.each([
    {
      what: 'agrees on the very call, not on its id',
      refused: [2],
      oracle: named('a'),
      breaches: { position: [2], lastUse: [2] },
      expected: { named: 1, agreed: 1 },
    },
    {
      what: 'counts one id for each of its calls',
      refused: [0, 2],
      oracle: named('a', 'a'),
      breaches: { position: [0, 2], lastUse: [0, 2] },
      expected: { named: 2, agreed: 2 },
    },
    {
      what: 'explains what is a violation only by the last use of an id',
      refused: [],
      oracle: named('a'),
      breaches: { position: [], lastUse: [0] },
      expected: { named: 1, explainedByIdReuse: [at('a', 0)] },
    },
    {
      what: 'explains nothing that breaks the rule either way',
      refused: [],
      oracle: named('b'),
      breaches: { position: [1], lastUse: [1] },
      expected: { named: 1, unexplained: [at('b', 2)] },
    },
    {
      what: 'explains nothing that breaks the rule neither way',
      refused: [1],
      oracle: named('b'),
      breaches: { position: [], lastUse: [] },
      expected: { named: 1, unexplained: [at('b', undefined)], unnamed: [at('b', 2)] },
    },
    {
      what: 'explains no call that does not exist',
      refused: [],
      oracle: named('z'),
      breaches: { position: [], lastUse: [] },
      expected: { named: 1, unexplained: [at('z', undefined)] },
    },
    {
      what: 'lists refusals that are not named',
      refused: [1, 3],
      oracle: named('b'),
      breaches: { position: [1], lastUse: [1] },
      expected: { named: 1, agreed: 1, unnamed: [at('c', 6)] },
    },
    {
      what: 'leaves other rules and other runs alone',
      refused: [],
      oracle: [
        {
          id: 'r',
          violations: [{ rule: 'W2', tool: 'write', callId: 'a', rejectedByEnvironment: true }],
        },
        { ...named('a')[0], id: 'elsewhere', violations: named('a')[0]?.violations ?? [] },
      ],
      breaches: { position: [], lastUse: [] },
      expected: {},
    },
  ])('$what', ({ refused, oracle, breaches, expected }) => {
    expect(compareWithOracle([replayOf(...refused)], oracle, rulesWith(breaches))).toEqual({
      ...{ named: 0, agreed: 0, explainedByIdReuse: [], unexplained: [], unnamed: [] },
      ...expected,
    })
  })
})

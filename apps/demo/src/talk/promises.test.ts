import type { PromptChange, PromptComparison, TurnCacheReport } from '@symfonic/kernel'
import { defineSkill } from '@symfonic/preflight'
import { describe, expect, it } from 'vitest'
import type { Speaker } from '../desk/speaker.ts'
import type { CallRecord } from './call-log.ts'
import { conversation } from './conversation.ts'
import type { KnownEntry, MemoryLearnedEvent, MemoryRecalledEvent } from './own-memory.ts'
import { hasKept, sumInput } from './play.ts'
import { checkTurn, type Promised, type TurnEvidence } from './promises.ts'
import type { StubbedResult } from './sent-results.ts'

function call(toolName: string, outcome: CallRecord['outcome'], more: Partial<CallRecord> = {}) {
  const about = { toolCallId: '1', toolName, input: {}, step: 1, outcome, output: undefined }
  return { ...about, missing: [], rules: [], vetoes: [], reason: '', ...more }
}

const change = (about: Partial<PromptChange>): PromptChange => ({
  kind: 'changed',
  layer: 'L1',
  section: 's',
  capability: 'plugins',
  origin: undefined,
  ...{ byte: 1, before: 'a', after: 'b' },
  ...about,
})
const compared = (...changes: PromptChange[]): PromptComparison => ({
  stable: changes.every(({ layer }) => layer === 'L2'),
  sharedBytes: 1,
  changes,
})
const cached = (about: Partial<TurnCacheReport>): TurnCacheReport => ({
  expectedTokens: 100,
  predictedTokens: 100,
  readTokens: 100,
  writtenTokens: 0,
  parted: undefined,
  ...about,
})
const byClock = change({ origin: 'clock' })
const byRules = change({ capability: 'preflight' })

const mia: Speaker = { user: 'mia', platform: 'slack' }

/** What a turn without calls has come to. */
const quiet = {
  calls: [],
  text: '',
  selection: { active: [], dropped: [] },
  finished: true,
  ...{ comparison: undefined, cache: undefined, inputTokens: 0, readTokens: undefined },
  ...{ recalled: undefined, learned: undefined, notes: [], shown: '' },
  speaker: mia,
  results: undefined,
}

const vetoed = call('cancel', 'refused', { vetoes: [{ plugin: 'approvals', reason: 'no' }] })
const veto: Promised = { kind: 'vetoed', toolName: 'cancel', by: 'approvals' }
const notRun: Promised = { kind: 'not-run', toolName: 'cancel' }
const refused = call('cancel', 'refused', { missing: ['read'] })
const read = call('read', 'ran')
const cancelled = call('cancel', 'ran')
const corrected: Promised = { kind: 'refused-then-corrected', toolName: 'cancel' }
const heeded: Promised = { kind: 'heeded', first: 'read', toolName: 'cancel' }
const formatted: Promised = { kind: 'formatted-by', toolName: 'f' }

describe('a promise', () => {
  it.each([
    { promise: corrected, calls: [refused, read, cancelled], kept: true },
    { promise: corrected, calls: [refused, cancelled], kept: false },
    { promise: corrected, calls: [read, refused, cancelled], kept: false },
    { promise: corrected, calls: [refused, read], kept: false },
    { promise: corrected, calls: [read, cancelled], kept: false },
    { promise: corrected, calls: [call('cancel', 'refused'), read, cancelled], kept: false },
    { promise: heeded, calls: [read, cancelled], kept: true },
    { promise: heeded, calls: [refused, read, cancelled], kept: false },
    { promise: heeded, calls: [cancelled, read], kept: false },
    { promise: formatted, calls: [call('f', 'ran', { output: '*hi*' })], text: '*hi*', kept: true },
    { promise: formatted, calls: [call('f', 'ran', { output: '*hi*' })], text: 'hi', kept: false },
    { promise: veto, calls: [refused, read, vetoed], text: 'Approvals said no', kept: true },
    { promise: veto, calls: [refused], text: 'approvals', kept: false },
    { promise: veto, calls: [vetoed], text: 'Done!', kept: false },
    { promise: veto, calls: [vetoed, cancelled], text: 'approvals', kept: false },
    { promise: notRun, calls: [vetoed], kept: true },
    { promise: notRun, calls: [], kept: true },
    { promise: notRun, calls: [cancelled], kept: false },
    { promise: { kind: 'not-called', toolName: 'f' }, calls: [read], kept: true },
    { promise: { kind: 'not-called', toolName: 'f' }, calls: [call('f', 'failed')], kept: false },
    { promise: { kind: 'says', words: 'Rome' }, calls: [], text: 'to rome', kept: true },
    { promise: { kind: 'says', words: 'Rome' }, calls: [], text: 'to Oslo', kept: false },
    {
      promise: { kind: 'keeps-to-itself', words: 'window' },
      calls: [read],
      text: 'hi',
      kept: true,
    },
    {
      promise: { kind: 'keeps-to-itself', words: 'window' },
      calls: [call('recall', 'ran', { output: { seat: 'Window' } })],
      text: 'nothing noted',
      kept: false,
    },
    {
      promise: { kind: 'input-then-corrected', toolName: 'add' },
      calls: [call('add', 'failed'), call('add', 'ran')],
      kept: true,
    },
    {
      promise: { kind: 'input-then-corrected', toolName: 'add' },
      calls: [call('add', 'ran')],
      kept: false,
    },
  ] as const)('$promise with $calls.length calls is kept: $kept', ({ promise, kept, ...turn }) => {
    const text = 'text' in turn ? turn.text : ''
    const [check] = checkTurn([promise], { ...quiet, ...turn, text })
    expect(check).toMatchObject({ by: 'turn', kept })
  })

  it('is not kept by a turn that failed', () => {
    const promise: Promised = { kind: 'not-called', toolName: 'f' }
    const turn = { ...quiet, finished: false }
    expect(checkTurn([promise], turn).some(({ kept }) => kept)).toBe(false)
  })

  it.each([
    { calls: [read, cancelled], kept: true },
    { calls: [cancelled, read], kept: false },
    { calls: [call('read', 'failed'), cancelled], kept: false },
    { calls: [refused], kept: true },
  ])('of the kernel, that rules hold, is kept: $kept', ({ calls, kept }) => {
    const skill = defineSkill({ label: 'L', actionTool: 'cancel', precondition: ['read'] })
    const selection = { active: [skill], dropped: [] }
    const [check] = checkTurn([], { ...quiet, calls, selection })
    expect(check).toMatchObject({ by: 'kernel', kept, binding: true })
  })
})

describe('what the kernel promises of the prompt and its cache', () => {
  const prefixOf = (turn: Partial<TurnEvidence>, culprit?: string) =>
    checkTurn([], { ...quiet, ...turn }, culprit).find(({ promised }) => /prefix/.test(promised))

  it.each([
    { what: 'nothing has changed', comparison: compared(), kept: true },
    { what: 'L2 has changed', comparison: compared(change({ layer: 'L2' })), kept: true },
    { what: 'the rules have', comparison: compared(byRules, change({ layer: 'L2' })), kept: true },
    { what: 'a plugin has', comparison: compared(byClock), kept: false },
    { what: 'rules and a plugin have', comparison: compared(byRules, byClock), kept: false },
  ])('the prefix keeps its bytes, when $what: $kept', ({ comparison, kept }) => {
    expect(prefixOf({ comparison })).toMatchObject({ by: 'kernel', kept, binding: true })
  })

  const broken = (culprit: PromptChange) =>
    cached({ parted: { step: 1, verdict: 'broken', missedTokens: 9, change: culprit } })

  it.each([
    { comparison: compared(byClock), cache: undefined, kept: true },
    { comparison: compared(byRules, byClock), cache: undefined, kept: true },
    { comparison: compared(byClock), cache: broken(byClock), kept: true },
    { comparison: compared(byClock), cache: broken(byRules), kept: false },
    { comparison: compared(byRules), cache: undefined, kept: false },
    { comparison: compared(), cache: undefined, kept: false },
  ])('the clock is named where it breaks the prefix: $kept', ({ kept, ...turn }) => {
    expect(prefixOf(turn, 'clock')).toMatchObject({ kept, binding: true })
  })

  it('there is nothing to compare the first prompt with', () => {
    expect([prefixOf({}), prefixOf({}, 'clock')]).toEqual([undefined, undefined])
  })

  it.each([
    { cache: cached({ readTokens: 95 }), kept: true },
    { cache: cached({ readTokens: 900 }), kept: true },
    { cache: cached({ readTokens: 50 }), kept: false },
    { cache: cached({ readTokens: undefined }), kept: false },
  ])('the cache gives at least what was predicted: $kept', ({ cache, kept }) => {
    const check = checkTurn([], { ...quiet, cache }).at(-1)
    expect(check).toMatchObject({ kept, binding: false })
  })

  it('a promised change of the prefix has to name whose it is', () => {
    const promise: Promised = { kind: 'prefix-changed', by: 'preflight' }
    const kept = [compared(byRules), compared(byClock), undefined].map(
      (comparison) => checkTurn([promise], { ...quiet, comparison })[0]?.kept,
    )
    expect(kept).toEqual([true, false, false])
  })
})

describe('what is promised of large results', () => {
  const costs = { plainChars: 9_000, sentChars: 700, unit: 'usd' as const }
  const savings = { ...costs, plainCost: 2, cost: 1 }
  const decision = {
    ...{
      action: 'offload' as const,
      reason: 'large' as const,
      toolCallId: '1',
      toolName: 'search',
    },
    ...{ sizeChars: 8_000, stubChars: 300 },
  }
  const turnWith = (stub: Partial<StubbedResult>, cost = 1): TurnEvidence['results'] => ({
    type: 'results-shortened',
    inTurn: savings,
    inConversation: { ...savings, cost },
    stubs: [{ decision, isKept: true, sentChars: [300, 300], ...stub }],
  })
  const late = { ...decision, action: 'stub' as const, reason: 'pays' as const }
  const checksOf = (results: TurnEvidence['results']) =>
    checkTurn([], { ...quiet, results })
      .slice(3)
      .map(({ kept, binding }) => kept && binding)

  it.each([
    { what: 'all is well', results: turnWith({}), kept: [true, true, true] },
    {
      what: 'it went out whole first',
      results: turnWith({ sentChars: [8_000, 300] }),
      kept: [false, true, true],
    },
    {
      what: 'it was read, then shortened',
      results: turnWith({ decision: late, sentChars: [8_000, 300] }),
      kept: [true, true, true],
    },
    {
      what: 'it came back whole',
      results: turnWith({ decision: late, sentChars: [300, 8_000] }),
      kept: [false, true, true],
    },
    { what: 'nobody saw it go', results: turnWith({ sentChars: [] }), kept: [false, true, true] },
    {
      what: 'the transcript has the stub',
      results: turnWith({ isKept: false }),
      kept: [true, false, true],
    },
    { what: 'it came dearer', results: turnWith({}, 2.1), kept: [true, true, false] },
    {
      what: 'there was none',
      results: { ...turnWith({}, 3), stubs: [] } as TurnEvidence['results'],
      kept: [],
    },
  ])('is looked into when $what', ({ results, kept }) => {
    expect(checksOf(results)).toEqual(kept)
  })

  const search = call('search', 'ran')
  const recall = call('recall_tool_result', 'ran', { toolCallId: '2', output: 'at 9: "NH216"' })
  const stubbed: Promised = { kind: 'stubbed', toolName: 'search' }
  const recalled: Promised = { kind: 'recalled', words: 'NH216' }
  const again: Promised = { ...recalled, again: 'search' }

  it.each([
    { promise: stubbed, calls: [search], kept: true },
    { promise: stubbed, calls: [{ ...search, toolCallId: '3' }], kept: false },
    { promise: stubbed, calls: [call('search', 'failed')], kept: false },
    { promise: recalled, calls: [search, recall], text: 'nh216 it is', kept: true },
    { promise: recalled, calls: [search, recall], text: 'no idea', kept: false },
    { promise: recalled, calls: [search], text: 'NH216', kept: false },
    { promise: again, calls: [recall], text: 'NH216', kept: true },
    { promise: again, calls: [search, recall], text: 'NH216', kept: false },
  ])('$promise is kept: $kept', ({ promise, calls, text = '', kept }) => {
    const turn = { ...quiet, calls, text, results: turnWith({}) }
    expect(checkTurn([promise], turn)[0]).toMatchObject({ kept, binding: false })
  })
})

describe('what is promised of memory', () => {
  const entry = (content: string, about: Partial<KnownEntry> = {}): KnownEntry => ({
    ...{ id: 'm_1', layer: 'semantic', content, importance: 5, occurredAt: 0, recallCount: 0 },
    provenance: { source: 'turn' },
    ...about,
  })
  const recalled = (content: string, userId?: string): MemoryRecalledEvent => ({
    ...{ type: 'memory-recalled', speaker: mia, query: 'q', tokens: 1 },
    items: [
      {
        ...entry(content),
        scope: { tenantId: 't', ...(userId !== undefined && { userId }) },
        because: [],
      },
    ],
  })
  const learned = (source: 'turn' | 'extraction'): MemoryLearnedEvent => ({
    type: 'memory-learned',
    entries: [entry('Mia likes aisle seats.', { provenance: { source } })],
  })
  const forgotten = (removed: number, left: number) =>
    ({ type: 'memory-forgotten', speaker: mia, removed, left }) as const
  const note = ['{"kind":"preference","content":"Mia likes aisle seats."}']
  const noted: Promised = { kind: 'noted', words: 'aisle' }
  const remembered: Promised = { kind: 'remembered', words: 'aisle' }

  it.each([
    { promise: noted, turn: { notes: note, learned: learned('extraction') }, kept: true },
    { promise: noted, turn: { notes: note, learned: learned('turn') }, kept: false },
    { promise: noted, turn: { notes: note }, kept: false },
    { promise: noted, turn: { learned: learned('extraction') }, kept: false },
    { promise: remembered, turn: { recalled: recalled('aisle'), text: 'Aisle.' }, kept: true },
    { promise: remembered, turn: { recalled: recalled('aisle'), text: 'No idea' }, kept: false },
    { promise: remembered, turn: { text: 'Aisle.' }, kept: false },
    { promise: { kind: 'forgotten' }, turn: { forgotten: forgotten(3, 0) }, kept: true },
    { promise: { kind: 'forgotten' }, turn: { forgotten: forgotten(3, 1) }, kept: false },
    { promise: { kind: 'forgotten' }, turn: { forgotten: forgotten(0, 0) }, kept: false },
    { promise: { kind: 'forgotten' }, turn: {}, kept: false },
    {
      promise: { kind: 'keeps-to-itself', words: 'aisle' },
      turn: { recalled: recalled('aisle') },
      kept: false,
    },
  ] satisfies { promise: Promised; turn: Partial<TurnEvidence>; kept: boolean }[])(
    '$promise with $turn is kept: $kept',
    ({ promise, turn, kept }) => {
      expect(checkTurn([promise], { ...quiet, ...turn })[0]).toMatchObject({ by: 'turn', kept })
    },
  )

  const always = (turn: Partial<TurnEvidence>, words: RegExp) =>
    checkTurn([], { ...quiet, ...turn }).find(({ promised }) => words.test(promised))

  it.each([
    { turn: { text: 'hello', shown: 'hello' }, kept: true },
    { turn: { text: 'hello <memory_extraction>' }, kept: false },
    { turn: { shown: 'x <Memory_Extraction' }, kept: false },
  ])('of the kernel, that notes are hidden: $turn, $kept', ({ turn, kept }) => {
    expect(always(turn, /shown to nobody/)).toMatchObject({ by: 'kernel', kept, binding: true })
  })

  it.each([
    { what: 'their own', recalled: recalled('x', 'mia'), kept: true },
    { what: 'what is for everybody', recalled: recalled('x'), kept: true },
    { what: "another one's", recalled: recalled('x', 'omar'), kept: false },
    { what: "another one's words", recalled: recalled('[@omar] x', 'mia'), kept: false },
    { what: 'their own words', recalled: recalled('[@mia] x', 'mia'), kept: true },
    { what: 'nothing, as memory is down', recalled: undefined, kept: true },
  ])('of the kernel, that people are reminded of $what: $kept', ({ recalled, kept }) => {
    expect(always({ recalled }, /another person/)).toMatchObject({ kept, binding: true })
  })

  it('a command has nothing of the kernel to promise', () => {
    expect(checkTurn([], { ...quiet, forgotten: forgotten(1, 0) })).toEqual([])
  })
})

describe('a conversation', () => {
  const check = { promised: 'p', by: 'turn' as const }
  const of = (kept: boolean, binding: boolean) => [
    {
      turn: 1,
      checks: [{ ...check, kept, binding }],
      inputTokens: 9,
      readTokens: 3,
      savings: undefined,
    },
  ]

  it.each([
    { turns: of(true, true), strict: true, kept: true },
    { turns: of(false, true), strict: false, kept: false },
    { turns: of(false, false), strict: false, kept: true },
    { turns: of(false, false), strict: true, kept: false },
    { turns: [], strict: false, kept: false },
  ])('has kept its promises: $kept', ({ turns, strict, kept }) => {
    expect(hasKept(turns, strict)).toBe(kept)
  })

  it('sums up what was sent and what of it was read', () => {
    const turns = [
      ...of(true, true),
      { turn: 2, checks: [], inputTokens: 5, readTokens: undefined, savings: undefined },
    ]
    expect(sumInput(turns)).toEqual({ inputTokens: 14, readTokens: 3 })
  })

  it('promises a correction, a heeded rule, a veto, a stub, Slack formatting, memory and privacy', () => {
    const kinds = new Set(conversation.flatMap(({ promises }) => promises.map(({ kind }) => kind)))
    expect(kinds).toEqual(
      new Set([
        'says',
        'not-called',
        'refused-then-corrected',
        'heeded',
        'input-then-corrected',
        'formatted-by',
        'keeps-to-itself',
        'vetoed',
        'not-run',
        'prefix-changed',
        'stubbed',
        'recalled',
        'noted',
        'remembered',
        'forgotten',
      ]),
    )
  })
})

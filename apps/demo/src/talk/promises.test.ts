import { defineSkill } from '@symfonic/preflight'
import { describe, expect, it } from 'vitest'
import type { CallRecord } from './call-log.ts'
import { conversation } from './conversation.ts'
import { hasKept } from './play.ts'
import { checkTurn, type Promised } from './promises.ts'

function call(toolName: string, outcome: CallRecord['outcome'], more: Partial<CallRecord> = {}) {
  const about = { toolCallId: '1', toolName, input: {}, step: 1, outcome, output: undefined }
  return { ...about, missing: [], rules: [], reason: '', ...more }
}

const none = { active: [], dropped: [] }
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
    const [check] = checkTurn([promise], { ...turn, text, selection: none, finished: true })
    expect(check).toMatchObject({ by: 'turn', kept })
  })

  it('is not kept by a turn that failed', () => {
    const promise: Promised = { kind: 'not-called', toolName: 'f' }
    const turn = { calls: [], text: '', selection: none, finished: false }
    expect(checkTurn([promise], turn).map(({ kept }) => kept)).toEqual([false, false])
  })

  it.each([
    { calls: [read, cancelled], kept: true },
    { calls: [cancelled, read], kept: false },
    { calls: [call('read', 'failed'), cancelled], kept: false },
    { calls: [refused], kept: true },
  ])('of the kernel, that rules hold, is kept: $kept', ({ calls, kept }) => {
    const skill = defineSkill({ label: 'L', actionTool: 'cancel', precondition: ['read'] })
    const selection = { active: [skill], dropped: [] }
    const [check] = checkTurn([], { calls, text: '', selection, finished: true })
    expect(check).toMatchObject({ by: 'kernel', kept, binding: true })
  })
})

describe('a conversation', () => {
  const check = { promised: 'p', by: 'turn' as const }
  const of = (kept: boolean, binding: boolean) => [
    { turn: 1, checks: [{ ...check, kept, binding }] },
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

  it('promises a correction, a heeded rule, Slack formatting and privacy', () => {
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
      ]),
    )
  })
})

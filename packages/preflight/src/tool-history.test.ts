import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type HistoryEntry, toolsCalledThisTurn, wasCalled } from './tool-history.ts'

const user: HistoryEntry = { type: 'user' }
const ok = (toolName: string): HistoryEntry => ({ type: 'tool-result', toolName, failed: false })
const failed = (toolName: string): HistoryEntry => ({ type: 'tool-result', toolName, failed: true })

describe('toolsCalledThisTurn', () => {
  it.each<[string, HistoryEntry[], string[]]>([
    ['is empty before anything happened', [], []],
    ['counts what succeeded after the last user entry', [user, ok('a'), ok('b')], ['a', 'b']],
    ['forgets what came before it', [user, ok('a'), user, ok('b')], ['b']],
    ['is empty right after it', [ok('a'), user], []],
    ['counts from the beginning when the user has not spoken', [ok('a')], ['a']],
    ['does not count a failure', [user, failed('a'), ok('b')], ['b']],
    ['counts a success after a failure', [user, failed('a'), ok('a')], ['a']],
    ['keeps a success that a failure follows', [user, ok('a'), failed('a')], ['a']],
    ['counts a tool once', [user, ok('a'), ok('a')], ['a']],
    ['takes any name', [user, ok('__proto__'), ok('constructor')], ['__proto__', 'constructor']],
  ])('%s', (_, history, expected) => {
    expect([...toolsCalledThisTurn(history)]).toEqual(expected)
  })

  it('reads any iterable, and gives a new set each time', () => {
    function* history() {
      yield user
      yield ok('a')
    }
    expect([...toolsCalledThisTurn(history())]).toEqual(['a'])
    const entries = [ok('a')]
    toolsCalledThisTurn(entries).add('b')
    expect([...toolsCalledThisTurn(entries)]).toEqual(['a'])
  })

  it.each<[string, unknown]>([
    ['null', null],
    ['undefined', undefined],
    ['a text', 'tool-result'],
    ['no type', { toolName: 'a', failed: false }],
    ['another type', { type: 'tool-call', toolName: 'a', failed: false }],
    ['no outcome', { type: 'tool-result', toolName: 'a' }],
    ['an outcome of 0', { type: 'tool-result', toolName: 'a', failed: 0 }],
    ['an outcome of "false"', { type: 'tool-result', toolName: 'a', failed: 'false' }],
    ['no name', { type: 'tool-result', failed: false }],
    ['a name that is a list', { type: 'tool-result', toolName: ['a'], failed: false }],
    ['an empty name', { type: 'tool-result', toolName: '', failed: false }],
  ])('never counts a malformed entry as a call: %s', (_, entry) => {
    expect([...toolsCalledThisTurn([user, entry as HistoryEntry, ok('b')])]).toEqual(['b'])
  })

  it.each([[undefined], [null], [{}], [7]])('refuses %j as a history by name', (history) => {
    expect(() => toolsCalledThisTurn(history as unknown as HistoryEntry[])).toThrow(
      expect.objectContaining({ code: 'PREFLIGHT_HISTORY_UNREADABLE' }),
    )
  })

  it('depends only on what follows the last user entry', () => {
    const entry = fc.oneof(
      fc.constant(user),
      fc.record({
        type: fc.constant('tool-result' as const),
        toolName: fc.constantFrom('a', 'b', 'c'),
        failed: fc.boolean(),
      }),
    )
    fc.assert(
      fc.property(fc.array(entry), (history) => {
        const turn = history.slice(history.findLastIndex(({ type }) => type === 'user') + 1)
        const expected = turn.flatMap((each) =>
          each.type === 'tool-result' && !each.failed ? [each.toolName] : [],
        )
        expect(toolsCalledThisTurn(history)).toEqual(new Set(expected))
      }),
    )
  })
})

describe('wasCalled', () => {
  it('answers from the record', () => {
    expect(wasCalled(new Set(['a']), 'a')).toBe(true)
    expect(wasCalled(new Set(['a']), 'b')).toBe(false)
  })

  it.each<[string, unknown]>([
    ['missing', undefined],
    ['null', null],
    ['a list, as JSON makes of a set', ['a']],
    ['a record', { a: true }],
    ['something that answers yes in its own way', { has: () => 1 }],
    [
      'something that throws',
      {
        has: () => {
          throw new Error('boom')
        },
      },
    ],
  ])('is false for a record that is %s', (_, called) => {
    expect(wasCalled(called as ReadonlySet<string>, 'a')).toBe(false)
  })
})

import type { ModelMessage, ToolResultPart } from 'ai'
import { describe, expect, it } from 'vitest'
import { calledThisTurn } from './message-history.ts'

const user: ModelMessage = { role: 'user', content: 'x' }
const text = { type: 'text', value: 'x' } as const
const result = (toolName: string, output: ToolResultPart['output'] = text): ToolResultPart => ({
  type: 'tool-result',
  toolCallId: toolName,
  toolName,
  output,
})
const results = (...content: ToolResultPart[]): ModelMessage => ({ role: 'tool', content })

describe('calledThisTurn', () => {
  it.each<[string, ModelMessage[], string[]]>([
    ['nothing of an empty conversation', [], []],
    [
      'successes since the last user message',
      [user, results(result('a'), result('b'))],
      ['a', 'b'],
    ],
    ['nothing from before it', [results(result('a')), user, results(result('b'))], ['b']],
    ['nothing when the user has just spoken', [results(result('a')), user], []],
    [
      'what a provider ran, which stands in assistant messages',
      [user, { role: 'assistant', content: [{ type: 'text', text: 'x' }, result('search')] }],
      ['search'],
    ],
    ['no calls that have no result', [user, { role: 'assistant', content: 'read it' }], []],
    [
      'no errors and denials',
      [
        user,
        results(
          result('a', { type: 'error-text', value: 'x' }),
          result('b', { type: 'error-json', value: {} }),
          result('c', { type: 'execution-denied' }),
          result('d', { type: 'json', value: { isError: true, content: [] } }),
          result('e', { type: 'json', value: { isError: true } }),
          result('f', { type: 'content', value: [] }),
        ),
      ],
      ['e', 'f'],
    ],
    [
      'a tool that failed and then succeeded',
      [user, results(result('a', { type: 'error-text', value: 'x' })), results(result('a'))],
      ['a'],
    ],
  ])('counts %s', (_case, messages, expected) => {
    const read = calledThisTurn(JSON.parse(JSON.stringify(messages)))
    expect([...read].toSorted()).toEqual(expected)
  })

  it.each<[string, unknown]>([
    ['no message', null],
    ['a message without content', { role: 'tool' }],
    ['a part that is none', { role: 'tool', content: [null, 1, 'x'] }],
    ['a result without output', { role: 'tool', content: [{ ...result('a'), output: undefined }] }],
    ['an unknown kind of output', { role: 'tool', content: [result('a', { type: 'x' } as never)] }],
    ['a result without a name', { role: 'tool', content: [{ ...result('a'), toolName: 1 }] }],
    ['a text for content', { role: 'tool', content: 'tool-result' }],
  ])('counts nothing of %s', (_case, message) => {
    expect(calledThisTurn([user, message as ModelMessage])).toEqual(new Set())
  })

  it('does not look at messages before the last user message', () => {
    const hostile = {
      get content(): never {
        throw new Error('read')
      },
    }
    expect(calledThisTurn([hostile as never, user, results(result('a'))])).toEqual(new Set(['a']))
  })
})

import type { ModelMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { answeredCalls } from './answered-calls.ts'

const call = (toolCallId: string, input: unknown): ModelMessage => ({
  role: 'assistant',
  content: [{ type: 'tool-call', toolCallId, toolName: 'look', input }],
})
type Output = Extract<
  Extract<ModelMessage, { role: 'tool' }>['content'][number],
  { type: 'tool-result' }
>['output']
const result = (toolCallId: string, output: Output): ModelMessage => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId, toolName: 'look', output }],
})
const text = (value: string): Output => ({ type: 'text', value })

describe('answeredCalls', () => {
  it('gives call and result together, data as data and other text as text', () => {
    const messages = [
      { role: 'user', content: 'hi' } as const,
      ...[call('a', { at: 1 }), result('a', text('{"b": [1]}'))],
      ...[call('b', { at: 2 }), result('b', text('a word'))],
      ...[call('c', { at: 3 }), result('c', { type: 'json', value: { d: null } })],
    ]
    expect(answeredCalls(messages)).toEqual([
      { toolName: 'look', input: { at: 1 }, answer: { b: [1] } },
      { toolName: 'look', input: { at: 2 }, answer: 'a word' },
      { toolName: 'look', input: { at: 3 }, answer: { d: null } },
    ])
  })

  it('joins a result to the call before it where an id is used again', () => {
    const messages = [
      ...[call('a', 1), result('a', text('one'))],
      ...[call('a', 2), result('a', text('two'))],
    ]
    expect(answeredCalls(messages).map(({ input, answer }) => [input, answer])).toEqual([
      [1, 'one'],
      [2, 'two'],
    ])
  })

  it('knows no input for a result whose call is not before it', () => {
    const messages = [call('a', 1), call('b', 2), result('a', text('late'))]
    expect(answeredCalls(messages)).toEqual([
      { toolName: 'look', input: undefined, answer: 'late' },
    ])
  })

  it.each<Output>([
    { type: 'error-text', value: '{}' },
    { type: 'error-json', value: {} },
    { type: 'execution-denied' },
    { type: 'content', value: [{ type: 'text', text: '{}' }] },
  ])('leaves out a result of type $type', (output) => {
    expect(answeredCalls([call('a', 1), result('a', output)])).toEqual([])
  })
})

import type { ModelMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { firstDivergence, type RecordMessage, recordOf, toRecord } from './projection.ts'
import type { Recording } from './recording.ts'

const resultOf = (output: unknown) =>
  [
    {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'look', output }],
    },
  ] as ModelMessage[]
const read = (content: string, more = {}) => [
  { role: 'tool', content, toolCallId: 'a', toolName: 'look', ...more },
]

describe('toRecord', () => {
  it.each<{ what: string; transcript: ModelMessage[]; expected: unknown[] }>([
    {
      what: 'texts, plain and in parts',
      transcript: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: 'hello' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ],
        },
        { role: 'assistant', content: [{ type: 'text', text: 'c' }] },
      ],
      expected: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: 'hello' },
        { role: 'user', content: 'ab' },
        { role: 'assistant', content: 'c' },
      ],
    },
    {
      what: 'a text with calls',
      transcript: [
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'let me see' },
            { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: { at: [1] } },
          ],
        },
      ],
      expected: [
        {
          role: 'assistant',
          content: 'let me see',
          toolCalls: [{ id: 'a', name: 'look', args: { at: [1] } }],
        },
      ],
    },
    {
      what: 'a result',
      transcript: resultOf({ type: 'text', value: ' ok\n' }),
      expected: read(' ok\n'),
    },
    {
      what: 'an empty result',
      transcript: resultOf({ type: 'text', value: '' }),
      expected: read(''),
    },
    {
      what: 'a failure',
      transcript: resultOf({ type: 'error-text', value: 'no' }),
      expected: read('no', { isError: true }),
    },
    {
      what: 'a denial',
      transcript: resultOf({ type: 'execution-denied', reason: 'not you' }),
      expected: read('not you', { isError: true }),
    },
    {
      what: 'JSON',
      transcript: resultOf({ type: 'json', value: { a: 1 } }),
      expected: read('{"a":1}'),
    },
    {
      what: 'a failure as JSON',
      transcript: resultOf({ type: 'error-json', value: [1] }),
      expected: read('[1]', { isError: true }),
    },
  ])('projects $what', ({ transcript, expected }) => {
    expect(toRecord(transcript)).toStrictEqual(expected)
  })

  it('gives each result of a step its own message', () => {
    const [first] = resultOf({ type: 'text', value: '1' })
    const part = first?.role === 'tool' ? first.content : []
    expect(toRecord([{ role: 'tool', content: [...part, ...part] }])).toHaveLength(2)
  })
})

const recording: Recording = {
  ...{ id: 'r', source: 's', domain: 'd', reward: 1 },
  opening: ['welcome'],
  turns: [
    {
      asked: ['hi', 'there'],
      steps: [
        {
          messageIndex: 3,
          content: '',
          calls: [
            { id: 'a', name: 'look', args: {}, result: { content: 'seen', isError: false } },
            { id: 'b', name: 'take', args: {}, result: { content: 'Error: no', isError: true } },
          ],
        },
        { messageIndex: 6, content: 'bye', calls: [] },
      ],
    },
  ],
  setAside: { ofUserDevice: 0, empty: 0 },
}

describe('recordOf', () => {
  const conversation: RecordMessage[] = [
    { role: 'assistant', content: 'welcome' },
    { role: 'user', content: 'hi' },
    { role: 'user', content: 'there' },
    {
      role: 'assistant',
      content: '',
      toolCalls: [
        { id: 'a', name: 'look', args: {} },
        { id: 'b', name: 'take', args: {} },
      ],
    },
    { role: 'tool', content: 'seen', toolCallId: 'a', toolName: 'look' },
    { role: 'tool', content: 'Error: no', toolCallId: 'b', toolName: 'take', isError: true },
    { role: 'assistant', content: 'bye' },
  ]

  it('tells the conversation in order', () => {
    expect(recordOf(recording)).toStrictEqual(conversation)
  })

  it('puts a refusal in the place of the result of that very call', () => {
    const refusal = { callId: 'a', message: 'not yet' }
    const refused = { role: 'tool', content: 'not yet', toolCallId: 'a', toolName: 'look' }
    expect(recordOf(recording, [{ ...refusal, messageIndex: 3 }])).toStrictEqual(
      conversation.with(4, { ...refused, isError: true } as RecordMessage),
    )
    expect(recordOf(recording, [{ ...refusal, messageIndex: 9 }])).toStrictEqual(conversation)
  })
})

describe('firstDivergence', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((content): RecordMessage => ({ role: 'user', content }))
  const list = (...messages: (RecordMessage | undefined)[]) =>
    messages.filter((message) => message !== undefined)

  it.each([
    { what: 'nothing for the same', actual: list(a, b), index: undefined },
    { what: 'a changed message', actual: list(a, c), index: 1 },
    { what: 'a missing message', actual: list(a), index: 1 },
    { what: 'a message too many', actual: list(a, b, c), index: 2 },
  ])('finds $what', ({ actual, index }) => {
    expect(firstDivergence(list(a, b), actual)?.index).toBe(index)
  })

  it('tells 1 from "1" in arguments', () => {
    const call = (args: unknown): RecordMessage[] => [
      { role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'look', args }] },
    ]
    expect(firstDivergence(call({ at: 1 }), call({ at: '1' }))).toBeDefined()
    expect(firstDivergence(call({ at: 1, on: 2 }), call({ on: 2, at: 1 }))).toBeUndefined()
  })
})

import { describe, expect, it } from 'vitest'
import { createInMemoryLedger } from '../in-memory-ledger.ts'
import { createResultPolicy } from '../result-policy.ts'
import { aiSdkTranscript, type SdkMessage } from './transcript.ts'

const cyclic: Record<string, unknown> = {}
cyclic['self'] = cyclic

function toolMessage(...outputs: object[]): SdkMessage {
  const content = outputs.map((output, index) => ({
    type: 'tool-result',
    toolCallId: `c${index}`,
    toolName: 'get',
    output,
    providerOptions: { p: { index } },
  }))
  return { role: 'tool', content } as SdkMessage
}

describe('what a result of the AI SDK says', () => {
  it.each<[object, object]>([
    [{ type: 'text', value: 'a' }, { text: 'a' }],
    [{ type: 'json', value: { a: [1] } }, { text: '{"a":[1]}' }],
    [{ type: 'json', value: 'a' }, { text: '"a"' }],
    [
      { type: 'error-text', value: 'a' },
      { text: 'a', isError: true },
    ],
    [
      { type: 'error-json', value: { a: 1 } },
      { text: '{"a":1}', isError: true },
    ],
    [
      { type: 'execution-denied', reason: 'No.' },
      { text: 'No.', isError: true },
    ],
    [{ type: 'execution-denied' }, { text: '', isError: true }],
    [
      {
        type: 'content',
        value: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      { text: 'ab' },
    ],
    [{ type: 'content', value: [] }, { text: '' }],
    [
      { type: 'content', value: [{ type: 'text', text: 'a' }, { type: 'file' }] },
      { text: 'a', isViewable: true },
    ],
    [
      { type: 'content', value: [{ type: 'hologram' }] },
      { text: '', isViewable: true },
    ],
    [{ type: 'json', value: cyclic }, { text: undefined }],
    [{ type: 'json', value: 10n }, { text: undefined }],
    [{ type: 'text', value: 3 }, { text: undefined }],
    [{ type: 'invented-later', value: 'a' }, { text: undefined }],
  ])('case %#', (output, wanted) => {
    expect(aiSdkTranscript.resultsOf(toolMessage(output))).toEqual([
      { toolCallId: 'c0', toolName: 'get', isViewable: false, isError: false, ...wanted },
    ])
  })

  it('counts texts and calls of a message, files by a fixed size, and results of tools apart', () => {
    const message: SdkMessage = {
      role: 'assistant',
      content: [
        { type: 'text', text: 'I look.' },
        { type: 'reasoning', text: 'Hm.' },
        { type: 'tool-call', toolCallId: 'c', toolName: 'get', input: { a: 1 } },
        {
          type: 'tool-result',
          toolCallId: 'c',
          toolName: 'get',
          output: { type: 'text', value: 'x' },
        },
      ],
    }
    expect(aiSdkTranscript.textOf(message)).toBe('I look.Hm.get{"a":1}x')
    expect(aiSdkTranscript.textOf({ role: 'user', content: 'hi' })).toBe('hi')
    expect(aiSdkTranscript.callsOf(message)).toEqual([
      { toolCallId: 'c', toolName: 'get', input: { a: 1 } },
    ])
    // What the provider ran itself is a part of what the assistant said.
    expect(aiSdkTranscript.resultsOf(message)).toEqual([])
    expect(aiSdkTranscript.textOf(toolMessage({ type: 'text', value: 'x' }))).toBe('')
    const file = { type: 'file', mediaType: 'image/png', data: 'AAAA' } as const
    expect(aiSdkTranscript.textOf({ role: 'user', content: [file] })).toHaveLength(6000)
  })
})

describe('what is not in the shape of the AI SDK', () => {
  const call = { type: 'tool-result', toolCallId: 'c', toolName: 'get' }
  const output = { type: 'text', value: 'x'.repeat(9000) }
  const malformed: [string, unknown][] = [
    ['an output that is a text', { ...call, output: 'text' }],
    ['no output', call],
    ['null for an output', { ...call, output: null }],
    ['an output without a type', { ...call, output: { value: 'x'.repeat(9000) } }],
    ['an output whose type is a number', { ...call, output: { type: 7, value: 'x' } }],
    ['content that is a text', { ...call, output: { type: 'content', value: 'x'.repeat(9000) } }],
    ['content with null in it', { ...call, output: { type: 'content', value: [null] } }],
    [
      'content with a part that has no text',
      { ...call, output: { type: 'content', value: [{ type: 'text', text: 7 }] } },
    ],
    ['no call', { type: 'tool-result', toolName: 'get', output }],
    ['no name', { type: 'tool-result', toolCallId: 'c', output }],
    ['null', null],
    ['a text', 'text'],
    ['a number', 7],
    ['a part without a type', {}],
    ['a part whose type is null', { type: null }],
    ['a call without a name', { type: 'tool-call', input: null }],
    ['a call of a symbol', { type: 'tool-call', toolCallId: 'c', toolName: Symbol('get') }],
  ]

  it.each(malformed)('%s is left as it is, and the run goes on', async (_, part) => {
    const policy = createResultPolicy(
      {},
      { transcript: aiSdkTranscript, ledger: createInMemoryLedger() },
    )
    for (const role of ['tool', 'assistant', 'user'] as const) {
      const conversation = policy.forConversation({ scopeKey: 'a', thread: role })
      const history = [
        { role: 'user', content: 'go' },
        { role, content: [part, { ...call, toolCallId: 'd', output }] },
      ] as SdkMessage[]
      const { messages, report } = await conversation.apply(history)
      const [same] = [messages[1]?.content ?? []].flat()
      expect(same).toBe(part)
      expect(report.replacedResults).toBe(role === 'tool' ? 1 : 0)
    }
  })

  it.each(['text', null, undefined, {}])('an output that is %j is not rewritten', (odd) => {
    const message = { role: 'tool', content: [{ ...call, output: odd }] } as SdkMessage
    expect(aiSdkTranscript.withTexts(message, new Map([[0, 'stub']]))).toEqual(message)
  })
})

describe('a result of the AI SDK that is rewritten', () => {
  const options = { providerOptions: { anthropic: { x: 1 } } }

  it.each<[object, object]>([
    [
      { type: 'text', value: 'a' },
      { type: 'text', value: 'stub' },
    ],
    [
      { type: 'json', value: {}, ...options },
      { type: 'text', value: 'stub', ...options },
    ],
    [
      { type: 'error-text', value: 'a' },
      { type: 'error-text', value: 'stub' },
    ],
    [
      { type: 'error-json', value: 1, ...options },
      { type: 'error-text', value: 'stub', ...options },
    ],
    [
      {
        type: 'content',
        value: [
          { type: 'text', text: 'a', ...options },
          { type: 'text', text: 'b' },
        ],
      },
      { type: 'content', value: [{ type: 'text', text: 'stub', ...options }] },
    ],
    [
      { type: 'content', value: [{ type: 'text', text: 'a' }] },
      { type: 'content', value: [{ type: 'text', text: 'stub' }] },
    ],
  ])('keeps its error-ness and its provider options, case %#', (output, wanted) => {
    const message = toolMessage({ type: 'text', value: 'first' }, output)
    const made = aiSdkTranscript.withTexts(message, new Map([[1, 'stub']]))
    expect(made).toEqual(toolMessage({ type: 'text', value: 'first' }, wanted))
    expect((made.content as unknown[])[0]).toBe((message.content as unknown[])[0])
  })
})

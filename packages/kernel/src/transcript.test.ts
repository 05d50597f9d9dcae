import { generateText, type ModelMessage } from 'ai'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createKernel } from './kernel.ts'
import { scriptedModel } from './testing/scripted-model.ts'
import { answerEveryCall, calledSinceUser } from './transcript.ts'

type Assistant = Exclude<Extract<ModelMessage, { role: 'assistant' }>['content'], string>
type Tool = Extract<ModelMessage, { role: 'tool' }>['content']

const user: ModelMessage = { role: 'user', content: 'hello' }

describe('a restored transcript', () => {
  it('comes back as it is when every call is answered', () => {
    const messages = [user, assistant(call('a'), call('b')), tool(result('b'), result('a')), user]
    expect(answerEveryCall(messages)).toBe(messages)
    const nothing: ModelMessage[] = []
    expect(answerEveryCall(nothing)).toBe(nothing)
  })

  it('is refused when it is no list', () => {
    expect(() => answerEveryCall(null as never)).toThrow(
      expect.objectContaining({ code: 'KERNEL_INPUT_INVALID', details: { field: 'history' } }),
    )
  })

  it.each([
    null,
    {},
    { role: 'assistant', content: null },
    { role: 'tool', content: 'x' },
    { role: 'assistant', content: [null] },
    { role: 'user', content: ['x'] },
  ])('is refused when it holds no message: %j', (message) => {
    expect(() => answerEveryCall([user, message as ModelMessage])).toThrow(
      expect.objectContaining({
        code: 'KERNEL_INPUT_INVALID',
        details: { field: 'history', index: 1 },
      }),
    )
  })

  it.each<[string, ModelMessage[], string[]]>([
    ['before a user message', [user, assistant(call('a')), user], ['user', 'a', '!a', 'user']],
    ['at the end', [user, assistant(call('a'))], ['user', 'a', '!a']],
    [
      'before another answer',
      [user, assistant(call('a')), assistant(text('go on'))],
      ['user', 'a', '!a', ''],
    ],
    [
      'behind those that were',
      [user, assistant(call('a'), call('b'), call('c')), tool(result('b')), user],
      ['user', 'abc', '=b', '!a!c', 'user'],
    ],
    [
      'when its results come in two messages',
      [user, assistant(call('a'), call('b'), call('c')), tool(result('c')), tool(result('a'))],
      ['user', 'abc', '=c', '=a', '!b'],
    ],
    [
      'behind an approval that was given',
      [user, assistant(call('a'), request('a')), tool(approval('a'))],
      ['user', 'a', '', '!a'],
    ],
    [
      'when the id was used before',
      [user, assistant(call('a')), tool(result('a')), user, assistant(call('a')), user],
      ['user', 'a', '=a', 'user', 'a', '!a', 'user'],
    ],
    [
      'once for each call, though two have one id',
      [user, assistant(call('a'), call('a')), tool(result('a')), user],
      ['user', 'aa', '=a', '!a', 'user'],
    ],
    ['even with an empty id', [user, assistant(call('')), user], ['user', '', '!', 'user']],
  ])('is told that nobody knows of a call left open: %s', (_where, messages, expected) => {
    expect(answerEveryCall(messages).map(draw)).toEqual(expected)
  })

  it('says in the place of a missing result what to do about it', () => {
    const mended = answerEveryCall([user, assistant(call('a'))])
    expect(mended.at(-1)).toEqual({
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'a',
          toolName: 'tool of a',
          output: { type: 'error-text', value: expect.stringMatching(/not known.*Check before/) },
        },
      ],
    })
  })

  it.each<[string, ModelMessage[]]>([
    ['its own calls', [user, assistant(theirs('p')), user]],
    ['a call it has answered', [user, assistant(theirs('p'), inlineResult('p')), user]],
    ['a call it was denied', [user, assistant(theirs('p'), request('p')), tool(result('p')), user]],
    ['a call it was allowed', [user, assistant(theirs('p'), request('p')), tool(approval('p'))]],
  ])('leaves %s to the provider', (_what, messages) => {
    expect(answerEveryCall(messages)).toBe(messages)
  })

  it.each<[string, ModelMessage[], number, string]>([
    ['at the start', [tool(result('a'))], 0, 'a'],
    ['of a call nobody made', [user, assistant(call('a')), tool(result('b'))], 2, 'b'],
    ['of a text', [user, { role: 'assistant', content: 'hi' }, tool(result('a'))], 2, 'a'],
    ['twice', [user, assistant(call('a')), tool(result('a'), result('a'))], 2, 'a'],
    ['behind the next question', [user, assistant(call('a')), user, tool(result('a'))], 3, 'a'],
    [
      'by a name every object has',
      [user, assistant(call('a')), tool(result('__proto__'))],
      2,
      '__proto__',
    ],
  ])('is refused with a result %s', (_where, messages, index, toolCallId) => {
    expect(() => answerEveryCall(messages)).toThrow(
      expect.objectContaining({
        code: 'KERNEL_INPUT_INVALID',
        details: { field: 'history', index, toolCallId },
      }),
    )
  })
})

describe('any restored transcript', () => {
  it('has exactly one result for each call before the next question or answer', () => {
    fc.assert(
      fc.property(transcript, (messages) => {
        expect(answered(answerEveryCall(messages))).toBe(true)
      }),
    )
  })

  it('keeps all it had, in order, and what is added is only results', () => {
    fc.assert(
      fc.property(transcript, (messages) => {
        const mended = answerEveryCall(messages)
        const added = mended.filter((message) => !messages.includes(message))
        expect(mended.filter((message) => messages.includes(message))).toEqual(messages)
        for (const message of added) expect(draw(message)).toMatch(/^(!.)+$/)
      }),
    )
  })

  it('is mended once and for all, and not touched when nothing is missing', () => {
    fc.assert(
      fc.property(transcript, (messages) => {
        const mended = answerEveryCall(messages)
        expect(answerEveryCall(mended)).toBe(mended)
        expect(mended === messages).toBe(answered(messages))
      }),
    )
  })

  it('is one that the AI SDK sends', async () => {
    await fc.assert(
      fc.asyncProperty(transcript, async (messages) => {
        const model = scriptedModel([{ text: 'ok' }])
        const sent = generateText({ model, messages: [...answerEveryCall([...messages, user])] })
        expect((await sent).text).toBe('ok')
      }),
      { numRuns: 40 },
    )
  })
})

it('of a step with repeated ids, as a kernel leaves it, goes into the next turn', async () => {
  const model = scriptedModel([
    { toolCalls: [1, 2].map(() => ({ name: 'fly', id: 'same' })) },
    { text: 'first' },
    { text: 'second' },
  ])
  const kernel = createKernel({ model })
  const { messages } = await kernel.run({ query: 'one' })
  expect(await kernel.run({ query: 'two', history: messages })).toMatchObject({ text: 'second' })
})

describe('the tools called since the last user message', () => {
  const failed: Tool[number][] = [
    { ...result('x'), output: { type: 'error-text', value: 'no' } },
    { ...result('y'), output: { type: 'error-json', value: {} } },
    { ...result('z'), output: { type: 'execution-denied' } },
  ]

  it.each<[string, ModelMessage[], string[]]>([
    ['nothing', [], []],
    ['nothing yet', [user], []],
    ['one', [user, assistant(call('a')), tool(result('a'))], ['tool of a']],
    [
      'those of all steps',
      [
        user,
        assistant(call('a'), call('b')),
        tool(result('a'), result('b')),
        assistant(call('c')),
        tool(result('c')),
        assistant(text('done')),
      ],
      ['tool of a', 'tool of b', 'tool of c'],
    ],
    [
      'none from before the question',
      [user, assistant(call('a')), tool(result('a')), user, assistant(call('b'))],
      [],
    ],
    ['none that failed', [user, assistant(call('x')), tool(...failed)], []],
    ['no call without a result', [user, assistant(call('a'))], []],
    ['no approval', [user, assistant(call('a')), tool(approval('a'))], []],
    ['no call of the provider', [user, assistant(theirs('p'), inlineResult('p'))], []],
  ])('are %s', (_what, messages, expected) => {
    expect([...calledSinceUser(messages)].sort()).toEqual(expected)
  })
})

function assistant(...content: Assistant): ModelMessage {
  return { role: 'assistant', content }
}

function tool(...content: Tool): ModelMessage {
  return { role: 'tool', content }
}

function text(value: string): Assistant[number] {
  return { type: 'text', text: value }
}

function call(toolCallId: string): Assistant[number] {
  return { type: 'tool-call', toolCallId, toolName: `tool of ${toolCallId}`, input: {} }
}

function theirs(toolCallId: string): Assistant[number] {
  return { ...call(toolCallId), providerExecuted: true } as Assistant[number]
}

function request(toolCallId: string): Assistant[number] {
  return { type: 'tool-approval-request', approvalId: `approval of ${toolCallId}`, toolCallId }
}

function approval(toolCallId: string): Tool[number] {
  return { type: 'tool-approval-response', approvalId: `approval of ${toolCallId}`, approved: true }
}

function result(toolCallId: string) {
  return {
    type: 'tool-result' as const,
    toolCallId,
    toolName: `tool of ${toolCallId}`,
    output: { type: 'text' as const, value: 'fine' },
  }
}

function inlineResult(toolCallId: string): Assistant[number] {
  return result(toolCallId)
}

/** A message in a few characters: calls as `ab`, results as `=a`, results made up as `!a`. */
function draw({ role, content }: ModelMessage): string {
  if (role === 'user' || typeof content === 'string') return 'user'
  const drawn = content.map((part) => {
    if (part.type === 'tool-call') return part.toolCallId
    if (part.type !== 'tool-result') return ''
    return `${part.output.type === 'error-text' ? '!' : '='}${part.toolCallId}`
  })
  return drawn.join('')
}

/** The rule itself, spelt out: each stretch of tool messages answers the calls before it, once each. */
function answered(messages: readonly ModelMessage[]): boolean {
  let open: string[] = []
  for (const message of messages) {
    if (message.role === 'tool') {
      for (const part of message.content) {
        if (part.type !== 'tool-result') continue
        if (!open.includes(part.toolCallId)) return false
        open = open.toSpliced(open.indexOf(part.toolCallId), 1)
      }
      continue
    }
    if (open.length > 0) return false
    if (message.role === 'assistant' && typeof message.content !== 'string') {
      open = message.content.flatMap((part) =>
        part.type === 'tool-call' && !part.providerExecuted ? [part.toolCallId] : [],
      )
    }
  }
  return open.length === 0
}

/** Few ids, so that they come back within a message and later in the conversation. */
const id = fc.constantFrom('a', 'b', 'c', 'd')

const round = fc
  .record({
    calls: fc.array(id, { maxLength: 4 }),
    /** How many of the calls were answered before the crash, and in how many messages. */
    answers: fc.nat(4),
    split: fc.boolean(),
    order: fc.boolean(),
    extra: fc.constantFrom('nothing', 'text', 'provider call', 'approval'),
  })
  .map(({ calls, answers, split, order, extra }): ModelMessage[] => {
    const parts = calls.map(call)
    if (extra === 'text') parts.unshift(text('let me see'))
    if (extra === 'provider call') parts.push(theirs('p'), inlineResult('p'))
    if (extra === 'approval' && calls[0] !== undefined) parts.push(request(calls[0]))
    const results = calls.slice(0, answers).map(result)
    if (order) results.reverse()
    const messages = split ? results.map((one) => tool(one)) : [tool(...results)]
    if (extra === 'approval' && calls[0] !== undefined) messages.unshift(tool(approval(calls[0])))
    return [assistant(...parts), ...(results.length > 0 || extra === 'approval' ? messages : [])]
  })

const transcript: fc.Arbitrary<readonly ModelMessage[]> = fc
  .array(fc.oneof(round, fc.constant([user]), fc.constant([assistant(text('hi'))])), {
    maxLength: 8,
  })
  .map((rounds) => [user, ...rounds.flat()])

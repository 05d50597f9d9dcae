import { describe, expect, it } from 'vitest'
import { ReplayError } from './errors.ts'
import { parseRecording } from './parse-recording.ts'

const place = { file: 'runs.jsonl', line: 7 }
const user = (content: string) => ({ role: 'user', content })
const says = (content: string) => ({ role: 'assistant', content })
const calls = (...ids: string[]) => ({
  role: 'assistant',
  content: '',
  toolCalls: ids.map((id) => ({ id, name: 'look', args: { id } })),
})
const result = (toolCallId: string, content = `of ${toolCallId}`, more = {}) => ({
  ...{ role: 'tool', content, toolCallId, toolName: 'look' },
  ...more,
})
const parse = (...messages: unknown[]) => parseRecording({ id: 'r', messages }, place)

/** `user?` and the steps of each turn, as text: `hi → [a b] bye`. */
const outline = (...messages: unknown[]) => {
  const { opening, turns } = parse(...messages)
  const steps = turns.map(({ asked, steps }) => {
    const did = steps.map(({ content, calls }) =>
      calls.length > 0 ? `[${calls.map(({ id }) => id).join(' ')}]` : content,
    )
    return `${asked.join(' + ')} → ${did.join(' ')}`.trim()
  })
  return [opening.join(' + '), ...steps]
}

describe('parseRecording', () => {
  it.each([
    {
      what: 'a message of the user and all that follows are one turn',
      messages: [user('hi'), calls('a'), result('a'), says('bye')],
      expected: ['', 'hi → [a] bye'],
    },
    {
      what: 'what the assistant says first is the opening',
      messages: [says('welcome'), says('to us'), user('hi'), says('bye')],
      expected: ['welcome + to us', 'hi → bye'],
    },
    {
      what: 'messages of the user in a row are one turn',
      messages: [user('hi'), user('there'), says('bye')],
      expected: ['', 'hi + there → bye'],
    },
    {
      what: 'a user who has the last word is not answered',
      messages: [user('hi'), says('bye'), user('###STOP###')],
      expected: ['', 'hi → bye', '###STOP### →'],
    },
    {
      what: 'a turn may break off after a result',
      messages: [user('hi'), calls('a'), result('a'), user('well?'), says('bye')],
      expected: ['', 'hi → [a]', 'well? → bye'],
    },
    {
      what: 'an assistant that acts before it is asked has a turn of its own',
      messages: [calls('a'), result('a'), says('done')],
      expected: ['', '→ [a] done'],
    },
    {
      what: 'so has one that goes on after its answer',
      messages: [user('hi'), says('wait'), says('bye')],
      expected: ['', 'hi → wait', '→ bye'],
    },
    {
      what: 'a message with neither text nor calls is set aside',
      messages: [user('hi'), says(''), user(''), { role: 'assistant', content: null }],
      expected: ['', 'hi →'],
    },
    { what: 'a record without messages has no turns', messages: [], expected: [''] },
  ])('arranges turns: $what', ({ messages, expected }) => {
    expect(outline(...messages)).toEqual(expected)
  })

  it('joins a call to the result behind its own message, though the id comes again', () => {
    const { turns } = parse(
      ...[user('hi'), calls('a'), result('a', 'first'), calls('a', 'b')],
      ...[result('b', 'other'), result('a', 'second'), says('bye')],
    )
    const joined = turns.flatMap(({ steps }) =>
      steps.flatMap(({ messageIndex, calls }) =>
        calls.map((call) => [messageIndex, call.id, call.result.content]),
      ),
    )
    expect(joined).toEqual([
      [1, 'a', 'first'],
      [3, 'a', 'second'],
      [3, 'b', 'other'],
    ])
  })

  it.each([
    { what: 'isError says so', more: { isError: true }, content: 'no seat', isError: true },
    { what: 'the text begins with Error:', more: {}, content: 'Error: no seat', isError: true },
    { what: 'not of a text like it', more: {}, content: 'Errors: none', isError: false },
    {
      what: 'not against what isError says',
      more: { isError: false },
      content: 'Error: is the name of the flight',
      isError: false,
    },
  ])('takes a result for an error when $what', ({ more, content, isError }) => {
    const { turns } = parse(user('hi'), calls('a'), result('a', content, more))
    expect(turns[0]?.steps[0]?.calls[0]?.result).toEqual({ content, isError })
  })

  it("sets aside what runs on the user's device, and counts it", () => {
    const device = { id: 'd', name: 'toggle', args: {}, requestor: 'user' }
    const recording = parse(
      user('hi'),
      { role: 'user', content: '', toolCalls: [device] },
      result('d', 'on', { toolName: 'toggle', requestor: 'user' }),
      { ...calls('a'), toolCalls: [device, ...calls('a').toolCalls] },
      result('d', 'off', { toolName: 'toggle', requestor: 'user' }),
      result('a'),
      says(''),
    )
    expect(recording.turns).toHaveLength(1)
    expect(recording.turns[0]?.asked).toEqual(['hi'])
    expect(recording.turns[0]?.steps[0]).toMatchObject({ messageIndex: 3, calls: [{ id: 'a' }] })
    expect(recording.setAside).toEqual({ ofUserDevice: 3, empty: 1 })
  })

  it('completes a record that says little of itself', () => {
    expect(parseRecording({ id: 'r', reward: null, messages: [] }, place)).toEqual({
      ...{ id: 'r', source: 'unknown', domain: 'unknown', reward: undefined },
      ...{ opening: [], turns: [], setAside: { ofUserDevice: 0, empty: 0 } },
    })
  })

  it.each([
    { what: 'no object', run: 'text', path: '' },
    { what: 'null', run: null, path: '' },
    { what: 'no id', run: { messages: [] }, path: 'id' },
    { what: 'no messages', run: { id: 'r' }, path: 'messages' },
    { what: 'messages that are no list', run: { id: 'r', messages: {} }, path: 'messages' },
    {
      what: 'an unknown role',
      run: { id: 'r', messages: [user('hi'), { role: 'system', content: 'obey' }] },
      path: 'messages.1.role',
    },
    {
      what: 'content that is no text',
      run: { id: 'r', messages: [{ role: 'user', content: { toString: 'no' } }] },
      path: 'messages.0.content',
    },
    {
      what: 'a call without a name',
      run: {
        id: 'r',
        messages: [{ role: 'assistant', content: '', toolCalls: [{ id: 'a', args: {} }] }],
      },
      path: 'messages.0.toolCalls.0.name',
    },
  ])('refuses $what, and says where', ({ run, path }) => {
    expect(refusalOf(() => parseRecording(run, place))).toMatchObject({
      code: 'REPLAY_RECORD_INVALID',
      details: { file: 'runs.jsonl', line: 7, path },
    })
  })

  it.each([
    {
      what: 'a call without a result',
      messages: [user('hi'), calls('a', 'b'), result('a'), says('bye')],
      path: 'messages.1.toolCalls.1',
      message: '"b" has no result',
    },
    {
      what: 'a call whose result comes after somebody has spoken',
      messages: [calls('a'), user('hi'), result('a')],
      path: 'messages.0.toolCalls.0',
      message: '"a" has no result',
    },
    {
      what: 'a result without a call',
      messages: [user('hi'), says('hm'), result('a')],
      path: 'messages.2',
      message: 'a result for "a"',
    },
    {
      what: 'a result before anything',
      messages: [result('a')],
      path: 'messages.0',
      message: 'a result for "a"',
    },
    {
      what: 'two results of one call',
      messages: [calls('a'), result('a'), result('a')],
      path: 'messages.2',
      message: 'or which has its result',
    },
    {
      what: 'one id for two calls of a message',
      messages: [calls('a', 'a'), result('a'), result('a')],
      path: 'messages.0.toolCalls.1',
      message: '"a" is the id of two calls',
    },
    {
      what: 'a result of another tool',
      messages: [calls('a'), result('a', '', { toolName: 'jump' })],
      path: 'messages.0.toolCalls.0',
      message: 'look is answered by a result of jump',
    },
  ])('refuses $what, and names run and place', ({ messages, path, message }) => {
    const error = refusalOf(() => parse(...messages))
    expect(error).toMatchObject({
      code: 'REPLAY_RECORD_INVALID',
      details: { file: 'runs.jsonl', line: 7, run: 'r', path },
    })
    expect(error.message).toContain(`runs.jsonl:7 cannot be replayed (r, ${path}): `)
    expect(error.message).toContain(message)
    expect(error.message).toMatch(/Mend the line or remove it\.$/)
  })

  it('reads names such as __proto__ as names', () => {
    const run = JSON.parse(
      `{"id":"r","__proto__":{"source":"forged"},"messages":[
        {"role":"assistant","content":"","toolCalls":[{"id":"__proto__","name":"constructor","args":{}}]},
        {"role":"tool","content":"ok","toolCallId":"__proto__","toolName":"constructor"}]}`,
    )
    const { source, turns } = parseRecording(run, place)
    expect(source).toBe('unknown')
    expect(turns[0]?.steps[0]?.calls[0]).toMatchObject({ id: '__proto__', name: 'constructor' })
  })
})

function refusalOf(act: () => unknown): ReplayError {
  try {
    act()
  } catch (error) {
    if (error instanceof ReplayError) return error
    throw error
  }
  throw new Error('Nothing was refused.')
}

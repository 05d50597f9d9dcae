import { describe, expect, it } from 'vitest'
import { ReplayError } from '../errors.ts'
import { parseConversation } from './conversation.ts'

const policyOf = (ref: string) => (ref === 'policies/desk.md' ? 'Be kind.' : undefined)
const parse = (record: object) =>
  parseConversation({ id: 'r', ...record }, { file: 'runs.jsonl', line: 7, policyOf })

const asked = { role: 'user', content: 'hi' }
const called = (...ids: string[]) => ({
  ...{ role: 'assistant', content: '' },
  toolCalls: ids.map((id) => ({ id, name: 'look', args: { id } })),
})
const answered = (toolCallId: string, content: string, more = {}) => ({
  ...{ role: 'tool', toolCallId, content },
  ...more,
})
const call = (toolCallId: string) => ({
  type: 'tool-call',
  ...{ toolCallId, toolName: 'look', input: { id: toolCallId } },
})
const result = (toolCallId: string, value: string, type = 'text') => ({
  type: 'tool-result',
  ...{ toolCallId, toolName: 'look', output: { type, value } },
})

describe('a recorded conversation', () => {
  it('has the results of one message in one tool message, and tells errors apart', () => {
    const messages = [
      asked,
      called('a', 'b'),
      answered('a', 'Error: no'),
      answered('b', 'Error: so it says', { isError: false }),
      { role: 'assistant', content: 'done' },
    ]
    expect(parse({ messages }).messages).toEqual([
      asked,
      { role: 'assistant', content: [call('a'), call('b')] },
      {
        role: 'tool',
        content: [result('a', 'Error: no', 'error-text'), result('b', 'Error: so it says')],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'done' }] },
    ])
  })

  it.each([
    { policyRef: 'policies/desk.md', system: [{ role: 'system', content: 'Be kind.' }] },
    { policyRef: 'policies/lost.md', system: [] },
  ])('begins with the policy of $policyRef where there is one', ({ policyRef, system }) => {
    expect(parse({ policyRef, messages: [asked] }).messages).toEqual([...system, asked])
  })

  it('leaves out the device of the user and messages that hold nothing', () => {
    const device = { id: 'x', name: 'reboot', args: {}, requestor: 'user' }
    const messages = [
      asked,
      { role: 'assistant', content: '' },
      { role: 'user', content: '', toolCalls: [device] },
      answered('x', 'on', { requestor: 'user' }),
    ]
    expect(parse({ messages }).messages).toEqual([asked])
  })

  it('may end in a call that nobody answers', () => {
    expect(parse({ messages: [asked, called('a')] }).messages).toHaveLength(2)
  })

  it.each([
    { domain: 'mcp-travel', population: 'mcp' },
    { domain: 'coding', population: 'coding' },
    { domain: undefined, population: 'unknown' },
  ])('of domain $domain counts as $population', ({ domain, population }) => {
    expect(parse({ domain, messages: [] }).population).toBe(population)
  })

  it.each([
    { record: { messages: [answered('ghost', 'boo')] }, place: 'messages.0' },
    { record: { messages: [{ role: 'oracle', content: '' }] }, place: 'messages.0.role' },
    { record: {}, place: 'messages' },
  ])('is refused with its place when it is none: $place', ({ record, place }) => {
    const parsing = () => parse(record)
    expect(parsing).toThrow(ReplayError)
    expect(parsing).toThrow(
      expect.objectContaining({
        code: 'REPLAY_RECORD_INVALID',
        message: expect.stringContaining(`runs.jsonl:7 cannot be replayed`),
        details: expect.objectContaining({ file: 'runs.jsonl', line: 7, path: place }),
      }),
    )
  })
})

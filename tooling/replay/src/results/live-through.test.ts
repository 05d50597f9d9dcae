import type { ModelMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import type { Conversation } from './conversation.ts'
import { type HistoryPolicy, sendEverything } from './history-policy.ts'
import { type Asking, liveThrough } from './live-through.ts'
import { wireText } from './wire-text.ts'

const says = (text: string): ModelMessage => ({
  role: 'assistant',
  content: [{ type: 'text', text }],
})
const calls = (toolCallId: string, input: unknown): ModelMessage => ({
  role: 'assistant',
  content: [{ type: 'tool-call', toolCallId, toolName: 'look', input }],
})
const answers = (toolCallId: string, value: string): ModelMessage => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId, toolName: 'look', output: { type: 'text', value } }],
})

const conversation: Conversation = {
  id: 'run',
  population: 'desk',
  messages: [
    { role: 'system', content: 'Be kind.' },
    says('How can I help?'),
    { role: 'user', content: 'Cancel it.' },
    calls('a', {}),
    answers('a', 'It is ZZ99XX, at noon12.'),
    calls('b', { id: 'ZZ99XX' }),
    answers('b', 'cancelled'),
    says('Done, noon12.'),
  ],
}

/** Hides every result of `look` behind a stub; its tool finds whatever it is told to. */
const hiding = (finds: (value: string) => string): HistoryPolicy => ({
  name: 'hiding',
  toolText: 'find(value)',
  open: () => ({
    prepare: (history) =>
      history.map((message): ModelMessage => {
        const [part] = message.role === 'tool' ? message.content : []
        return part?.type === 'tool-result' && part.toolName === 'look'
          ? answers(part.toolCallId, `<${part.toolCallId}>`)
          : message
      }),
    recall: async ({ value, stub }) => ({
      ...{ toolName: 'find', input: { stub }, text: finds(value) },
    }),
  }),
})
const live = (policy: HistoryPolicy, asking: Asking = 'nothing', withTool = false) =>
  liveThrough(conversation, policy, { asking, withTool })

describe('living a conversation through', () => {
  it('sends what came before each message that a model wrote, and no greeting is one', async () => {
    const { requests, steps, needs } = await live(sendEverything)
    expect(steps).toBe(3)
    expect(needs).toEqual([])
    const texts = conversation.messages.map(wireText)
    expect(requests).toEqual([
      { messages: texts.slice(0, 3), answer: texts[3] },
      { messages: texts.slice(0, 5), answer: texts[5] },
      { messages: texts.slice(0, 7), answer: texts[7] },
    ])
  })

  it('notes who needs what was hidden, and what the tool does not show', async () => {
    const { requests, needs } = await live(hiding((value) => (value === 'noon12' ? value : '')))
    expect(requests).toHaveLength(3)
    expect(needs).toMatchObject([
      { messageIndex: 5, lost: [{ value: 'ZZ99XX' }], unanswered: [{ value: 'ZZ99XX' }] },
      { messageIndex: 7, lost: [{ value: 'noon12' }], unanswered: [] },
    ])
  })

  it('counts everything as unanswered where the policy has no tool', async () => {
    const { open, ...rest } = hiding(() => '')
    const toolless = { ...rest, open: () => ({ prepare: open(conversation).prepare }) }
    const { needs } = await liveThrough(conversation, toolless, {
      asking: 'everything',
      withTool: false,
    })
    expect(needs.map(({ unanswered }) => unanswered.length)).toEqual([1, 1])
  })

  it.each<{ asking: Asking; requests: number }>([
    { asking: 'nothing', requests: 3 },
    { asking: 'arguments', requests: 4 },
    { asking: 'everything', requests: 5 },
  ])('sends $requests requests when it asks for $asking', async ({ asking, requests }) => {
    expect(
      (
        await live(
          hiding((value) => value),
          asking,
        )
      ).requests,
    ).toHaveLength(requests)
  })

  it('asks by what stands in place of the result, and keeps question and answer', async () => {
    const { requests } = await live(
      hiding((value) => `found ${value}`),
      'arguments',
    )
    expect(requests[1]?.answer).toBe('find{"stub":"<a>"}')
    expect(requests[2]?.messages.slice(-2)).toEqual(['find{"stub":"<a>"}', 'found ZZ99XX'])
    expect(requests.at(-1)?.messages).toContain('found ZZ99XX')
  })

  it('calls the tool again where the policy has no tool that answers', async () => {
    const { requests } = await live(
      hiding(() => 'nothing'),
      'arguments',
    )
    expect(requests[1]?.answer).toBe('look{}')
    expect(requests[2]?.messages.slice(-2)).toEqual(['look{}', '<recall-5-0>'])
  })

  it('counts the results that no request shows whole', async () => {
    expect((await live(hiding(String))).unread).toBe(2)
    expect((await live(sendEverything)).unread).toBe(0)
  })

  it('calls again for what went unread, where the policy has no tool that would show it', async () => {
    const { open, ...rest } = hiding(String)
    const toolless = { ...rest, open: () => ({ prepare: open(conversation).prepare }) }
    const asking = async (what: Asking) => {
      const about = { asking: what, withTool: false }
      return (await liveThrough(conversation, toolless, about)).requests.map(({ answer }) => answer)
    }
    expect(await asking('nothing')).toEqual(['look{}', 'look{"id":"ZZ99XX"}', 'Done, noon12.'])
    expect(await asking('arguments')).toEqual([
      ...['look{}', 'look{}', 'look{"id":"ZZ99XX"}'],
      ...['look{"id":"ZZ99XX"}', 'Done, noon12.'],
    ])
  })

  it('does not ask for what an answer has shown already', async () => {
    const { requests } = await live(
      hiding(() => 'ZZ99XX at noon12'),
      'everything',
    )
    expect(requests).toHaveLength(4)
  })

  it('sends the description of the tool first, where that is counted', async () => {
    const { requests } = await live(hiding(String), 'nothing', true)
    expect(requests.map(({ messages }) => messages[0])).toEqual(Array(3).fill('find(value)'))
  })
})

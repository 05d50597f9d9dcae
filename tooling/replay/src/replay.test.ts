import type { Capability } from '@symfonic/kernel'
import { describe, expect, it } from 'vitest'
import { parseRecording } from './parse-recording.ts'
import { recordOf, toRecord } from './projection.ts'
import { callsOf, replay, standInQuery } from './replay.ts'

const user = (content: string) => ({ role: 'user', content })
const says = (content: string) => ({ role: 'assistant', content })
const makes = (...toolCalls: { id: string; name: string; args?: unknown }[]) => ({
  ...{ role: 'assistant', content: '' },
  toolCalls,
})
const look = (id: string, args: unknown = {}) => ({ id, name: 'look', args })
const result = (toolCallId: string, content: string, toolName = 'look') => ({
  ...{ role: 'tool', content, toolCallId, toolName },
})
const record = (messages: unknown[]) =>
  parseRecording({ id: 'r', messages }, { file: 'runs.jsonl', line: 1 })

const conversations: { what: string; messages: unknown[] }[] = [
  { what: 'no turn', messages: [says('welcome')] },
  { what: 'a plain answer', messages: [user('hi'), says('bye')] },
  {
    what: 'calls side by side, with results out of order',
    messages: [user('hi'), makes(look('a'), look('b')), result('b', '2'), result('a', '1')],
  },
  {
    what: 'one id in several messages',
    messages: [
      ...[user('hi'), makes(look('a')), result('a', 'first'), makes(look('a'))],
      ...[result('a', 'second'), says('so'), user('and?'), makes(look('a')), result('a', 'third')],
    ],
  },
  {
    what: 'a failure, and an empty result',
    messages: [
      ...[user('hi'), makes(look('a'), look('b')), result('a', 'Error: no'), result('b', '')],
      says('hm'),
    ],
  },
  {
    what: 'an opening, users in a row, and a user with the last word',
    messages: [says('welcome'), user('hi'), user('there'), says('bye'), user('###STOP###')],
  },
  {
    what: 'an assistant that acts unasked',
    messages: [makes(look('a')), result('a', 'ok'), says('done'), says('really'), user('thanks')],
  },
  {
    what: 'arguments of every kind',
    messages: [
      user('hi'),
      makes(
        ...['text', '', 7, null, [1, [2]], { deep: { list: [{}] }, 'a.b': '\u0000"\\' }].map(
          (args, index) => look(`call ${index}`, args),
        ),
      ),
      ...[0, 1, 2, 3, 4, 5].map((index) => result(`call ${index}`, `${index}`)),
    ],
  },
  {
    what: 'text that is hard to keep',
    messages: [
      user('  \u0000\ud83d\ude00 \r\n'),
      makes(look('a')),
      result('a', '\ud83d\ude00'.repeat(500)),
      says('\u2028 half \udc00 of a \ud83d\ude00 \n\n'),
    ],
  },
  {
    what: 'tools called like properties of every object',
    messages: [
      user('hi'),
      makes(
        ...['__proto__', 'constructor', 'toString'].map((name) => ({ id: name, name, args: {} })),
      ),
      ...['__proto__', 'constructor', 'toString'].map((name) => result(name, `of ${name}`, name)),
      says('bye'),
    ],
  },
]

describe.each([{ mode: 'run' }, { mode: 'stream' }] as const)(
  'replay through $mode',
  ({ mode }) => {
    it.each(conversations)('gives the record back: $what', async ({ messages }) => {
      const recording = record(messages)
      const { transcript, divergence, refused } = await replay(recording, { mode })
      expect(toRecord(transcript)).toStrictEqual(recordOf(recording))
      expect(divergence).toBeUndefined()
      expect(refused).toEqual([])
    })

    it('goes on as recorded when calls are refused, and says which and what they had been answered', async () => {
      const recording = record([
        ...[user('hi'), makes(look('a', { at: 1 }), look('b', { at: 2 }))],
        ...[
          result('a', 'one'),
          result('b', 'two'),
          makes(look('a', { at: 2 })),
          result('a', 'again'),
        ],
        says('bye'),
      ])
      const { transcript, refused, divergence } = await replay(recording, {
        mode,
        capabilities: [refusing('at 2', ({ at }) => at === 2)],
      })
      expect(refused).toEqual([
        {
          ...{ messageIndex: 1, position: 1, capability: 'at 2' },
          call: callsOf(recording)[1]?.call,
          ...{ message: 'not at 2', details: { at: 2 } },
        },
        {
          ...{ messageIndex: 4, position: 0, capability: 'at 2' },
          call: callsOf(recording)[2]?.call,
          ...{ message: 'not at 2', details: { at: 2 } },
        },
      ])
      expect(refused.map(({ call }) => call.result.content)).toEqual(['two', 'again'])
      const results = toRecord(transcript).filter(({ role }) => role === 'tool')
      expect(results.map(({ content }) => content)).toEqual(['one', 'not at 2', 'not at 2'])
      expect(toRecord(transcript).at(-1)).toEqual(says('bye'))
      expect(divergence).toBeUndefined()
    })
  },
)

describe('replay', () => {
  it('shows capabilities the conversation so far, with a stand-in where nobody asks', async () => {
    const seen: string[] = []
    const watching: Capability = {
      name: 'watching',
      forcedTool: ({ messages, query }) => {
        seen.push(`${query}: ${toRecord(messages).map(({ content }) => content)}`)
        return undefined
      },
    }
    const recording = record([makes(look('a')), result('a', 'ok'), says('done'), user('thanks')])
    await replay(recording, { capabilities: [watching] })
    expect(seen).toEqual([
      `${standInQuery}: ${standInQuery}`,
      `${standInQuery}: ${standInQuery},,ok`,
      'thanks: ,ok,done,thanks',
    ])
  })

  it('reports where a transcript parts from its record', async () => {
    // A parser that guards against prototype pollution refuses this argument list.
    const args = JSON.parse('{"__proto__":{"admin":true}}')
    const recording = record([user('hi'), makes(look('a', args)), result('a', 'ok'), says('bye')])
    const { divergence } = await replay(recording)
    expect(divergence?.index).toBe(1)
    expect(Object.hasOwn(Object.prototype, 'admin')).toBe(false)
  })

  it('says in which run and turn it stops when a turn throws', async () => {
    const failing: Capability = {
      name: 'failing',
      sections: [
        {
          ...{ name: 'broken', layer: 'L1', required: true },
          render: ({ query }) => {
            if (query === 'again') throw new Error('out of ink')
            return 'fine'
          },
        },
      ],
    }
    const recording = record([user('hi'), says('bye'), user('again'), says('no')])
    await expect(replay(recording, { capabilities: [failing] })).rejects.toMatchObject({
      name: 'ReplayError',
      code: 'REPLAY_TURN_FAILED',
      message: expect.stringContaining('The run r stops in turn 2: '),
      details: { run: 'r', turn: 2 },
    })
  })
})

function refusing(name: string, isRefused: (input: { at: number }) => boolean): Capability {
  return {
    name,
    gate:
      () =>
      ({ input }) => {
        const { at } = input as { at: number }
        if (!isRefused({ at })) return { allowed: true }
        return { allowed: false, message: `not at ${at}`, details: { at } }
      },
  }
}

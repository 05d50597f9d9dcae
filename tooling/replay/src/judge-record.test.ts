import type { Capability } from '@symfonic/kernel'
import { describe, expect, it } from 'vitest'
import { judgeRecord } from './judge-record.ts'
import { parseRecording } from './parse-recording.ts'
import { toRecord } from './projection.ts'
import { replay } from './replay.ts'

const says = (content: string) => ({ role: 'assistant', content })
const user = (content: string) => ({ role: 'user', content })
const look = (...ids: string[]) => ({
  ...{ role: 'assistant', content: '' },
  toolCalls: ids.map((id) => ({ id, name: 'look', args: { id } })),
})
const result = (toolCallId: string, content: string) => ({ role: 'tool', content, toolCallId })
const record = (...messages: unknown[]) =>
  parseRecording({ id: 'r', messages }, { file: 'runs.jsonl', line: 1 })

/** Notes what is shown to it, and refuses what a test says. */
function watching(refuses: (seen: string[], id: string) => boolean = () => false) {
  const noted: { id: string; seen: string[]; about: object }[] = []
  const capability: Capability = {
    name: 'watching',
    gate: ({ messages, query, step, called, sessionId }) => {
      const seen = toRecord(messages).map(({ role, content }) => `${role}: ${content}`)
      const about = { query, step, called: [...called], sessionId }
      return ({ toolCallId }) => {
        noted.push({ id: toolCallId, seen, about })
        if (!refuses(seen, toolCallId)) return { allowed: true }
        return { allowed: false, message: `no ${toolCallId}`, details: { toolCallId } }
      }
    },
  }
  return { capability, noted }
}

const conversation = record(
  says('welcome'),
  ...[user('hi'), look('a', 'b'), result('a', 'Error: no'), result('b', 'two')],
  ...[look('a'), result('a', 'three'), says('so'), user('and'), user('then?')],
  ...[look('c'), result('c', 'four')],
)

describe('judgeRecord', () => {
  it('shows a gate the conversation before each call, as a kernel does', async () => {
    const alone = watching()
    judgeRecord(conversation, [alone.capability])
    expect(alone.noted.map(({ seen }) => seen.slice(1))).toEqual([
      ['user: hi', 'assistant: '],
      ['user: hi', 'assistant: ', 'tool: Error: no'],
      ['user: hi', 'assistant: ', 'tool: Error: no', 'tool: two', 'assistant: '],
      [
        ...['user: hi', 'assistant: ', 'tool: Error: no', 'tool: two', 'assistant: '],
        ...['tool: three', 'assistant: so', 'user: and', 'user: then?', 'assistant: '],
      ],
    ])

    const within = watching()
    await replay(conversation, { capabilities: [within.capability] })
    // A kernel runs b beside a, so it need not wait for what a answers.
    const others = ({ noted }: typeof alone) => noted.filter(({ id }) => id !== 'b')
    expect(others(alone)).toHaveLength(3)
    expect(others(alone)).toEqual(others(within))
  })

  it('gives each call with its place and what the first gate to refuse says', () => {
    const capabilities = [
      watching().capability,
      { ...watching((_, id) => id === 'a').capability, name: 'second' },
      { ...watching(() => true).capability, name: 'third' },
      { name: 'without a gate' },
    ]
    const judged = judgeRecord(conversation, capabilities)
    expect(judged.map(({ refusal }) => refusal?.capability)).toEqual([
      ...['second', 'third', 'second', 'third'],
    ])
    expect(judged[2]).toEqual({
      ...{ messageIndex: 5, position: 0 },
      call: conversation.turns[0]?.steps[1]?.calls[0],
      refusal: { capability: 'second', message: 'no a', details: { toolCallId: 'a' } },
    })
  })

  it.each([
    { reading: {}, expected: ['tool: Error: no', 'tool: two', 'tool: three'] },
    {
      reading: { joinResults: 'last-use-of-id' },
      expected: ['tool: three', 'tool: two', 'tool: three'],
    },
    { reading: { refusalsHold: true }, expected: ['tool: no a', 'tool: no b', 'tool: no a'] },
    { reading: { refusalsHold: false }, expected: ['tool: Error: no', 'tool: two', 'tool: three'] },
  ] as const)('reads the results as told: $reading', ({ reading, expected }) => {
    const { capability, noted } = watching(() => true)
    judgeRecord(conversation, [capability], reading)
    expect(noted.at(-1)?.seen.filter((line) => line.startsWith('tool: '))).toEqual(expected)
  })

  it('refuses to judge by a gate that answers later', () => {
    const late: Capability = { name: 'late', gate: () => async () => ({ allowed: true }) }
    expect(() => judgeRecord(conversation, [late])).toThrow(
      expect.objectContaining({
        code: 'REPLAY_GATE_ASYNC',
        details: { capability: 'late', toolCallId: 'a' },
      }),
    )
  })

  it('lets out what a gate throws: a record half judged proves nothing', () => {
    const broken: Capability = {
      name: 'broken',
      gate: () => {
        throw new RangeError('out of ink')
      },
    }
    expect(() => judgeRecord(conversation, [broken])).toThrow(RangeError)
  })
})

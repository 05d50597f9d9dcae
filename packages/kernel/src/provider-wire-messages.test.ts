import { type ModelMessage, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { CacheOptions } from './cache/cache-settings.ts'
import type { CacheTtl, Capability } from './capability.ts'
import { createKernel } from './kernel.ts'
import { markedAs, history as markedHistory } from './testing-fixtures/marked-messages.ts'
import {
  type Body,
  blocksOf,
  calls,
  markersOf,
  playTurn,
  recordedAnthropic,
  says,
  thinks,
} from './testing-fixtures/recorded-wire.ts'

// The messages region on the wire: where it is marked, and that what was sent stays as it was sent.

const longResult = 'row '.repeat(2_000)
const tools = { look: tool({ inputSchema: z.object({}), execute: async () => longResult }) }
const ten = Array.from({ length: 10 }, (_, step) =>
  step < 9 ? thinks(calls(['look'])) : says('done'),
)

describe.each(['run', 'stream'] as const)('a %s of ten steps with long results', (mode) => {
  const policies = ['off', 'stable-boundary', 'rolling', 'window-aware'] as const

  it.each(policies)('keeps all that it has sent, under %s', async (messages) => {
    const bodies = await tenSteps({ messages })
    for (const [step, body] of bodies.entries()) {
      const before = textsOf(bodies[step - 1] ?? {})
      expect(textsOf(body).slice(0, before.length)).toEqual(before)
    }
  })

  it.each(policies)(
    'ends it with a marker that the next step still has, under %s',
    async (messages) => {
      const bodies = await tenSteps({ messages })
      for (const [step, body] of bodies.entries()) {
        const next = bodies[step + 1]
        const end = blocksOf(body).findLastIndex(({ ttl }) => ttl !== undefined)
        expect(end).toBeGreaterThanOrEqual(0)
        if (next === undefined) continue
        // Read back: some marker of the next request stands on that block, or less than 20 behind it.
        const reached = blocksOf(next).findIndex(
          ({ ttl }, index) => ttl !== undefined && index >= end,
        )
        expect(reached - end).toBeLessThan(20)
        expect(reached).toBeGreaterThanOrEqual(end)
      }
    },
  )

  it('marks the latest closed message and leaves the tools their marker: stable-boundary', async () => {
    const bodies = await tenSteps({ messages: 'stable-boundary' })
    expect(bodies.map(markedMessages)).toEqual([
      [],
      ...Array.from({ length: 9 }, (_, step) => [`call ${step}`]),
    ])
    for (const body of bodies)
      expect(markersOf(body).slice(0, 2)).toEqual(['tools 5m', 'system 5m'])
  })

  it('marks the end of this request and of the one before it: rolling', async () => {
    const bodies = await tenSteps({ messages: 'rolling' })
    expect(bodies.map(markedMessages)).toEqual([
      ['question'],
      ['question', 'result 0'],
      ...Array.from({ length: 8 }, (_, step) => [`result ${step}`, `result ${step + 1}`]),
    ])
  })

  it('marks none while the prefix is shorter than the model caches', async () => {
    // Each result has 8,000 characters: three of them are the first 6,000 tokens.
    const bodies = await tenSteps({ messages: 'rolling', minimumTokens: 6_000 })
    expect(bodies.map((body) => markedMessages(body).length)).toEqual([
      0, 0, 0, 1, 2, 2, 2, 2, 2, 2,
    ])
  })

  it('gives the next turn a history that begins with all of it, while L2 stays', async () => {
    const { model, bodies } = recordedAnthropic([...ten, ...ten])
    const kernel = createKernel({ model, tools, capabilities: [desk] })
    const first = await playTurn(kernel, { query: 'question' }, mode)
    await playTurn(kernel, { query: 'go on', history: first.messages }, mode)
    const before = textsOf(bodies[9] ?? {})
    expect(textsOf(bodies[10] ?? {}).slice(0, before.length)).toEqual(before)
  })

  it('gives the same to a process that has its history from a store', async () => {
    const { model, bodies } = recordedAnthropic(ten)
    const first = await playTurn(createKernel({ model, tools, capabilities: [desk] }), {
      query: 'question',
    })
    const stored = JSON.parse(JSON.stringify(first.messages)) as ModelMessage[]
    for (const history of [first.messages, stored]) {
      await playTurn(
        createKernel({ model, tools, capabilities: [desk] }),
        { query: 'go on', history },
        mode,
      )
    }
    expect(bodies[11]).toEqual(bodies[10])
  })

  async function tenSteps(cache: CacheOptions) {
    const { model, bodies } = recordedAnthropic(ten)
    const kernel = createKernel({
      model,
      tools,
      capabilities: [desk],
      cache: { minimumTokens: 1, ...cache },
    })
    const { steps } = await playTurn(kernel, { query: 'question' }, mode)
    expect(bodies).toHaveLength(10)
    expect(steps.flatMap(({ warnings }) => warnings)).toEqual([])
    return bodies
  }
})

describe('hosts that mark their own messages', () => {
  it('keep the newest, beside the end of the prefix', async () => {
    const body = await oneTurn(['5m', '5m', '5m', '5m'], { messages: 'off' })
    expect(markersOf(body)).toEqual(['tools 5m', 'system 5m', 'messages 5m', 'messages 5m'])
    expect(markedMessages(body)).toEqual(['question 2', 'question 3'])
  })

  it('have an hour only behind an hour', async () => {
    const hours: CacheTtl[] = ['1h', '1h']
    const behindAnHour = await oneTurn(hours, { messages: 'off', ttl: '1h' })
    const behindFiveMinutes = await oneTurn(hours, { messages: 'off' })
    const behindNothing = await oneTurn(hours, { ttl: false })
    expect(
      [behindAnHour, behindFiveMinutes, behindNothing].map((body) => markersOf(body).slice(-2)),
    ).toEqual([
      ['messages 1h', 'messages 1h'],
      ['messages 5m', 'messages 5m'],
      ['messages 1h', 'messages 1h'],
    ])
  })

  it('keep one for five minutes in front of one for an hour', async () => {
    const body = await oneTurn(['5m', '1h'], { messages: 'off', ttl: '1h' })
    expect(markersOf(body).slice(-2)).toEqual(['messages 5m', 'messages 5m'])
  })

  it('share them with the strategy, which takes the newer ends', async () => {
    const body = await oneTurn(['5m', '5m', '5m'], { messages: 'rolling', minimumTokens: 1 })
    expect(markedMessages(body)).toEqual(['question 2', 'go on'])
  })

  it('lose no longer lifetime to the strategy where it wants the same message', async () => {
    const body = await oneTurn(['1h'], { messages: everyUser, ttl: '1h', minimumTokens: 1 })
    expect(markersOf(body).slice(-2)).toEqual(['messages 1h', 'messages 5m'])
  })

  it('have theirs behind what was said, and not behind the volatile text', async () => {
    const { model, bodies } = recordedAnthropic()
    const today = { name: 'today', layer: 'L2' as const, render: () => 'It is Monday.' }
    const kernel = createKernel({
      model,
      capabilities: [{ name: 'clock', sections: [today] }],
      ...{ cache: { messages: 'off' }, prompt: { volatilePosition: 'user' } },
    })
    const messages: ModelMessage[] = [{ role: 'user', content: 'question', ...markedAs('5m') }]
    await kernel.generate({ messages, options: {} })
    expect(blocksOf(bodies[0] ?? {}).map(({ json, ttl }) => [JSON.parse(json).text, ttl])).toEqual([
      ['question', '5m'],
      [expect.stringContaining('It is Monday.'), undefined],
    ])
  })

  it('do not see their own messages change', async () => {
    const history = markedHistory([{ on: 'message', ttl: '1h' }])
    const { model } = recordedAnthropic()
    await createKernel({ model }).run({ query: 'go on', history })
    expect(history).toEqual(markedHistory([{ on: 'message', ttl: '1h' }]))
    expect(history[0]).toMatchObject(markedAs('1h'))
  })

  const everyUser = {
    name: 'every-user',
    slots: 2,
    boundaries: ({ messages }: { messages: readonly ModelMessage[] }) =>
      messages.flatMap(({ role }, index) => (role === 'user' ? [index] : [])),
  }

  async function oneTurn(ttls: readonly CacheTtl[], cache: CacheOptions): Promise<Body> {
    const { model, bodies } = recordedAnthropic()
    const kernel = createKernel({ model, tools, capabilities: [desk], cache })
    const history = markedHistory(ttls.map((ttl) => ({ on: 'message', ttl })))
    const { steps } = await kernel.run({ query: 'go on', history })
    expect(steps[0]?.warnings).toEqual([])
    return bodies[0] ?? {}
  }
})

const desk: Capability = {
  name: 'desk',
  sections: [{ name: 'links', layer: 'L1', render: () => 'Write links in full.' }],
}

function textsOf(body: Body): readonly string[] {
  return blocksOf(body).map(({ json }) => json)
}

/** The marked blocks of the messages by what they are: `question`, `call 0`, `result 0`. */
function markedMessages(body: Body): string[] {
  const blocks = blocksOf(body).filter(({ region }) => region === 'messages')
  const counted = { tool_use: 0, tool_result: 0 }
  return blocks.flatMap(({ json, ttl }) => {
    const { type, text } = JSON.parse(json) as { type: string; text: string }
    const name =
      type === 'tool_use'
        ? `call ${counted.tool_use++}`
        : type === 'tool_result'
          ? `result ${counted.tool_result++}`
          : text
    return ttl === undefined ? [] : [name]
  })
}

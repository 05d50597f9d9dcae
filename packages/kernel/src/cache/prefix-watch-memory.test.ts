import { setImmediate as soon } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type ModelMessage, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createKernel } from '../kernel.ts'
import { silentLogger } from '../logger.ts'
import { scriptedModel } from '../testing/scripted-model.ts'
import { owned, promptAssembler } from '../testing-fixtures/prompt-assembler.ts'
import { noUsage } from '../usage.ts'
import { estimateTokens } from './estimate-tokens.ts'
import { createMessageScale } from './message-scale.ts'
import { createPrefixWatch } from './prefix-watch.ts'
import { createRequestReader, toLastRequest } from './read-request.ts'

// What the watch keeps, for how long, and of whom.

const minute = 60_000

describe('what is kept of a request', () => {
  it('is four bytes for each message, and no word of any', async () => {
    const read = createRequestReader(createMessageScale(estimateTokens))
    const kept = async (count: number) => {
      const messages = Array.from({ length: count }, (_, index) => said(`secret ${index}`))
      const markers = [{ message: count - 1, ttl: '5m' as const }]
      const request = read({ prompt: await promptOf('L1'), messages, markers }, 0)
      const { heads, prompt: _, ...rest } = toLastRequest(request, request.markers)
      return { bytes: heads.byteLength, rest: JSON.stringify(rest) }
    }
    const [few, many] = [await kept(10), await kept(400)]
    expect(many.bytes - few.bytes).toBe(4 * 390)
    expect(many.rest.length).toBeLessThan(few.rest.length + 20)
    expect(many.rest).not.toContain('secret')
  })
})

describe('a session of which nothing can be in the cache any more', () => {
  it.each([
    ['is let go when another one is heard of', 6, undefined],
    ['is kept while something of it lives', 4, {}],
  ])('%s', async (_what, minutes, expected) => {
    let at = 0
    const scale = createMessageScale(estimateTokens)
    const watch = createPrefixWatch({
      ...{ scale, logger: silentLogger, minimumTokens: 0, now: () => at },
    })
    const send = async (session: string) => {
      const prompt = await promptOf(`L1 of ${session}`)
      watch.send(session, { prompt, messages: [], markers: [] })(noUsage)
      return new WeakRef(prompt.report)
    }
    const kept = await send('old')
    at += minutes * minute
    await send('new')
    await collectGarbage()
    if (expected === undefined) expect(kept.deref()).toBeUndefined()
    else expect(kept.deref()).toMatchObject({ layerMode: 'stratigraphic' })
    expect(
      watch.send('new', { prompt: await promptOf('x'), messages: [], markers: [] }),
    ).toBeTypeOf('function')
  })
})

describe('turns without a session', () => {
  it('push no session out of the watch, however many they are', async () => {
    const sent = 1_000
    const usage = { input: 2_000, cacheRead: 1_900 }
    const model = scriptedModel(
      Array.from({ length: sent + 3 }, () => ({ text: 'ok', usage })),
      {
        ...{ provider: 'anthropic.messages', modelId: 'claude-sonnet-4-5' },
      },
    )
    const kernel = createKernel({ model, instructions: 'You are a clerk. '.repeat(400) })
    const inSession = { query: 'q', sessionId: 's' }
    await kernel.run(inSession)
    expect((await kernel.run(inSession)).steps[0]?.cache?.verdict).toBe('kept')
    for (let turn = 0; turn < sent; turn += 1) await kernel.run({ query: 'q' })
    expect((await kernel.run(inSession)).steps[0]?.cache).toMatchObject({ verdict: 'kept' })
  })

  it('compare their own steps all the same', async () => {
    const usage = { input: 2_000, cacheRead: 1_900 }
    const look = tool({ inputSchema: z.object({}), execute: async () => 'seen' })
    const script = [
      { toolCalls: [{ name: 'look' }], usage },
      { text: 'ok', usage },
    ]
    const model = scriptedModel(script, {
      ...{ provider: 'anthropic.messages', modelId: 'claude-sonnet-4-5' },
    })
    const instructions = 'You are a clerk. '.repeat(400)
    const { steps } = await createKernel({ model, instructions, tools: { look } }).run({
      query: 'q',
    })
    expect(steps.map(({ cache }) => cache?.verdict)).toEqual(['first', 'kept'])
  })
})

function promptOf(l1: string) {
  return promptAssembler([owned({ name: 'rules', layer: 'L1', render: () => l1 })])()
}

function said(content: string): ModelMessage {
  return { role: 'user', content }
}

async function collectGarbage() {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let round = 0; round < 3; round += 1) {
    await soon()
    collect()
  }
}

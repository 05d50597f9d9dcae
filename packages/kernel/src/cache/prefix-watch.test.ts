import type { LanguageModelUsage, ModelMessage } from 'ai'
import { describe, expect, it, vi } from 'vitest'
import type { CacheTtl, SectionText } from '../capability.ts'
import { silentLogger } from '../logger.ts'
import { definitionsOf, owned, promptAssembler } from '../testing-fixtures/prompt-assembler.ts'
import { noUsage } from '../usage.ts'
import { estimateTokens } from './estimate-tokens.ts'
import { createMessageScale } from './message-scale.ts'
import { type CacheBreak, createPrefixWatch, describeBreak } from './prefix-watch.ts'

const minute = 60_000
/** Tokens of a layer, of a message, and of the definitions of no tools. */
const [layerTokens, messageTokens, toolsTokens] = [100, 10, 1]

describe('a request', () => {
  it('is the first of its session', async () => {
    const { send } = watched()
    expect(await send()).toEqual({
      verdict: 'first',
      expectedTokens: 0,
      predictedTokens: 0,
      readTokens: undefined,
      writtenTokens: undefined,
      change: undefined,
      messageMarkers: [],
    })
  })

  it('is expected to read what the last one left, up to its last marker', async () => {
    const { send } = watched()
    await send({ messages: 3, marked: [1] })
    const cached = toolsTokens + 2 * layerTokens + layerTokens + 2 * messageTokens
    expect(await send({ messages: 5, marked: [4, 1], read: cached, written: 30 })).toEqual({
      verdict: 'kept',
      expectedTokens: cached,
      predictedTokens: cached,
      readTokens: cached,
      writtenTokens: 30,
      change: undefined,
      messageMarkers: [1, 4].map((message) => ({ message, ttl: '5m' })),
    })
  })

  it.each<[number | undefined, string]>([
    [321, 'kept'],
    [257, 'kept'],
    [256, 'lost'],
    [0, 'lost'],
    [undefined, 'unknown'],
  ])('of which the provider reads %s of 321 tokens is %s', async (read, verdict) => {
    const { send } = watched()
    await send({ messages: 3, marked: [1] })
    expect(await send({ messages: 3, marked: [1], read })).toMatchObject({
      verdict,
      expectedTokens: 321,
      predictedTokens: 321,
      change: undefined,
    })
  })

  it('is measured by the provider’s own total', async () => {
    const { send } = watched()
    await send()
    const total = 2 * (toolsTokens + 3 * layerTokens)
    expect(await send({ messages: 0, total })).toMatchObject({
      expectedTokens: 2 * (toolsTokens + 2 * layerTokens),
      predictedTokens: 2 * (toolsTokens + 2 * layerTokens),
    })
  })

  it('that failed has left nothing, and the one before it still counts', async () => {
    const { send, fail } = watched()
    await fail({ messages: 3, marked: [2] })
    expect((await send({ messages: 1 })).verdict).toBe('first')
    await fail({ messages: 3, marked: [2] })
    expect(await send({ messages: 3, read: 201 })).toMatchObject({
      verdict: 'kept',
      expectedTokens: 201,
    })
  })
})

describe('a prefix too short to be cached', () => {
  it('is neither expected nor missed', async () => {
    const { send } = watched({ minimumTokens: 1_024 })
    for (const _ of ['first', 'second']) {
      expect(await send({ messages: 3, marked: [2], read: 0 })).toMatchObject({
        verdict: 'first',
        expectedTokens: 0,
        predictedTokens: 0,
      })
    }
  })

  it('is told from one that is long enough', async () => {
    const { send } = watched({ minimumTokens: 210 })
    await send({ messages: 3, marked: [2] })
    // 101 and 201 are too short.
    expect(await send({ messages: 3, l2: 'other' })).toMatchObject({ predictedTokens: 0 })
    await send({ messages: 3, marked: [2] })
    expect(await send({ messages: 3, marked: [2] })).toMatchObject({ predictedTokens: 331 })
  })
})

describe('time', () => {
  it.each<[CacheTtl, number, string]>([
    ['5m', 4.9, 'kept'],
    ['5m', 5, 'first'],
    ['1h', 5, 'kept'],
    ['1h', 59.9, 'kept'],
    ['1h', 60, 'first'],
  ])('a prefix of %s is after %d minutes: %s', async (ttl, minutes, verdict) => {
    const { send, wait } = watched({ ttl })
    await send()
    wait(minutes)
    expect((await send({ read: 201 })).verdict).toBe(verdict)
  })

  it('begins anew with each request', async () => {
    const { send, wait } = watched()
    await send()
    for (const _ of [1, 2, 3]) {
      wait(4)
      expect((await send({ read: 201 })).verdict).toBe('kept')
    }
  })

  it('costs the messages of five minutes and leaves the layers of an hour', async () => {
    const { send, wait } = watched({ ttl: '1h' })
    await send({ messages: 3, marked: [2] })
    wait(6)
    expect(await send({ messages: 3, marked: [2], read: 201 })).toMatchObject({
      verdict: 'kept',
      expectedTokens: 201,
      change: undefined,
    })
  })
})

describe('what is not as it was', () => {
  const changed = (layer: string, section: string) => ({ kind: 'changed', layer, section })

  it.each<[string, Sent, number, object]>([
    ['L1', { l1: 'other' }, 101, changed('L1', 'L1')],
    ['L0', { l0: 'other' }, 0, changed('L0', 'L0')],
    ['a tool', { tools: { look: '{}' } }, 0, { ...changed('tools', 'look'), kind: 'added' }],
    ['L0, before L1', { l0: 'other', l1: 'other' }, 0, changed('L0', 'L0')],
    ['an old message', { rewritten: 0 }, 201, { kind: 'changed', layer: 'messages', index: 0 }],
    ['a later message', { rewritten: 1 }, 201, { kind: 'changed', layer: 'messages', index: 1 }],
  ])('breaks the prefix and is named: %s', async (_what, differs, predictedTokens, change) => {
    const { send } = watched({ volatile: false })
    await send({ messages: 3, marked: [1] })
    const report = await send({ messages: 3, marked: [1], read: 0, ...differs })
    const expectedTokens = 221
    expect(report).toMatchObject({ verdict: 'broken', expectedTokens, predictedTokens, change })
  })

  it('breaks the prefix, too, when messages are gone', async () => {
    const { send } = watched()
    await send({ messages: 3, marked: [2] })
    expect(await send({ messages: 1 })).toMatchObject({
      verdict: 'broken',
      change: { layer: 'messages', index: 1 },
    })
  })

  it.each<[string, Sent, object]>([
    ['a message in front of it', { rewritten: 0 }, { layer: 'messages', index: 0 }],
    ['the message that carries it', { rewritten: 1 }, { layer: 'messages', index: 1 }],
    ['a message behind it', { rewritten: 2 }, { layer: 'messages', index: 2 }],
    ['it itself', { l2: 'other' }, { layer: 'L2', section: 'L2' }],
  ])('is named where a message carries volatile text: %s', async (_what, differs, change) => {
    const { send } = watched()
    const sent = { messages: 4, marked: [3], carrier: 1, read: 0 }
    await send(sent)
    expect(await send({ ...sent, ...differs })).toMatchObject({ change })
  })

  it('breaks nothing behind the last marker', async () => {
    const { send } = watched()
    await send({ messages: 3, marked: [1] })
    expect(await send({ messages: 3, rewritten: 2, marked: [1], read: 321 })).toMatchObject({
      verdict: 'kept',
      change: undefined,
    })
  })

  it('can be served all the same when it is what it was once before', async () => {
    const { send } = watched()
    await send()
    await send({ l1: 'other' })
    expect(await send()).toMatchObject({ verdict: 'broken', predictedTokens: 201 })
  })
})

describe('L2', () => {
  it.each<[string, Sent, Sent]>([
    ['changes', {}, { l2: 'other' }],
    ['comes', { l2: '' }, {}],
    ['goes', {}, { l2: '' }],
  ])(
    'is there to change: it costs the messages and breaks nothing when it %s',
    async (_how, before, after) => {
      const { send, warn } = watched()
      await send({ messages: 3, marked: [2], ...before })
      expect(await send({ messages: 3, marked: [2], read: 201, ...after })).toMatchObject({
        verdict: 'kept',
        expectedTokens: 201,
        predictedTokens: 201,
        change: { layer: 'L2', section: 'L2' },
      })
      expect(warn).not.toHaveBeenCalled()
    },
  )

  it('that changes does not excuse L1', async () => {
    const { send } = watched()
    await send()
    expect(await send({ l1: 'other', l2: 'other' })).toMatchObject({
      verdict: 'broken',
      change: { layer: 'L1' },
    })
  })
})

describe('another choice of a tool', () => {
  it('costs the messages, breaks nothing and has no culprit', async () => {
    const { send, warn } = watched()
    await send({ messages: 3, marked: [2], forcedTool: 'look' })
    const free = { messages: 3, marked: [2], read: 201 }
    expect(await send(free)).toMatchObject({
      verdict: 'kept',
      expectedTokens: 201,
      predictedTokens: 201,
      change: undefined,
    })
    expect(await send({ ...free, read: 331 })).toMatchObject({ expectedTokens: 331 })
    expect(warn).not.toHaveBeenCalled()
  })

  it('costs no more where the volatile text stands behind what the user said', async () => {
    const { send, warn } = watched()
    await send({ messages: 3, marked: [1], carrier: 2, forcedTool: 'look' })
    expect(await send({ messages: 3, marked: [1], carrier: 2, read: 201 })).toMatchObject({
      verdict: 'kept',
      expectedTokens: 201,
      predictedTokens: 201,
    })
    expect(warn).not.toHaveBeenCalled()
  })

  it('does not excuse L1', async () => {
    const { send } = watched()
    await send({ messages: 3, marked: [2], forcedTool: 'look' })
    expect(await send({ messages: 3, l1: 'other' })).toMatchObject({ verdict: 'broken' })
  })
})

describe('the look back of twenty blocks', () => {
  it.each([
    [19, 251],
    [20, 201],
  ])('over %i messages in between finds %i tokens', async (between, predictedTokens) => {
    const { send } = watched({ volatile: false })
    await send({ messages: 5, marked: [4] })
    const last = 4 + between
    const report = await send({ messages: last + 1, marked: [last], read: 201 })
    expect(report).toMatchObject({ predictedTokens, expectedTokens: 251, change: undefined })
  })
})

describe('sessions', () => {
  it('know nothing of each other’s history, but may read each other’s layers', async () => {
    const { send } = watched()
    await send({ session: 'a', messages: 3, marked: [2] })
    expect(await send({ session: 'b', messages: 1, read: 201 })).toMatchObject({
      verdict: 'first',
      expectedTokens: 0,
      predictedTokens: 201,
    })
    expect((await send({ session: 'a', messages: 3, marked: [2], read: 331 })).verdict).toBe('kept')
  })

  it('that stand alone are let go, and the provider keeps what they left', async () => {
    const { send, forget } = watched({ sessions: 2 })
    await send({ session: 'a' })
    for (let turn = 0; turn < 5; turn += 1) {
      await send({ session: `alone ${turn}` })
      forget(`alone ${turn}`)
    }
    expect(await send({ session: 'a', read: 201 })).toMatchObject({
      ...{ verdict: 'kept', predictedTokens: 201 },
    })
    expect(await send({ session: 'alone 1', read: 201 })).toMatchObject({
      ...{ verdict: 'first', predictedTokens: 201 },
    })
  })

  it('are forgotten beyond their number, the longest silent first', async () => {
    const { send } = watched({ sessions: 2 })
    for (const session of ['a', 'b', 'a', 'c']) await send({ session })
    expect((await send({ session: 'a', read: 201 })).verdict).toBe('kept')
    expect((await send({ session: 'b', read: 201 })).verdict).toBe('first')
  })
})

describe('a culprit', () => {
  it('is warned of once, whatever the session, and another one again', async () => {
    const { send, warn } = watched()
    for (const session of ['a', 'b']) {
      for (const turn of [0, 1, 2])
        await send({ session, l1: { pieces: [{ origin: 'clock', text: `${turn}` }] } })
    }
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      'the cached prefix broke at section "L1" of "desk", written by "clock", in L1',
      expect.objectContaining({ layer: 'L1', origin: 'clock', before: '0', after: '1' }),
    )
    await send({ l0: 'other' })
    await send()
    expect(warn).toHaveBeenCalledTimes(2)
  })

  it.each<[CacheBreak, string]>([
    [{ kind: 'changed', layer: 'messages', index: 3 }, 'message 3 of the history'],
    [{ ...section(), layer: 'tools' }, 'the definition of the tool "rules"'],
    [section(), 'section "rules" of "desk", in L1'],
    [{ ...section(), origin: 'clock' }, 'section "rules" of "desk", written by "clock", in L1'],
  ])('is described in words %#', (change, expected) => {
    expect(describeBreak(change)).toBe(expected)
  })
})

/** What one request has otherwise than the plain one. */
interface Sent {
  readonly session?: string
  readonly l0?: string
  readonly l1?: SectionText
  readonly l2?: string
  /** Definitions by name. */
  readonly tools?: Readonly<Record<string, string>>
  readonly messages?: number
  readonly rewritten?: number
  readonly marked?: readonly number[]
  readonly read?: number | undefined
  readonly written?: number
  readonly total?: number
  readonly forcedTool?: string
  /** The message that carries L2, with no marker behind that. */
  readonly carrier?: number
}

function watched({
  ttl = '5m' as CacheTtl,
  minimumTokens = 0,
  sessions = 1_000,
  volatile = true,
} = {}) {
  const warn = vi.fn()
  let at = 0
  const scale = createMessageScale(estimateTokens)
  const logger = { ...silentLogger, warn }
  const watch = createPrefixWatch({ scale, logger, minimumTokens, sessions, now: () => at })

  const begin = async (sent: Sent) => {
    const { session = 's', messages = 0, rewritten, marked = [], forcedTool, carrier } = sent
    return watch.send(session, {
      prompt: await promptOf(sent, ttl, volatile),
      messages: Array.from({ length: messages }, (_, index): ModelMessage => {
        const text = index === rewritten ? 'new' : `n${index}`
        return { role: 'user', content: text.padEnd(4 * messageTokens - 'user\n'.length, '.') }
      }),
      forcedTool,
      carrier: carrier === undefined ? undefined : { index: carrier, endsMarked: false },
      markers: marked.toSorted((a, b) => a - b).map((message) => ({ message, ttl: '5m' })),
    })
  }
  return {
    warn,
    wait: (minutes: number) => {
      at += minutes * minute
    },
    forget: watch.forget,
    fail: async (sent: Sent = {}) => void (await begin(sent)),
    send: async (sent: Sent = {}) => (await begin(sent))(usageOf(sent)),
  }
}

function promptOf(
  { l0 = 'L0', l1 = 'L1', l2 = 'L2', tools = {}, carrier }: Sent,
  cacheTtl: CacheTtl,
  volatile: boolean,
) {
  const fill = (text: SectionText) =>
    typeof text === 'string' && text !== '' ? text.padEnd(4 * layerTokens, '.') : text
  const texts = { L0: l0, L1: l1, L2: volatile ? l2 : '' }
  const sections = (['L0', 'L1', 'L2'] as const).map((layer) =>
    owned({ name: layer, layer, render: () => fill(texts[layer]) }),
  )
  const surroundings = { tools: { definitions: definitionsOf(tools), ttl: undefined } }
  const volatilePosition = carrier === undefined ? 'system' : 'user'
  return promptAssembler(sections, { cacheTtl, volatilePosition })(surroundings)
}

function usageOf({ read, written, total }: Sent): LanguageModelUsage {
  const { inputTokenDetails } = noUsage
  return {
    ...noUsage,
    inputTokens: total,
    inputTokenDetails: { ...inputTokenDetails, cacheReadTokens: read, cacheWriteTokens: written },
  }
}

function section() {
  const about = { kind: 'changed', layer: 'L1', section: 'rules', capability: 'desk' } as const
  return { ...about, origin: undefined, byte: 0, before: 'a', after: 'b' }
}

import type { DomainPlugin } from '@symfonic/plugins'
import { type ModelMessage, tool } from 'ai'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { CacheOptions } from './cache/cache-settings.ts'
import type { Capability } from './capability.ts'
import { createKernel } from './kernel.ts'
import {
  blocksOf,
  cachedPrefixOf,
  calls,
  markersOf,
  playTurn,
  recordedAnthropic,
  says,
} from './testing-fixtures/recorded-wire.ts'
import { withPlugins } from './with-plugins.ts'

// What plugins do to the wire: nothing in front of the boundary, whatever happens behind it.

const look = tool({ inputSchema: z.object({}), execute: async () => 'seen' })
const pay = tool({ inputSchema: z.object({}), execute: async () => 'paid' })
const tools = { look, pay }

const rules: DomainPlugin = {
  name: 'rules',
  injectContributions: ({ CURRENT_TIMESTAMP, QUERY, TENANT_ID, SPEAKER = 'somebody' }) => [
    { content: 'Never book twice.', cacheTtl: '1h' },
    {
      content: `${CURRENT_TIMESTAMP} ${SPEAKER} of ${TENANT_ID} asks: ${QUERY}`,
      position: 'volatile',
    },
  ],
}
const clock: Capability = {
  name: 'clock',
  sections: [{ name: 'now', layer: 'L2', render: () => `It is ${new Date().toISOString()}.` }],
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1) }))
afterEach(() => void vi.useRealTimers())

describe.each(['run', 'stream'] as const)('twenty turns of a %s', (mode) => {
  it.each<[string, CacheOptions]>([
    ['five minutes', {}],
    ['an hour', { ttl: '1h' }],
    ['a rolling ladder', { messages: 'rolling', minimumTokens: 1 }],
  ])('keep every byte in front of the boundary, and move behind it: %s', async (_what, cache) => {
    let mood = 0
    const moody: DomainPlugin = {
      name: 'moody',
      injectContributions: () => [{ content: `Mood ${mood}`, position: 'volatile' }],
      validateStateTransition: () => mood % 2 === 0,
    }
    const turns = Array.from({ length: 20 }, (_, turn) =>
      turn % 3 === 0 ? [calls(['pay'], ['look']), says('done')] : [says('yes')],
    )
    const { model, bodies } = recordedAnthropic(turns.flat())
    const kernel = createKernel({
      model,
      instructions: 'You are a clerk.',
      tools,
      capabilities: [
        clock,
        withPlugins({
          plugins: [rules, moody],
          renderState: ({ scope }) => ({ SPEAKER: scope?.userId }),
        }),
      ],
      cache,
    })
    let history: readonly ModelMessage[] = []
    for (const turn of turns.keys()) {
      vi.setSystemTime(Date.UTC(2026, 0, 1 + turn))
      mood = turn
      const scope = { tenantId: `tenant ${turn % 3}`, userId: `user ${turn}` }
      const input = { query: `question ${turn}`, scope, history, state: { turn } }
      const result = await playTurn(kernel, input, mode)
      history = result.messages
    }
    expect(bodies).toHaveLength(27)
    expect(new Set(bodies.map(cachedPrefixOf)).size).toBe(1)
    expect(cachedPrefixOf(bodies[0] ?? {})).toContain('Never book twice.')
    const volatile = bodies.map((body) => JSON.stringify((body['system'] as object[]).at(-1)))
    expect(new Set(volatile).size).toBe(20)
    expect(volatile.at(-1)).toContain('user 19 of tenant 1')
  })
})

describe('a plugin', () => {
  it.each<[string, DomainPlugin[]]>([
    ['no plugins', []],
    ['a plugin without hooks', [{ name: 'nothing' }]],
    ['a plugin that says nothing and minds nothing', [silent('nothing')]],
    ['plugins with empty texts and headers of their own', [silent('a'), headed('b'), legacy('c')]],
  ])('that does nothing changes no byte of a request: %s', async (_what, plugins) => {
    const record = async (capabilities: Capability[]) => {
      const { model, raw } = recordedAnthropic([calls(['pay']), says('done'), calls(['pay'])])
      // Ids of calls are made up: both play the same script.
      const kernel = createKernel({ model, instructions: 'You are a clerk.', tools, capabilities })
      await playTurn(kernel, { query: 'hello' })
      await playTurn(kernel, { query: 'hello' }, 'stream')
      return raw.map((text) => text.replaceAll(/toolu_\d+/g, 'toolu'))
    }
    const without = await record([clock])
    expect(without).toHaveLength(4)
    expect(await record([clock, withPlugins({ plugins })])).toEqual(without)
  })

  it('that refuses a tool leaves the tools as they are, and the prefix, too', async () => {
    const { model, bodies } = recordedAnthropic([calls(['pay']), calls(['look'])])
    const veto: DomainPlugin = {
      name: 'veto',
      validateStateTransition: (action) =>
        action !== 'pay' || { allow: false, reason: 'The invoice is paid.' },
    }
    const refusing = withPlugins({ plugins: [rules, veto] })
    const gate: Capability = {
      name: 'gate',
      gate: () => (call) =>
        call.toolName === 'look' ? { allowed: false, message: 'not now' } : { allowed: true },
    }
    const kernel = createKernel({ model, tools, capabilities: [gate, refusing] })
    const { refusals } = await kernel.run({ query: 'pay' })
    expect(refusals.map(({ capability }) => capability)).toEqual(['plugins', 'gate'])
    const allowing = recordedAnthropic([calls(['pay']), calls(['look'])])
    const free = createKernel({
      model: allowing.model,
      tools,
      capabilities: [withPlugins({ plugins: [rules] })],
    })
    await free.run({ query: 'pay' })
    const prefixes = [...bodies, ...allowing.bodies].map(cachedPrefixOf)
    expect(prefixes).toHaveLength(6)
    expect(new Set(prefixes).size).toBe(1)
    expect(new Set(bodies.map(({ tools: sent }) => JSON.stringify(sent))).size).toBe(1)
    expect(JSON.stringify(bodies[1]?.['messages'])).toContain('The invoice is paid.')
  })

  it('that is admitted behind another moves nothing that stands in front of it', async () => {
    const prefixWith = async (plugins: DomainPlugin[]) => {
      const { model, bodies } = recordedAnthropic()
      await createKernel({ model, tools, capabilities: [withPlugins({ plugins })] }).run({
        query: 'hello',
      })
      return blocksOf(bodies[0] ?? {}).flatMap(({ region, json }) =>
        region === 'messages' ? [] : ((JSON.parse(json) as { text?: string }).text ?? []),
      )
    }
    const [alone = ''] = await prefixWith([rules])
    const [both = ''] = await prefixWith([
      rules,
      { name: 'late', injectSystemPrompt: () => 'Late.' },
    ])
    expect(both).toBe(`${alone}\n\n### late\nLate.`)
  })

  it('that writes a clock into its cached text moves the prefix, and is named', async () => {
    const { model, bodies } = recordedAnthropic()
    const ticking: DomainPlugin = {
      name: 'ticking',
      injectSystemPrompt: ({ CURRENT_TIMESTAMP }) => `It is ${CURRENT_TIMESTAMP}.`,
    }
    const kernel = createKernel({
      model,
      tools,
      capabilities: [withPlugins({ plugins: [rules, ticking] })],
      cache: { minimumTokens: 1 },
    })
    const first = await kernel.run({ query: 'hello', sessionId: 's' })
    vi.setSystemTime(Date.UTC(2026, 0, 1, 0, 1))
    const second = await kernel.run({ query: 'go on', history: first.messages, sessionId: 's' })
    expect(new Set(bodies.map(cachedPrefixOf)).size).toBe(2)
    expect(second.cache?.parted).toMatchObject({
      step: 1,
      verdict: 'broken',
      change: { layer: 'L1', section: 'Domain Plugin', capability: 'plugins', origin: 'ticking' },
    })
  })
})

it.each(['run', 'stream'] as const)(
  'a guard that denies after a while has every parallel call answered with an error: %s',
  async (mode) => {
    const ran: string[] = []
    const noting = (name: string) =>
      tool({ inputSchema: z.object({}), execute: async () => ran.push(name) })
    const slow: DomainPlugin = {
      name: 'slow',
      validateStateTransition: async (action) => {
        await new Promise((resolve) => setTimeout(resolve, 20))
        return action === 'ask'
      },
    }
    const { model, bodies } = recordedAnthropic([calls(['pay'], ['look'], ['pay']), says('done')])
    const kernel = createKernel({
      model,
      tools: { pay: noting('pay'), look: noting('look') },
      capabilities: [withPlugins({ plugins: [slow] })],
    })
    const { refusals, text } = await playTurn(kernel, { query: 'pay' }, mode)
    expect([ran, refusals.length, text]).toEqual([[], 3, 'done'])
    expect(bodies[1]?.['messages']).toMatchObject([
      { role: 'user' },
      { role: 'assistant' },
      {
        role: 'user',
        content: ['pay', 'look', 'pay'].map((name) => ({
          type: 'tool_result',
          is_error: true,
          content: expect.stringContaining(`The call to \`${name}\` was refused by \`slow\``),
        })),
      },
    ])
  },
)

describe('two tenants on one kernel', () => {
  it('never read what the other’s plugins wrote, however their turns overlap', async () => {
    const { model, bodies } = recordedAnthropic()
    const slow: DomainPlugin = {
      name: 'slow',
      injectContributions: async ({ TENANT_ID, NAMESPACE, QUERY }) => {
        await new Promise((resolve) => setTimeout(resolve, TENANT_ID === 'acme' ? 8 : 2))
        return [
          { content: `cached for ${TENANT_ID}` },
          { content: `volatile for ${TENANT_ID} ${NAMESPACE} ${QUERY}`, position: 'volatile' },
        ]
      },
    }
    const kernel = createKernel({ model, tools, capabilities: [withPlugins({ plugins: [slow] })] })
    const rounds = Array.from({ length: 6 }, (_, round) =>
      ['acme', 'globex'].map((tenantId) =>
        kernel.run({
          query: `secret of ${tenantId} ${round}`,
          scope: { tenantId, namespace: `space of ${tenantId}` },
          sessionId: 'the same for both',
        }),
      ),
    )
    const results = await Promise.all(rounds.flat())
    expect(bodies).toHaveLength(12)
    for (const body of bodies) {
      const text = JSON.stringify(body)
      expect(text.includes('acme')).not.toBe(text.includes('globex'))
    }
    for (const [index, { prompt, cache }] of results.entries()) {
      const other = index % 2 === 0 ? 'globex' : 'acme'
      expect(JSON.stringify([prompt, cache])).not.toContain(other)
    }
  })

  it('do not have their cached text shown to each other in reports of a broken prefix', async () => {
    const { model } = recordedAnthropic()
    const personal: DomainPlugin = {
      name: 'personal',
      injectSystemPrompt: ({ TENANT_ID }) => TENANT_ID,
    }
    const warnings: unknown[] = []
    const kernel = createKernel({
      model,
      tools,
      capabilities: [withPlugins({ plugins: [personal] })],
      cache: { minimumTokens: 1 },
      logger: { ...quiet, warn: (...line) => warnings.push(line) },
    })
    for (const tenantId of ['acme', 'globex', 'acme']) {
      const { cache } = await kernel.run({ query: 'hello', scope: { tenantId }, sessionId: 's' })
      expect(cache?.parted?.change).toBeUndefined()
    }
    expect(warnings).toEqual([])
  })
})

it('the plugins’ lifetime is on the marker behind their text, and none on their volatile text', async () => {
  const { model, bodies } = recordedAnthropic()
  await createKernel({ model, capabilities: [withPlugins({ plugins: [rules] })] }).run({
    query: 'q',
  })
  expect(markersOf(bodies[0] ?? {})).toEqual(['system 1h'])
  expect(bodies[0]?.['system']).toMatchObject([
    { text: '### rules\nNever book twice.', cache_control: { type: 'ephemeral', ttl: '1h' } },
    { text: expect.stringMatching(/^### rules\n.* asks: q$/) },
  ])
})

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

function silent(name: string): DomainPlugin {
  return {
    name,
    injectContributions: () => [],
    validateStateTransition: () => true,
    getDomainTools: () => [],
  }
}

function headed(name: string): DomainPlugin {
  return {
    name,
    injectContributions: () => [
      { content: '', header: '## Rules', cacheTtl: '1h' },
      { content: '', position: 'volatile' },
    ],
  }
}

function legacy(name: string): DomainPlugin {
  return { name, injectSystemPrompt: () => '' }
}

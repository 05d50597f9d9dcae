import { setTimeout as delay } from 'node:timers/promises'
import type { DomainPlugin, GuardDecision } from '@symfonic/plugins'
import { tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Capability } from './capability.ts'
import { createKernel } from './kernel.ts'
import { scriptedModel } from './testing/scripted-model.ts'
import { type PluginsOptions, withPlugins } from './with-plugins.ts'

// What the kernel's own limit leaves of plugins, and what a host may tell their guards.

const soon = { toolTimeoutMs: 30 }
const hangs = { name: 'hangs', validateStateTransition: () => new Promise<never>(() => {}) }

describe('a guard that the kernel gives up on', () => {
  it.each([10_000, Number.POSITIVE_INFINITY])(
    'is named, and so is whoever was not asked for it: timeLimitMs %d',
    async (timeLimitMs) => {
      const asked: string[] = []
      const decisions: GuardDecision[] = []
      const signals: AbortSignal[] = []
      const waits: DomainPlugin = {
        name: 'waits',
        validateStateTransition: (_action, _context, { signal }) => {
          signals.push(signal)
          return new Promise(() => {})
        },
      }
      const { ran, refusals } = await play({
        ...{ plugins: [waits, after(asked)], timeLimitMs },
        onDecision: (decision) => decisions.push(decision),
      })
      expect(ran).toEqual([])
      expect(refusals).toMatchObject([
        {
          ...{ capability: 'plugins', message: expect.stringContaining('`waits`') },
          details: { verdict: 'abstain', decisions: [{ plugin: 'waits' }, { plugin: 'after' }] },
        },
      ])
      const told = [...decisions]
      expect(told.map(({ plugin, verdict }) => [plugin, verdict])).toEqual([
        ['waits', 'abstain'],
        ['after', 'abstain'],
      ])
      expect(signals.map(({ aborted }) => aborted)).toEqual([true])
      await delay(20)
      expect([asked, decisions]).toEqual([[], told])
    },
  )

  it('is named by its own limit where that is shorter', async () => {
    const { refusals } = await play({ plugins: [hangs], timeLimitMs: 5 })
    expect(refusals).toMatchObject([
      { details: { decisions: [{ plugin: 'hangs', reason: 'it gave no answer within 5 ms' }] } },
    ])
  })

  it.each<[string, Capability['guard']]>([
    [
      'allows as soon as time is up',
      ({ signal }) =>
        () =>
          new Promise((resolve) =>
            signal.addEventListener('abort', () => resolve({ allowed: true })),
          ),
    ],
    ['does not listen', () => () => new Promise(() => {})],
  ])('refuses when it %s', async (_what, guard) => {
    const late = { name: 'late', ...(guard && { guard }) }
    const { ran, refusals } = await play({ plugins: [] }, [late])
    expect(ran).toEqual([])
    expect(refusals).toMatchObject([
      { capability: 'late', details: { gateFailed: 'it took longer than 30 ms' } },
    ])
  })

  it('has a limit of its own: the next capability’s begins anew', async () => {
    const slow = (name: string): Capability => ({
      name,
      guard: () => () => delay(20).then(() => ({ allowed: true })),
    })
    const { ran } = await play({ plugins: [] }, [slow('one'), slow('two')])
    expect(ran).toEqual(['pay'])
  })
})

describe('a plugin whose text the kernel does not wait for', () => {
  it('costs its own text only, and is reported by name', async () => {
    const bad: DomainPlugin = { name: 'bad', injectSystemPrompt: () => new Promise(() => {}) }
    const rules: DomainPlugin = { name: 'rules', injectSystemPrompt: () => 'Ask twice.' }
    const { prompt } = await play({ plugins: [bad, rules], timeLimitMs: Number.POSITIVE_INFINITY })
    expect(prompt.layers.map(({ sections }) => sections[0]?.text)).toEqual([
      '### rules\nAsk twice.',
    ])
    expect(prompt.failed).toMatchObject([{ origin: 'bad', section: 'Domain Plugin' }])
  })
})

describe('what a host tells guards', () => {
  class Person {
    readonly role = 'boss'
  }
  const each = (context: unknown): [string, PluginsOptions['guardContext']][] => [
    ['at once', () => context as never],
    ['promised', async () => context as never],
    // biome-ignore lint/suspicious/noThenProperty: a thenable is what is tested
    ['by a thenable', () => ({ then: (give: (value: unknown) => void) => give(context) }) as never],
  ]

  describe.each<[string, unknown]>([
    ['null', null],
    ['a text', 'boss'],
    ['a number', 7],
    ['true', true],
    ['a Map', new Map([['role', 'boss']])],
    ['a Date', new Date(0)],
    ['an instance', new Person()],
    ['a list', [{ role: 'boss' }]],
    ['a function', () => ({ role: 'boss' })],
  ])('that is %s', (_what, context) => {
    it.each(each(context))('denies, by name: %s', async (_how, guardContext) => {
      const asked: string[] = []
      const { ran, refusals } = await play({
        ...{ plugins: [after(asked)] },
        ...(guardContext && { guardContext }),
      })
      expect([ran, asked]).toEqual([[], []])
      const reason = expect.stringContaining('the context cannot be shown to guards')
      expect(refusals).toMatchObject([
        { details: { verdict: 'abstain', decisions: [{ plugin: 'after', reason }] } },
      ])
    })
  })

  it.each(each(undefined))('is the default for undefined: %s', async (_how, guardContext) => {
    expect(await told(guardContext)).toMatchObject({ query: 'q', toolName: 'pay' })
  })

  it.each([
    ...each({ role: 'clerk' }),
    ...each(Object.assign(Object.create(null), { role: 'clerk' })),
  ])('is a plain record as it is: %s', async (_how, guardContext) => {
    const context = await told(guardContext)
    expect(context).toMatchObject({ role: 'clerk', toolName: 'pay' })
    expect(context).not.toHaveProperty('query')
  })

  async function told(guardContext: PluginsOptions['guardContext']) {
    const contexts: unknown[] = []
    const listening: DomainPlugin = {
      name: 'listening',
      validateStateTransition: (_action, context) => contexts.push(context) > 0,
    }
    const { ran } = await play({ plugins: [listening], ...(guardContext && { guardContext }) })
    expect(ran).toEqual(['pay'])
    return contexts[0]
  }
})

/** A guard that allows, and takes down that it was asked. */
function after(asked: string[]): DomainPlugin {
  return { name: 'after', validateStateTransition: (action) => asked.push(action) > 0 }
}

async function play(options: PluginsOptions, capabilities: readonly Capability[] = []) {
  const ran: string[] = []
  const pay = tool({
    inputSchema: z.object({}),
    execute: async () => {
      ran.push('pay')
      return 'paid'
    },
  })
  const kernel = createKernel({
    model: scriptedModel([{ toolCalls: [{ name: 'pay' }] }, { text: 'done' }]),
    tools: { pay },
    capabilities: [withPlugins(options), ...capabilities],
    limits: soon,
  })
  return { ran, ...(await kernel.run({ query: 'q' })) }
}

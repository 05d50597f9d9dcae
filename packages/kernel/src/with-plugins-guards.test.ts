import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { createPluginRoster, type DomainPlugin, type GuardDecision } from '@symfonic/plugins'
import { defineSkill } from '@symfonic/preflight'
import { type ToolSet, tool } from 'ai'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { Capability } from './capability.ts'
import { createKernel } from './kernel.ts'
import type { KernelOptions } from './kernel-options.ts'
import { type ScriptedCall, scriptedModel } from './testing/scripted-model.ts'
import { collect } from './testing-fixtures/agent-calls.ts'
import { playTurn } from './testing-fixtures/recorded-wire.ts'
import type { RefusedCall } from './turn-state.ts'
import { type PluginsOptions, withPlugins } from './with-plugins.ts'
import { withPreflight } from './with-preflight.ts'

// A veto of a plugin holds: on every route, whatever the guard does instead of answering.

const allows = guarding('allows', () => true)
const slowlyDenies = guarding('slow', async () => {
  await delay(20)
  return { allow: false, reason: 'The invoice is paid.' }
})
const one = [call('pay')]
const three = [call('pay'), call('book'), call('pay')]

describe('a guard that denies after a while', () => {
  const routes = ['run', 'stream', 'generate', 'agent stream'] as const

  it.each(routes)('lets no tool run: %s', async (route) => {
    const { ran, refusals } = await play(three, { plugins: [slowlyDenies] }, { route })
    expect(ran).toEqual([])
    expect(refusals.map(({ toolName, capability }) => [toolName, capability])).toEqual([
      ['pay', 'plugins'],
      ['book', 'plugins'],
      ['pay', 'plugins'],
    ])
  })

  it.each([
    ['behind one that allows', [allows, slowlyDenies]],
    ['in front of one that allows', [slowlyDenies, allows]],
    ['behind one that abstains', [guarding('broken', fail), slowlyDenies]],
    ['in front of one that abstains', [slowlyDenies, guarding('broken', fail)]],
  ])('is told %s', async (_what, plugins) => {
    const { ran, refusals } = await play(one, { plugins })
    expect(ran).toEqual([])
    expect(refusals).toMatchObject([
      {
        message:
          'The call to `pay` was refused by `slow`: The invoice is paid. Do not repeat it unchanged; go on without it, or ask the user.',
        details: { verdict: 'deny', policies: 2 },
      },
    ])
  })

  it.each(routes)('leaves nothing pending for the caller: %s', async (route) => {
    const { pending, refusals } = await play([call('ask')], { plugins: [slowlyDenies] }, { route })
    expect(pending).toEqual([])
    expect(refusals).toMatchObject([{ toolName: 'ask' }])
  })

  it('lets the calls beside it run that it does not deny', async () => {
    const choosy = guarding('choosy', async (action) => {
      await delay(5)
      return action !== 'pay'
    })
    const { ran } = await play(three, { plugins: [choosy] })
    expect(ran).toEqual(['book'])
  })

  it('reads as an error result, and the turn goes on', async () => {
    const { model } = await play(one, { plugins: [slowlyDenies] })
    expect(JSON.stringify(model.received.at(1)?.prompt)).toContain(
      '"type":"error-text","value":"The call to `pay` was refused',
    )
  })
})

describe('a guard that gives no answer', () => {
  // On a clock that stands still only who hangs is late, however slow the machine is.
  beforeEach(() => void vi.spyOn(performance, 'now').mockReturnValue(0))
  afterEach(() => void vi.restoreAllMocks())

  it.each<[string, Answer, RegExp]>([
    ['throws', fail, /it threw Error: secret/],
    ['rejects', () => Promise.reject(new Error('secret')), /it threw Error: secret/],
    ['throws what is no error', () => thrown('a string'), /it threw/],
    ['throws nothing', () => thrown(undefined), /it threw/],
    ['rejects with nothing', () => Promise.reject(undefined), /it threw/],
    ['hangs', () => new Promise(() => {}), /no answer within 5 ms/],
    [
      'answers too late',
      (_action, _context, { signal }) => once(signal, 'abort').then(() => true),
      /no answer within 5 ms/,
    ],
    ['answers "true"', () => 'true', /text/],
    ['answers 1', () => 1, /number/],
    ['answers nothing', () => undefined, /undefined/],
    ['answers null', () => null, /null/],
    ['answers {}', () => ({}), /instead of true or false/],
    ['answers { allow: true }', () => ({ allow: true }), /instead of true or false/],
    ['answers { allow: 0 }', () => ({ allow: 0 }), /instead of true or false/],
    ['answers with a promise of "true"', async () => 'true', /instead of true or false/],
    ['answers with a function', () => () => true, /instead of true or false/],
    ['answers with a proxy that throws', () => new Proxy({}, { get: fail }), /secret/],
    [
      'answers with a promise of such a proxy',
      async () => ({
        get allow() {
          return fail()
        },
      }),
      /secret/,
    ],
  ])('that %s is denied, and named', async (_what, hook, reason) => {
    const decisions: GuardDecision[] = []
    const options: PluginsOptions = {
      plugins: [allows, guarding('broken', hook)],
      timeLimitMs: 5,
      onDecision: (decision) => decisions.push(decision),
    }
    const { ran, refusals } = await play(one, options)
    expect(ran).toEqual([])
    expect(refusals).toMatchObject([
      {
        capability: 'plugins',
        details: {
          verdict: 'abstain',
          policies: 2,
          decisions: [
            { plugin: 'allows', verdict: 'allow', action: 'pay', quarantined: false },
            { plugin: 'broken', verdict: 'abstain', action: 'pay', quarantined: false },
          ],
        },
      },
    ])
    expect(decisions).toEqual(refusals[0]?.details['decisions'])
    expect(decisions[1]?.reason).toMatch(reason)
    // What a plugin threw is for people, not for a model.
    expect(refusals[0]?.message).toContain('`broken`')
    expect(refusals[0]?.message).not.toContain('secret')
  })

  it('is warned about once, and counted each time', async () => {
    const lines: string[] = []
    const warn = (line: string) => lines.push(line)
    const plugins = [guarding('broken', fail)]
    const { refusals } = await play(three, { plugins }, { logger: { ...quiet, warn } })
    expect(refusals).toHaveLength(3)
    expect(lines).toEqual([
      expect.stringContaining('Guard of plugin \'broken\' abstained on "pay"'),
    ])
  })

  it('ends with a turn that is aborted while it hangs', async () => {
    const controller = new AbortController()
    const told: unknown[] = []
    const hanging = guarding('hanging', (_action, _context, { signal }) => {
      signal.addEventListener('abort', () => told.push('aborted'))
      setTimeout(() => controller.abort(), 2)
      return new Promise(() => {})
    })
    const ran: string[] = []
    const kernel = kernelOf(one, { plugins: [hanging] }, ran)
    await expect(kernel.run({ query: 'q', signal: controller.signal })).rejects.toMatchObject({
      code: 'KERNEL_TURN_ABORTED',
    })
    expect([ran, told]).toEqual([[], ['aborted']])
  })

  it('is denied when the turn is aborted by the guard itself, which then allows', async () => {
    const controller = new AbortController()
    const ran: string[] = []
    const rash = guarding('rash', () => {
      controller.abort()
      return true
    })
    const kernel = kernelOf(one, { plugins: [rash] }, ran)
    await expect(kernel.run({ query: 'q', signal: controller.signal })).rejects.toMatchObject({
      code: 'KERNEL_TURN_ABORTED',
    })
    expect(ran).toEqual([])
  })

  it('denies a listener’s failure nothing: onDecision may throw', async () => {
    const { ran } = await play(one, { plugins: [allows], onDecision: fail })
    expect(ran).toEqual(['pay'])
  })
})

describe('guards and gates', () => {
  it('a gate that refuses comes first, and no guard is asked', async () => {
    const asked: string[] = []
    const plugins = [guarding('asked', (action) => asked.push(action))]
    const gate: Capability = {
      name: 'rules',
      gate: () => () => ({ allowed: false, message: 'no' }),
    }
    const { refusals } = await play(one, { plugins }, { capabilities: [gate] })
    expect(asked).toEqual([])
    expect(refusals).toMatchObject([{ capability: 'rules' }])
  })

  it('the rules of pre-flight come first as well, and then the guard', async () => {
    const asked: string[] = []
    const plugins = [guarding('asked', (action) => asked.push(action) > 0)]
    const skill = defineSkill({ label: 'Pay first', actionTool: 'book', precondition: 'pay' })
    const { ran, refusals } = await play(
      [call('book'), call('pay'), call('book')],
      { plugins },
      { capabilities: [withPreflight({ skills: [skill] })] },
    )
    expect(refusals).toMatchObject([{ capability: 'preflight', toolName: 'book' }])
    expect(asked).toEqual(['pay', 'book'])
    expect(ran).toEqual(['pay', 'book'])
  })

  it('a call that waits for earlier ones is asked about once', async () => {
    const decisions: string[] = []
    const gate: Capability = {
      name: 'rules',
      gate: (view) => (proposed) =>
        proposed.toolName === 'book' && !view.called.has('pay')
          ? { allowed: false, message: 'Pay first.' }
          : { allowed: true, tentative: true },
    }
    const options: PluginsOptions = {
      plugins: [allows, guarding('also', () => true)],
      onDecision: ({ plugin, action }) => decisions.push(`${plugin} ${action}`),
    }
    const { ran } = await play([call('pay'), call('book')], options, { capabilities: [gate] })
    expect(ran).toEqual(['pay', 'book'])
    expect(decisions).toEqual(['allows pay', 'also pay', 'allows book', 'also book'])
  })
})

describe('what a guard is told', () => {
  it('is the call, and whose turn it is', async () => {
    const told: unknown[] = []
    const listening = guarding('listening', (action, context) => {
      told.push([action, context])
      return true
    })
    const scope = { tenantId: 'acme', userId: 'ana' }
    await play(one, { plugins: [listening] }, { input: { scope, sessionId: 's', runId: 'r' } })
    expect(told).toEqual([
      [
        'pay',
        {
          ...{ runId: 'r', sessionId: 's', scope, query: 'q' },
          ...{ toolName: 'pay', toolCallId: 'call-1', arguments: { to: { name: 'ana' } } },
        },
      ],
    ])
  })

  it('is what the host adds, which cannot stand for the call', async () => {
    const told: Record<string, unknown>[] = []
    const listening = guarding('listening', (_action, context) => told.push(context) > 0)
    await play(one, {
      plugins: [listening],
      guardContext: async (view, { toolName }) => ({
        ...{ role: 'clerk', seen: view.called.size, asked: toolName },
        ...{ toolName: 'harmless', arguments: {} },
      }),
    })
    expect(told).toEqual([
      {
        ...{ role: 'clerk', seen: 0, asked: 'pay' },
        ...{ toolName: 'pay', toolCallId: 'call-1', arguments: { to: { name: 'ana' } } },
      },
    ])
  })

  it('is a copy: writing to it changes nothing for the tool, other guards or the host', async () => {
    const seen: unknown[] = []
    const scribbles = guarding('scribbles', (_action, context) => {
      seen.push(structuredClone(context))
      const { to } = context['arguments'] as { to: Record<string, unknown> }
      to['name'] = 'mallory'
      ;(context['limits'] as Record<string, unknown>)['amount'] = 1_000_000
      context['toolName'] = 'harmless'
      return true
    })
    const limits = { amount: 5 }
    const { inputs, result } = await play(one, {
      plugins: [scribbles, { ...scribbles, name: 'again' }],
      guardContext: () => ({ limits }),
    })
    expect(seen[1]).toEqual(seen[0])
    expect(limits).toEqual({ amount: 5 })
    expect(inputs).toEqual([{ to: { name: 'ana' } }])
    expect(JSON.stringify(result)).not.toContain('mallory')
  })

  it.each<[string, PluginsOptions['guardContext'], number | undefined]>([
    ['throws', fail, undefined],
    ['rejects', () => Promise.reject(new Error('secret')), undefined],
    ['hangs', () => new Promise<never>(() => {}), 5],
    ['is no plain data', () => ({ send: () => {} }), undefined],
  ])('denies when the host’s context %s', async (_what, guardContext, timeLimitMs) => {
    const asked: string[] = []
    const plugins = [guarding('asked', (action) => asked.push(action))]
    const limit = timeLimitMs === undefined ? {} : { timeLimitMs }
    const { ran, refusals } = await play(one, {
      plugins,
      ...limit,
      ...(guardContext && { guardContext }),
    })
    expect([ran, asked]).toEqual([[], []])
    expect(refusals).toMatchObject([{ details: { verdict: 'abstain' } }])
  })
})

describe('a roster', () => {
  const veto = (name: string): DomainPlugin => ({
    ...guarding(name, () => false),
    injectSystemPrompt: () => `text of ${name}`,
  })

  it.each<[string, DomainPlugin]>([
    ['brings tools', { ...veto('toolmaker'), getDomainTools: () => [{}] }],
    ['has a name that is taken', veto('allows')],
    ['has no usable name', veto(' ')],
  ])('keeps the veto of a plugin that %s, and none of its text', async (_what, refused) => {
    const roster = createPluginRoster()
    await roster.admit(allows)
    expect(await roster.admit(refused)).toMatchObject({ admitted: false })
    const { ran, refusals, result } = await play(one, { plugins: roster })
    expect(ran).toEqual([])
    expect(refusals).toMatchObject([
      { details: { verdict: 'deny', policies: 1, decisions: [{}, { quarantined: true }] } },
    ])
    expect(JSON.stringify(result?.prompt)).not.toContain('text of')
  })

  it('is sealed by createKernel: who comes later is refused and keeps a veto at once', async () => {
    const roster = createPluginRoster()
    const ran: string[] = []
    const capability = withPlugins({ plugins: roster })
    expect(roster.isSealed).toBe(false)
    const kernel = createKernel({
      model: paying(),
      tools: toolsInto(ran),
      capabilities: [capability],
    })
    expect(roster.isSealed).toBe(true)
    expect(await roster.admit(veto('late'))).toMatchObject({
      admitted: false,
      reasons: [{ code: 'too-late' }],
    })
    const { refusals, prompt } = await kernel.run({ query: 'q' })
    expect(ran).toEqual([])
    expect(refusals).toMatchObject([
      { details: { decisions: [{ plugin: 'late', quarantined: true }] } },
    ])
    expect(prompt.layers).toEqual([])
  })

  it('that cannot be read denies and adds no text, and the turn goes on', async () => {
    const broken = {
      get loaded(): never {
        return fail()
      },
      quarantined: [],
    }
    const { ran, refusals, result } = await play(one, { plugins: broken })
    expect(ran).toEqual([])
    expect(refusals).toMatchObject([{ details: { decisions: [{ plugin: '(roster)' }] } }])
    expect(result?.prompt.failed).toHaveLength(2)
    expect(result?.text).toBe('done')
  })

  it('of the host’s own is read live, at each call', async () => {
    const live = { loaded: [allows] as DomainPlugin[], quarantined: [] as DomainPlugin[] }
    const ran: string[] = []
    const tools = toolsInto(ran)
    const kernel = createKernel({
      model: paying(3),
      tools,
      capabilities: [withPlugins({ plugins: live })],
    })
    await kernel.run({ query: 'q' })
    live.quarantined = [veto('refused')]
    const second = await kernel.run({ query: 'q' })
    live.quarantined = []
    live.loaded = [allows, veto('loaded')]
    const third = await kernel.run({ query: 'q' })
    expect(ran).toEqual(['pay'])
    expect(JSON.stringify(second.prompt)).not.toContain('text of')
    expect(JSON.stringify(third.prompt)).toContain('text of loaded')
    expect(third.refusals).toMatchObject([{ details: { policies: 2 } }])
  })
})

type Hook = NonNullable<DomainPlugin['validateStateTransition']>
type Answer = (...asked: Parameters<Hook>) => unknown

/** A plugin with a guard, which may answer what no guard should. */
function guarding(name: string, hook: Answer): DomainPlugin {
  return { name, validateStateTransition: hook as Hook }
}

function fail(): never {
  throw new Error('secret')
}

function thrown(what: unknown): never {
  throw what
}

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

function call(name: string): ScriptedCall {
  return { name, input: { to: { name: 'ana' } } }
}

function paying(turns = 1) {
  return scriptedModel(
    Array.from({ length: turns }, () => [{ toolCalls: one }, { text: 'done' }]).flat(),
  )
}

/** `pay` and `book` run here, `ask` is the caller's. */
function toolsInto(ran: string[], inputs: unknown[] = []): ToolSet {
  const inputSchema = z.object({ to: z.object({ name: z.string() }) })
  const working = (name: string) =>
    tool({
      inputSchema,
      execute: async (input) => {
        ran.push(name)
        inputs.push(input)
        return 'done'
      },
    })
  return {
    pay: working('pay'),
    book: working('book'),
    ask: tool({ inputSchema, outputSchema: z.string() }),
  }
}

function kernelOf(
  toolCalls: readonly ScriptedCall[],
  options: PluginsOptions,
  ran: string[],
  { capabilities = [], ...more }: Partial<KernelOptions> & { inputs?: unknown[] } = {},
) {
  const { inputs, ...kernelOptions } = more
  return createKernel({
    model: scriptedModel([{ toolCalls }, { text: 'done' }]),
    tools: toolsInto(ran, inputs),
    // In front of the gates, which are asked first all the same.
    capabilities: [withPlugins(options), ...capabilities],
    ...kernelOptions,
  })
}

async function play(
  toolCalls: readonly ScriptedCall[],
  options: PluginsOptions,
  about: Partial<KernelOptions> & { route?: string; input?: object } = {},
) {
  const { route = 'run', input, ...more } = about
  const ran: string[] = []
  const inputs: unknown[] = []
  const model = scriptedModel([{ toolCalls }, { text: 'done' }])
  const kernel = kernelOf(toolCalls, options, ran, { ...more, model, inputs })
  const refusals: RefusedCall[] = []
  kernel.observe('tool-refused', ({ type: _, ...refused }) => {
    refusals.push(refused)
  })
  const played = { ran, inputs, refusals, model }
  switch (route) {
    case 'generate': {
      const { text, toolCalls: open } = await kernel.generate({ prompt: 'q', options: {} })
      return { ...played, result: undefined, pending: text === 'done' ? [] : open }
    }
    case 'agent stream': {
      const { stream, text, toolCalls: open } = await kernel.stream({ prompt: 'q', options: {} })
      await collect(stream)
      return { ...played, result: undefined, pending: (await text) === 'done' ? [] : await open }
    }
    default: {
      const turn = { query: 'q', ...input }
      const result = await playTurn(kernel, turn, route === 'stream' ? 'stream' : 'run')
      expect(result.refusals).toEqual(refusals)
      return { ...played, result, pending: result.pendingCalls }
    }
  }
}

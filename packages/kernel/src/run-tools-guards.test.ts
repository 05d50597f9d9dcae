import { setTimeout as delay } from 'node:timers/promises'
import { type ToolSet, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { CallJudge, Capability, GateDecision, ProposedCall, TurnView } from './capability.ts'
import type { TurnEvent } from './events.ts'
import { createKernel } from './kernel.ts'
import { type ScriptedCall, scriptedModel } from './testing/scripted-model.ts'

const allow: GateDecision = { allowed: true }
const refuse: GateDecision = { allowed: false, message: 'not now', details: { why: 'paid' } }

describe('a guard', () => {
  it('refuses before the tool runs: the model reads why, an event and the result tell it', async () => {
    const { log, result, events, outputs } = await play([call('fast')], [guard('veto', refuse)])
    expect(log).toEqual([])
    expect(outputs).toEqual([{ type: 'error-text', value: 'not now' }])
    const refused = {
      step: 1,
      toolCallId: 'call-1',
      toolName: 'fast',
      input: { id: 'x' },
      capability: 'veto',
      message: 'not now',
      details: { why: 'paid' },
    }
    expect(events.filter(({ type }) => type === 'tool-refused')).toEqual([
      { type: 'tool-refused', ...refused },
    ])
    expect(result.refusals).toEqual([refused])
  })

  it.each<[string, (view: TurnView) => unknown]>([
    ['cannot be opened', raise],
    ['throws', () => raise],
    ['throws what is no error', () => () => Promise.reject('no')],
    ['throws nothing', () => () => Promise.reject(undefined)],
    ['is no function once it is opened', () => 'yes'],
    ['gives nothing', () => () => undefined],
    ['gives true', () => () => true],
    ['gives a string', () => () => 'true'],
    ['gives something truthy as the verdict', () => () => ({ allowed: 1 })],
    ['gives no verdict beside a message', () => () => ({ allowed: 'no', message: 'sure' })],
    ['refuses without a message', () => () => ({ allowed: false })],
    ['gives a decision that cannot be read', () => () => unreadable()],
    ['changes its mind while it is read', () => () => fickle()],
  ])('that %s refuses', async (_what, open) => {
    const broken = { name: 'broken', guard: open as Capability['guard'] } as Capability
    const { log, result } = await play([call('fast'), call('slow')], [broken])
    expect(log).toEqual([])
    expect(result.refusals).toEqual(
      ['fast', 'slow'].map((toolName) =>
        expect.objectContaining({
          ...{ toolName, capability: 'broken' },
          message: expect.stringContaining(`${toolName} was not run`),
          details: { gateFailed: expect.any(String) },
        }),
      ),
    )
  })

  it('is asked once every gate has allowed the call, and not when one refuses', async () => {
    const log: string[] = []
    const asking = (name: string, decision: GateDecision) => () => {
      log.push(name)
      return decision
    }
    const capabilities: Capability[] = [
      { name: 'first', guard: () => asking('guard 1', allow) },
      { name: 'second', gate: () => asking('gate', refuse) },
    ]
    const refused = await play([call('fast')], capabilities, { log })
    expect(refused.log).toEqual(['gate'])
    expect(refused.result.refusals).toMatchObject([{ capability: 'second' }])
    const both: Capability[] = [
      { name: 'first', gate: () => asking('gate 1', allow), guard: () => asking('guard 1', allow) },
      {
        name: 'second',
        gate: () => asking('gate 2', allow),
        guard: () => asking('guard 2', refuse),
      },
      { name: 'third', guard: () => asking('guard 3', allow) },
    ]
    log.length = 0
    await play([call('fast')], both, { log })
    expect(log).toEqual(['gate 1', 'gate 2', 'guard 1', 'guard 2'])
  })

  it('is asked once about a call that waited for earlier ones, with their results in', async () => {
    const asked: string[] = []
    const waiting: Capability = {
      name: 'gate',
      gate: () => () => ({ allowed: true, tentative: true }),
    }
    const watching: Capability = {
      name: 'guard',
      guard: (view) => (proposed) => {
        asked.push(`${proposed.toolName} after ${[...view.called].join()}`)
        return allow
      },
    }
    const { log } = await play([call('slow'), call('fast')], [waiting, watching])
    expect(asked).toEqual(['slow after ', 'fast after slow'])
    expect(log).toEqual(['slow starts', 'slow ends', 'fast starts', 'fast ends'])
  })

  it('lets what it allowed run beside what it is still asked about', async () => {
    const slowStarts = Promise.withResolvers<void>()
    const fastEnds = Promise.withResolvers<void>()
    const unhurried = guard('guard', async ({ toolName }) => {
      await (toolName === 'fast' ? slowStarts.promise : delay(1))
      return allow
    })
    const { log } = await play([call('slow'), call('fast')], [unhurried], {
      slow: () => {
        slowStarts.resolve()
        return fastEnds.promise
      },
      onEnd: (name) => name === 'fast' && fastEnds.resolve(),
    })
    expect(log).toEqual(['slow starts', 'fast starts', 'fast ends', 'slow ends'])
  })

  it.each(['allows', 'refuses'] as const)(
    'that %s does not keep the calls beside it',
    async (what) => {
      const choosy = guard('guard', ({ toolName }) =>
        toolName === 'slow' && what === 'refuses' ? refuse : allow,
      )
      const { outputs } = await play([call('slow'), call('fast')], [choosy])
      expect(outputs.map(({ type }) => type)).toEqual([
        what === 'allows' ? 'text' : 'error-text',
        'text',
      ])
    },
  )

  it('is asked about calls that the caller is to run, and answers the refused ones', async () => {
    const choosy = guard('guard', ({ input }) =>
      (input as { id: string }).id === 'no' ? refuse : allow,
    )
    const model = scriptedModel([
      {
        toolCalls: [
          { name: 'ask', input: { id: 'no' } },
          { name: 'ask', input: { id: 'yes' } },
        ],
      },
    ])
    const inputSchema = z.object({ id: z.string() })
    const tools: ToolSet = { ask: tool({ inputSchema, outputSchema: z.string() }) }
    const result = await createKernel({ model, tools, capabilities: [choosy] }).run({ query: 'q' })
    expect(result.pendingCalls.map(({ input }) => input)).toEqual([{ id: 'yes' }])
    expect(result.refusals.map(({ input }) => input)).toEqual([{ id: 'no' }])
  })

  it('is not asked about calls that are not valid', async () => {
    const asked: string[] = []
    const watching = guard('guard', ({ toolName }) => {
      asked.push(toolName)
      return allow
    })
    await play([{ name: 'fly' }, { name: 'fast', input: { wrong: 1 } }, call('fast')], [watching])
    expect(asked).toEqual(['fast'])
  })

  it('that hangs ends with the turn, and no tool has run', async () => {
    const controller = new AbortController()
    const log: string[] = []
    const hanging = guard('hanging', () => new Promise<never>(() => {}))
    const playing = play([call('fast')], [hanging], { log, signal: controller.signal })
    setTimeout(() => controller.abort(), 5)
    await expect(playing).rejects.toMatchObject({ code: 'KERNEL_TURN_ABORTED' })
    expect(log).toEqual([])
  })

  it('that hangs ends when the consumer leaves', async () => {
    const hanging = guard('hanging', () => new Promise<never>(() => {}))
    const kernel = kernelOf([call('fast')], [hanging])
    const events = kernel.stream({ query: 'q' })
    const seen: string[] = []
    for await (const { type } of events) {
      seen.push(type)
      if (type === 'tool-call') break
    }
    expect(seen).not.toContain('tool-result')
  })

  it.each(Array.from({ length: 12 }, (_, ticks) => ticks))(
    'that allows, with the turn aborted %i microtasks later, lets no tool start after the abort',
    async (ticks) => {
      const controller = new AbortController()
      const log: string[] = []
      const allowing = guard('guard', () => {
        void after(ticks, () => {
          log.push('aborted')
          controller.abort()
        })
        return allow
      })
      const playing = play([call('fast')], [allowing], { log, signal: controller.signal })
      await expect(playing).rejects.toMatchObject({ code: 'KERNEL_TURN_ABORTED' })
      expect(log.slice(log.indexOf('aborted'))).not.toContain('fast starts')
    },
  )
})

async function after(microtasks: number, work: () => void) {
  for (let tick = 0; tick < microtasks; tick += 1) await undefined
  work()
}

function call(name: string): ScriptedCall {
  return { name, input: { id: 'x' } }
}

function guard(
  name: string,
  answer: GateDecision | ((call: ProposedCall) => ReturnType<CallJudge>),
): Capability {
  return { name, guard: () => (typeof answer === 'function' ? answer : () => answer) }
}

function unreadable(): unknown {
  return new Proxy({}, { get: raise })
}

/** Refuses at the first look, allows at the second. */
function fickle(): unknown {
  let looks = 0
  return {
    get allowed() {
      looks += 1
      return looks > 1
    },
  }
}

interface Desk {
  readonly log?: string[]
  /** What the tool of that name waits for. Default: a moment. */
  readonly slow?: () => Promise<unknown>
  readonly onEnd?: (name: string) => unknown
}

function kernelOf(
  toolCalls: readonly ScriptedCall[],
  capabilities: readonly Capability[],
  { log = [], slow = () => delay(1), onEnd }: Desk = {},
) {
  const inputSchema = z.object({ id: z.string() })
  const working = (name: string, work: () => Promise<unknown>) =>
    tool({
      inputSchema,
      execute: async ({ id }) => {
        log.push(`${name} starts`)
        await work()
        log.push(`${name} ends`)
        onEnd?.(name)
        return `${name} did ${id}`
      },
    })
  return createKernel({
    model: scriptedModel([{ toolCalls }, { text: 'done' }]),
    tools: { slow: working('slow', slow), fast: working('fast', () => delay(1)) },
    capabilities,
  })
}

async function play(
  toolCalls: readonly ScriptedCall[],
  capabilities: readonly Capability[],
  { log = [], signal, ...desk }: Desk & { signal?: AbortSignal } = {},
) {
  const events: TurnEvent[] = []
  const stream = kernelOf(toolCalls, capabilities, { ...desk, log }).stream({
    query: 'q',
    ...(signal && { signal }),
  })
  let next = await stream.next()
  while (!next.done) {
    events.push(next.value)
    next = await stream.next()
  }
  const answers = next.value.messages[2]
  const outputs =
    answers?.role === 'tool'
      ? answers.content.flatMap((part) => (part.type === 'tool-result' ? [part.output] : []))
      : []
  return { result: next.value, events, outputs, log }
}

function raise(): never {
  throw new Error('broken')
}

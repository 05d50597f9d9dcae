import { setTimeout as delay } from 'node:timers/promises'
import { type ToolSet, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Capability, GateDecision, ProposedCall, TurnView } from './capability.ts'
import type { TurnEvent } from './events.ts'
import { createKernel } from './kernel.ts'
import { type ScriptedCall, scriptedModel } from './testing/scripted-model.ts'

const allow: GateDecision = { allowed: true }
const refuse: GateDecision = { allowed: false, message: 'not now', details: { missing: ['read'] } }

describe('the calls of a step', () => {
  it('run side by side and are answered in call order', async () => {
    const log: string[] = []
    const fastEnds = Promise.withResolvers<void>()
    const { toolMessage } = await runStep([call('slow'), call('fast')], {
      log,
      slow: () => fastEnds.promise,
      onEnd: (name) => name === 'fast' && fastEnds.resolve(),
    })
    expect(log).toEqual(['slow starts', 'fast starts', 'fast ends', 'slow ends'])
    expect(toolMessage.map((part) => part.toolName)).toEqual(['slow', 'fast'])
  })

  it.each([
    ['an unknown tool', { name: 'fly', input: {} }, /fly/],
    ['a tool by a prototype name', { name: 'constructor', input: {} }, /constructor/],
    ['__proto__', { name: '__proto__', input: {} }, /__proto__/],
    ['invalid input', { name: 'fast', input: { wrong: 1 } }, /fast/],
    ['input that is no JSON', { name: 'fast', input: '{"id": ' }, /fast/],
  ])('are answered with an error for %s, and the turn goes on', async (_what, bad, expected) => {
    const log: string[] = []
    const { result, toolMessage } = await runStep([bad, call('fast')], { log })
    expect(toolMessage[0]?.output).toMatchObject({
      type: 'error-text',
      value: expect.stringMatching(expected),
    })
    expect(log).toEqual(['fast starts', 'fast ends'])
    expect(result.text).toBe('done')
  })

  it('may repeat an id within a step without losing a result', async () => {
    const { toolMessage } = await runStep(
      [
        { ...call('fast'), id: 'same' },
        { ...call('slow'), id: 'same' },
      ],
      {},
    )
    expect(toolMessage.map((part) => part.output)).toEqual([
      { type: 'text', value: 'fast did x' },
      { type: 'text', value: 'slow did x' },
    ])
  })
})

describe('a gate', () => {
  it('refuses before the tool runs: the model reads why, an event and the result tell it', async () => {
    const log: string[] = []
    const { result, toolMessage, events } = await runStep([call('fast')], {
      log,
      gates: [gate('rules', () => refuse)],
    })
    expect(log).toEqual([])
    expect(toolMessage[0]?.output).toEqual({ type: 'error-text', value: 'not now' })
    const refused = {
      step: 1,
      toolCallId: 'call-1',
      toolName: 'fast',
      input: { id: 'x' },
      capability: 'rules',
      message: 'not now',
      details: { missing: ['read'] },
    }
    expect(events.filter((event) => event.type === 'tool-refused')).toEqual([
      { type: 'tool-refused', ...refused },
    ])
    expect(result.refusals).toEqual([refused])
  })

  it.each<[string, () => unknown]>([
    ['throws', raise],
    ['rejects', () => Promise.reject(new Error('down'))],
    ['gives nothing', () => undefined],
    ['gives a string', () => 'yes'],
    ['gives true', () => true],
    ['gives an object without a verdict', () => ({})],
    ['gives something truthy as the verdict', () => ({ allowed: 1 })],
    ['refuses without a message', () => ({ allowed: false })],
  ])('that %s refuses', async (_what, judge) => {
    const log: string[] = []
    const { toolMessage } = await runStep([call('fast')], {
      log,
      gates: [gate('broken', judge as never)],
    })
    expect(log).toEqual([])
    expect(toolMessage[0]?.output).toMatchObject({ type: 'error-text' })
  })

  it('that cannot be opened refuses every call of the step', async () => {
    const log: string[] = []
    await runStep([call('fast'), call('slow')], { log, gates: [{ name: 'broken', gate: raise }] })
    expect(log).toEqual([])
  })

  it('comes after others in the order given, and the first refusal stops', async () => {
    const asked: string[] = []
    const asking = (name: string, decision: GateDecision) =>
      gate(name, () => {
        asked.push(name)
        return decision
      })
    await runStep([call('fast')], {
      gates: [asking('first', allow), asking('second', refuse), asking('third', allow)],
    })
    expect(asked).toEqual(['first', 'second'])
  })

  it('sees a required tool of the same step once it has succeeded, whatever it costs to wait', async () => {
    const log: string[] = []
    const { toolMessage } = await runStep([call('slow'), call('fast')], {
      log,
      gates: [requires('fast', 'slow')],
    })
    expect(log).toEqual(['slow starts', 'slow ends', 'fast starts', 'fast ends'])
    expect(toolMessage.map((part) => part.output.type)).toEqual(['text', 'text'])
  })

  it('is not satisfied by a required tool that comes later in the step', async () => {
    const { toolMessage } = await runStep([call('fast'), call('slow')], {
      gates: [requires('fast', 'slow')],
    })
    expect(toolMessage.map((part) => part.output.type)).toEqual(['error-text', 'text'])
  })

  it('is not satisfied by a required tool that failed', async () => {
    const { toolMessage } = await runStep([call('failing'), call('fast')], {
      gates: [requires('fast', 'failing')],
    })
    expect(toolMessage.map((part) => part.output.type)).toEqual(['error-text', 'error-text'])
  })

  it('is not satisfied by a required tool that was refused', async () => {
    const { toolMessage } = await runStep([call('slow'), call('fast')], {
      gates: [
        gate('no slow', (proposed) => (proposed.toolName === 'slow' ? refuse : allow)),
        requires('fast', 'slow'),
      ],
    })
    expect(toolMessage.map((part) => part.output.type)).toEqual(['error-text', 'error-text'])
  })

  it('judges against results already in, state as it is now, and the call itself', async () => {
    const state = { read: false }
    const views: unknown[] = []
    await runStep([call('slow'), call('fast')], {
      state,
      onEnd: (name) => {
        if (name === 'slow') state.read = true
      },
      gates: [
        {
          name: 'state',
          gate: (view) => (proposed) => {
            views.push([
              proposed.toolName,
              { ...(view.state as object) },
              view.messages.at(-1)?.role,
            ])
            return proposed.toolName === 'slow' || (view.state as typeof state).read
              ? allow
              : refuse
          },
        },
      ],
    })
    expect(views).toEqual([
      ['slow', { read: false }, 'assistant'],
      ['fast', { read: false }, 'assistant'],
      ['fast', { read: true }, 'tool'],
    ])
  })

  it('may allow tentatively: the call then waits for earlier ones and is judged again', async () => {
    const log: string[] = []
    const { toolMessage } = await runStep([call('slow'), call('fast')], {
      log,
      gates: [
        gate('tentative', (proposed, view) =>
          proposed.toolName === 'fast' && view.called.has('slow')
            ? refuse
            : { allowed: true, tentative: true },
        ),
      ],
    })
    expect(log).toEqual(['slow starts', 'slow ends'])
    expect(toolMessage.map((part) => part.output.type)).toEqual(['text', 'error-text'])
  })

  it('that hangs ends with the turn, not with the tool', async () => {
    const controller = new AbortController()
    const log: string[] = []
    const running = runStep([call('fast')], {
      log,
      gates: [gate('hanging', () => new Promise<never>(() => {}))],
      signal: controller.signal,
    })
    setTimeout(() => controller.abort(), 10)
    await expect(running).rejects.toMatchObject({ code: 'KERNEL_TURN_ABORTED' })
    expect(log).toEqual([])
  })
})

function call(name: string): ScriptedCall {
  return { name, input: { id: 'x' } }
}

function gate(
  name: string,
  judge: (call: ProposedCall, view: TurnView) => GateDecision | Promise<GateDecision>,
): Capability {
  return { name, gate: (view) => (proposed) => judge(proposed, view) }
}

function requires(toolName: string, first: string): Capability {
  return gate('order', (proposed, view) =>
    proposed.toolName !== toolName || view.called.has(first) ? allow : refuse,
  )
}

async function runStep(
  toolCalls: readonly ScriptedCall[],
  about: {
    log?: string[]
    gates?: readonly Capability[]
    state?: unknown
    /** What the tool of that name waits for. Default: a moment. */
    slow?: () => Promise<unknown>
    onEnd?: (name: string) => unknown
    signal?: AbortSignal
  },
) {
  const { log = [], gates = [], state, slow = () => delay(1), onEnd, signal } = about
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
  const tools: ToolSet = {
    slow: working('slow', slow),
    fast: working('fast', () => delay(1)),
    failing: tool({ inputSchema, execute: async (): Promise<string> => raise() }),
  }
  const model = scriptedModel([{ toolCalls }, { text: 'done' }])
  const kernel = createKernel({ model, tools, capabilities: gates })
  const events: TurnEvent[] = []
  const stream = kernel.stream({ query: 'q', state, ...(signal && { signal }) })
  let next = await stream.next()
  while (!next.done) {
    events.push(next.value)
    next = await stream.next()
  }
  const message = next.value.messages[2]
  const toolMessage =
    message?.role === 'tool'
      ? message.content.flatMap((part) => (part.type === 'tool-result' ? [part] : []))
      : []
  expect(toolMessage).toHaveLength(toolCalls.length)
  return { result: next.value, toolMessage, events }
}

function raise(): never {
  throw new Error('broken')
}

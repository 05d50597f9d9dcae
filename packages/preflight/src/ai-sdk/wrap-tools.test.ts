import { jsonSchema, type ModelMessage, type ToolSet, tool } from 'ai'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { type PreflightOptions, type PreflightSkills, preflight } from '../ai-sdk.ts'
import { defineSkill } from '../define-skill.ts'
import { PreflightError } from '../errors.ts'
import type { PreflightRefusal } from './options.ts'
import { pause, readFirst, refused, user, wrapped } from './wrapped-calls.test-d.ts'

const inputSchema = z.object({})

describe('wrapTools', () => {
  it('throws a refusal as a branded error that reads as its message', async () => {
    const { call } = wrapped({ cancel: () => 'gone' })
    const error = await Promise.resolve(call('cancel')).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(PreflightError)
    expect(error).toMatchObject({
      name: 'PreflightError',
      code: 'PREFLIGHT_CALL_REFUSED',
      message: expect.stringContaining(refused),
      details: { toolCallId: 'c1', toolName: 'cancel', missing: ['read'], skills: ['Read first'] },
    })
    expect(String(error)).toBe((error as Error).message)
    expect(Object.keys(error as Error)).not.toContain('toString')
  })

  it('returns what the tool returns, of whatever kind', async () => {
    const promise = Promise.resolve(2)
    const { call } = wrapped({ value: () => 1, promise: () => promise, nothing: () => undefined })
    expect(call('value')).toBe(1)
    expect(call('promise')).toBe(promise)
    expect(call('nothing')).toBeUndefined()
  })

  it('throws what the tool throws', async () => {
    const error = new Error('gone')
    const { call } = wrapped({
      now: () => {
        throw error
      },
      later: () => Promise.reject(error),
    })
    expect(() => call('now')).toThrow(error)
    await expect(call('later')).rejects.toBe(error)
  })

  it('calls the then of a lazy promise once', async () => {
    const then = vi.fn((resolve: (value: string) => void) => resolve('row'))
    const { call } = wrapped({ query: () => ({ then }) })
    expect(await call('query')).toBe('row')
    expect(then).toHaveBeenCalledTimes(1)
  })

  it('calls execute on the tool it belongs to, with what it was given', async () => {
    class Counter {
      readonly description = 'Counts.'
      readonly inputSchema = jsonSchema({ type: 'object' })
      #count = 0
      execute(input: unknown, options: unknown) {
        this.#count += 1
        return { count: this.#count, input, options }
      }
    }
    const tools = preflight([]).wrapTools({ count: new Counter() as unknown as ToolSet[string] })
    const options = { toolCallId: 'c1', messages: [user], context: { desk: 1 } }
    expect(await tools.count?.execute?.({ a: 1 }, options as never)).toEqual({
      count: 1,
      input: { a: 1 },
      options,
    })
    expect(tools.count).toBeInstanceOf(Counter)
    expect(tools.count?.description).toBe('Counts.')
  })

  it('wraps tools that are frozen', async () => {
    const cancel = Object.freeze(tool({ inputSchema, execute: async () => 'gone' }))
    const tools = preflight([]).wrapTools(Object.freeze({ cancel }))
    expect(tools.cancel).not.toBe(cancel)
    expect(await tools.cancel.execute({}, { toolCallId: 'c1', messages: [user] } as never)).toBe(
      'gone',
    )
  })

  it('keeps every other trait of a tool, symbols and getters included', () => {
    const mark = Symbol('mark')
    const whole = {
      ...tool({
        description: 'Cancels.',
        title: 'Cancel',
        inputSchema,
        strict: true,
        needsApproval: true,
        providerOptions: { anthropic: { deferLoading: true } },
        metadata: { server: 'm1' },
        toModelOutput: () => ({ type: 'text', value: 'x' }),
        execute: async () => 'x',
      }),
      [mark]: 1,
      get late() {
        return Math.random()
      },
    }
    const { cancel } = preflight([readFirst]).wrapTools({ cancel: whole })
    const { execute: _, onInputAvailable: __, toModelOutput: ___, late: ____, ...kept } = cancel
    const { execute, toModelOutput, late, ...given } = whole
    expect(kept).toEqual(given)
    expect(cancel[mark]).toBe(1)
    expect(cancel.execute).not.toBe(execute)
    expect(cancel.late).not.toBe(late)
  })

  it('passes tools through that have no execute, and those it has wrapped', () => {
    const { wrapTools } = preflight([readFirst])
    const client = tool({ inputSchema, outputSchema: z.string() })
    const search = {
      type: 'provider',
      id: 'x.search',
      args: {},
      inputSchema,
    } as never as ToolSet[string]
    const { cancel } = wrapTools({ cancel: tool({ inputSchema, execute: async () => 1 }) })
    const again = wrapTools({ client, search, cancel, toString: client })
    expect(again.client).toBe(client)
    expect(again.search).toBe(search)
    expect(again.cancel).toBe(cancel)
    expect(again.toString).toBe(client)
  })

  it('wraps a tool anew under another name, where other rules hold', async () => {
    const { wrapTools } = preflight([readFirst])
    const { tell } = wrapTools({ tell: tool({ inputSchema, execute: async () => 'told' }) })
    const { cancel } = wrapTools({ cancel: tell })
    const about = { toolCallId: 'c1', messages: [user] } as never
    expect(await tell.execute({}, about)).toBe('told')
    await expect(cancel.execute({}, about)).rejects.toThrow(refused)
  })

  it('wraps tools of any name', async () => {
    const skills = [
      defineSkill({ label: 'x', actionTool: '__proto__', precondition: 'constructor' }),
    ]
    const own = { execute: async () => 1, inputSchema: jsonSchema({}) }
    const given = Object.fromEntries([
      ['__proto__', own],
      ['constructor', own],
    ]) as unknown as ToolSet
    const tools = preflight(skills).wrapTools(given)
    expect(Object.keys(tools)).toEqual(['__proto__', 'constructor'])
    const step = [user]
    const run = (name: string, toolCallId: string) =>
      Object.entries(tools)
        .find(([key]) => key === name)?.[1]
        .execute?.({}, { toolCallId, messages: step } as never)
    await expect(run('__proto__', '1')).rejects.toThrow('refused')
    expect(await run('constructor', '2')).toBe(1)
    expect(await run('__proto__', '3')).toBe(1)
  })

  it('only tells, and wraps nothing, where the rules are not enforced', () => {
    const cancel = tool({ inputSchema, execute: async () => 1 })
    const { instructions, wrapTools } = preflight([readFirst], { enforce: false })
    expect(wrapTools({ cancel }).cancel).toBe(cancel)
    expect(instructions).toHaveLength(1)
  })

  it('tells the tool and its own callback when a call has been made', async () => {
    const onInputAvailable = vi.fn()
    const { wrapTools } = preflight([readFirst])
    const { cancel } = wrapTools({
      cancel: tool({ inputSchema, onInputAvailable, execute: async () => 1 }),
    })
    const about = { input: {}, toolCallId: 'c1', messages: [user] } as never
    await cancel.onInputAvailable?.(about)
    expect(onInputAvailable).toHaveBeenCalledExactlyOnceWith(about)
  })
})

describe('a wrapped call', () => {
  it.each<[string, unknown]>([
    ['no options', undefined],
    ['no messages', {}],
    ['messages that are no list', { messages: 'x' }],
  ])('counts nothing as called when it is given %s', async (_case, options) => {
    const { tools } = wrapped({ cancel: () => 'gone', read: () => 'read' })
    await expect(tools['cancel']?.execute?.({}, options as never)).rejects.toThrow(refused)
    expect(tools['read']?.execute?.({}, options as never)).toBe('read')
  })

  it('waits for an earlier call that is needed, and for no later one', async () => {
    const log: string[] = []
    const { step } = wrapped({
      read: async () => {
        await pause(3)
        log.push('read')
      },
      cancel: () => log.push('cancel'),
    })
    const outcomes = await Promise.allSettled(step('cancel', 'read', 'cancel').map((run) => run()))
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
    expect(log).toEqual(['read', 'cancel'])
  })

  it('does not wait for, or count, a call that threw at once', async () => {
    const { step } = wrapped({ read: failure, cancel: () => 'gone' })
    const [read, cancel] = step('read', 'cancel')
    expect(() => read()).toThrow('secret')
    await expect(cancel()).rejects.toThrow(refused)
  })

  it('is a stranger to calls of other steps, even with equal messages', async () => {
    const { call } = wrapped({ read: () => 'read', cancel: () => 'gone' })
    expect(await call('read', [user])).toBe('read')
    await expect(call('cancel', [user])).rejects.toThrow(refused)
  })

  it('is a stranger to calls on the same array before the conversation went on', async () => {
    const { call } = wrapped({ read: () => 'read', cancel: () => 'gone' })
    const messages = [user]
    expect(await call('read', messages)).toBe('read')
    messages.push(user)
    await expect(call('cancel', messages)).rejects.toThrow(refused)
  })

  it('is a stranger to an earlier run of the same calls on the same array', async () => {
    let isUp = true
    const { tools } = wrapped({
      read: async () => (isUp ? 'read' : Promise.reject(new Error('down'))),
      cancel: () => 'gone',
    })
    const messages = [user]
    const run = (name: string) =>
      tools[name]?.execute?.({}, { toolCallId: name, messages } as never)
    expect(await run('read')).toBe('read')
    isUp = false
    await expect(run('read')).rejects.toThrow('down')
    await expect(run('cancel')).rejects.toThrow(refused)
  })

  it('that another tool makes with its own options does not wait for that tool', async () => {
    const { tools, step } = wrapped({
      read: () => 'read',
      cancel: () => 'gone',
      // Calls two others in the name of its own call, one of them twice.
      all: async (input, options) => {
        const own = [input, options] as unknown as [never, never]
        const before = await Promise.resolve(tools['cancel']?.execute?.(...own)).catch(String)
        await tools['read']?.execute?.(...own)
        return [before, await tools['cancel']?.execute?.(...own)]
      },
    })
    const [all, cancel] = step('all', 'cancel')
    const done = all()
    await expect(cancel()).rejects.toThrow(refused)
    expect(await done).toEqual([expect.stringContaining(refused), 'gone'])
  })

  it('stops waiting when it is aborted, and satisfies nothing then', async () => {
    const { call, step } = wrapped(
      { read: () => pause(60), cancel: () => 'gone', tell: () => 'told' },
      {},
      [readFirst, defineSkill({ label: 'x', actionTool: 'tell', precondition: 'cancel' })],
    )
    const controller = new AbortController()
    const [runRead, runCancel, runTell] = step('read', 'cancel', 'tell')
    const read = runRead()
    const cancel = runCancel({ abortSignal: controller.signal })
    const tell = runTell()
    controller.abort(new Error('stop'))
    await expect(cancel).rejects.toThrow('stop')
    await expect(tell).rejects.toThrow('The call to `tell` was refused')
    await read
    const late = call('cancel', [user], { abortSignal: controller.signal })
    await expect(late).rejects.toThrow(refused)
  })

  it('leaves no listener on the abort signal it was given', async () => {
    const { step } = wrapped({ read: () => pause(2), cancel: () => 'gone' })
    const { signal } = new AbortController()
    const added = vi.spyOn(signal, 'addEventListener')
    const removed = vi.spyOn(signal, 'removeEventListener')
    const [read, cancel] = step('read', 'cancel')
    read()
    expect(await cancel({ abortSignal: signal })).toBe('gone')
    expect(added.mock.calls.length).toBeGreaterThan(0)
    expect(removed.mock.calls.length).toBe(added.mock.calls.length)
  })

  it('counts a stream only when it has ended', async () => {
    const stream = async function* () {
      yield 'half'
      await pause(2)
      yield 'whole'
    }
    const { step } = wrapped({ read: stream, cancel: () => 'gone' })
    const [read, cancel] = step('read', 'cancel')
    const values = read() as AsyncIterable<string>
    const gone = cancel()
    expect(await valuesOf(values)).toEqual(['half', 'whole'])
    expect(await gone).toBe('gone')
  })

  it('does not count a stream that fails, nor one that is left before its end', async () => {
    const { step } = wrapped({ read: brokenStream, cancel: () => 'gone' })
    const [fails, afterFailure] = step('read', 'cancel')
    const values = fails() as AsyncIterable<string>
    const gone = afterFailure()
    await expect(valuesOf(values)).rejects.toThrow('broken off')
    await expect(gone).rejects.toThrow(refused)

    const [isLeft, afterLeaving] = step('read', 'cancel')
    const others = isLeft() as AsyncIterable<string>
    const stillThere = afterLeaving()
    for await (const _ of others) break
    await expect(stillThere).rejects.toThrow(refused)
  })

  it('that has to wait and streams still streams; from a plain function it gives the last value', async () => {
    const stream = async function* () {
      yield 'half'
      yield 'whole'
    }
    const generator = wrapped({ read: () => pause(1), cancel: stream })
    const [read, cancel] = generator.step('read', 'cancel')
    read()
    expect(await valuesOf(cancel() as AsyncIterable<string>)).toEqual(['half', 'whole'])

    const plain = wrapped({ read: () => pause(1), cancel: () => stream() })
    const [readFirst, thenCancel] = plain.step('read', 'cancel')
    readFirst()
    expect(await thenCancel()).toBe('whole')
  })

  it('waits for the conversion that decides whether a call succeeded', async () => {
    const { wrapTools } = preflight([readFirst])
    const tools = (type: 'text' | 'error-text') =>
      wrapTools({
        read: tool({
          inputSchema,
          execute: () => 'read',
          toModelOutput: async () => pause(1).then(() => ({ type, value: 'x' })),
        }),
        cancel: tool({ inputSchema, execute: () => 'gone' }),
      })
    const run = async (type: 'text' | 'error-text') => {
      const messages = [user]
      const { read, cancel } = tools(type)
      await read.execute({}, { toolCallId: '1', messages } as never)
      return await cancel.execute({}, { toolCallId: '2', messages } as never)
    }
    expect(await run('text')).toBe('gone')
    await expect(run('error-text')).rejects.toThrow(refused)
  })

  it('does not count a call whose result cannot be written down', async () => {
    const circle: { self?: unknown } = {}
    circle.self = circle
    const { step } = wrapped({ read: () => circle, cancel: () => 'gone' })
    const [read, cancel] = step('read', 'cancel')
    expect(read()).toBe(circle)
    await expect(cancel()).rejects.toThrow(refused)
  })

  it('asks the app with the call and with what the step has come to', async () => {
    const called = vi.fn(({ messages }: { messages: readonly ModelMessage[] }) =>
      messages.length > 1 ? new Set(['read']) : new Set<string>(),
    )
    const { step } = wrapped(
      { read: () => ({ at: new Date(0) }), cancel: () => 'gone' },
      { called },
    )
    const [read, cancel] = step('read', 'cancel')
    read()
    expect(await cancel()).toBe('gone')
    expect(called).toHaveBeenLastCalledWith({
      toolCall: { toolCallId: 'c2', toolName: 'cancel', input: {} },
      messages: [
        user,
        {
          role: 'assistant',
          content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'read', input: {} }],
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: 'c1',
              toolName: 'read',
              output: { type: 'json', value: { at: '1970-01-01T00:00:00.000Z' } },
            },
          ],
        },
      ],
    })
  })
})

describe('what fails, refuses', () => {
  it.each<[string, PreflightSkills, PreflightOptions]>([
    ['the skills function throws', () => failure(), {}],
    ['the skills function gives a promise', (async () => []) as never, {}],
    ['the skills function gives nothing', (() => undefined) as never, {}],
    ['the skills hold a malformed one', () => [{ label: 'x' } as never], {}],
    ['the state function throws', [readFirst], { state: failure }],
    ['the state function gives a promise', [readFirst], { state: async () => ({}) }],
  ])('every call, when %s', async (_case, skills, options) => {
    const refusals: PreflightRefusal[] = []
    const onRefusal = (refused: PreflightRefusal) => refusals.push(refused)
    const { call } = wrapped({ tell: () => 'told' }, { ...options, onRefusal }, skills)
    await expect(call('tell')).rejects.toMatchObject({
      code: 'PREFLIGHT_CALL_REFUSED',
      message: expect.stringContaining('could not be decided'),
      cause: expect.any(Error),
    })
    expect(refusals).toMatchObject([{ by: 'execute', cause: expect.any(Error) }])
  })

  it.each<[string, PreflightOptions['called']]>([
    ['throws', failure],
    ['gives nothing', (() => undefined) as never],
    ['gives a promise', (async () => new Set(['read'])) as never],
    ['gives a list', (() => ['read']) as never],
  ])('the calls a rule is about, when the called function %s', async (_case, called) => {
    const { call } = wrapped({ cancel: () => 'gone', tell: () => 'told' }, { called })
    await expect(call('cancel')).rejects.toThrow('The call to `cancel` was refused')
    expect(call('tell')).toBe('told')
  })

  it('does not tell the model what went wrong, but the log', async () => {
    const lines: string[] = []
    const logger = { debug: () => {}, warn: (line: string) => lines.push(line) }
    const { call } = wrapped({ tell: () => 'told' }, { state: failure, logger })
    await expect(call('tell')).rejects.toThrow(/^(?!.*secret).*$/)
    expect(lines).toContainEqual(expect.stringContaining('secret'))
  })

  it.each([
    ['throws', failure],
    ['rejects', async () => failure()],
  ])('the same way, when onRefusal %s', async (_case, onRefusal) => {
    const { call } = wrapped({ cancel: () => 'gone' }, { onRefusal })
    await expect(call('cancel')).rejects.toThrow(refused)
  })

  it('the calls a rule is about, when messages cannot be read', async () => {
    const { call } = wrapped({ cancel: () => 'gone', tell: () => 'told' })
    const hostile = [
      {
        get role(): string {
          return failure()
        },
      },
    ]
    await expect(call('cancel', hostile)).rejects.toThrow('could not be decided')
    expect(call('tell', hostile)).toBe('told')
  })
})

async function* brokenStream() {
  yield 'half'
  throw new Error('broken off')
}

async function valuesOf(stream: AsyncIterable<string>): Promise<string[]> {
  const values: string[] = []
  for await (const value of stream) values.push(value)
  return values
}

function failure(): never {
  throw new Error('secret')
}

import { dynamicTool, jsonSchema, type ToolSet, tool } from 'ai'
import { describe, expect, expectTypeOf, it, vi } from 'vitest'
import { z } from 'zod'
import { PluginError } from '../errors.ts'
import type { DomainPlugin } from '../plugin.ts'
import { type GuardToolsOptions, guardTools } from './guard-tools.ts'
import { runs } from './sdk-runs.test-d.ts'

const inputSchema = z.object({ id: z.string().optional() })
const guardedBy = (name: string, hook: DomainPlugin['validateStateTransition']): DomainPlugin => ({
  name,
  ...(hook && { validateStateTransition: hook }),
})
const allows = guardedBy('allows', () => true)
const denies = guardedBy('billing', () => ({ allow: false, reason: 'The invoice is paid.' }))
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
const refused = 'The call to `cancel` was refused'

/** Tools that note when they run. */
function desk(log: string[]) {
  const step = (name: string) =>
    tool({
      inputSchema,
      execute: async () => {
        log.push(name)
        return `${name} done`
      },
    })
  return { read: step('read'), cancel: step('cancel') }
}

describe.each(runs)('guarded tools in %s', (_, run) => {
  it('run when every guard allows, beside other plugins', async () => {
    const log: string[] = []
    const tools = guardTools(desk(log), [allows, { name: 'text only' }])
    const { results } = await run([['read', 'cancel']], { tools })
    expect(results).toEqual(['read: text "read done"', 'cancel: text "cancel done"'])
    expect(log).toEqual(['read', 'cancel'])
  })

  it('give a refusal to the model as an error result, and the loop goes on', async () => {
    const log: string[] = []
    const onlyCancel = guardedBy('billing', (action) =>
      action === 'cancel' ? { allow: false, reason: 'The invoice is paid.' } : true,
    )
    const tools = guardTools(desk(log), [allows, onlyCancel])
    const { results } = await run([['cancel'], ['read']], { tools })
    expect(results).toEqual([
      `cancel: error-text "${refused} by \`billing\`: The invoice is paid. Do not repeat it unchanged; go on without it, or ask the user."`,
      'read: text "read done"',
    ])
    expect(log).toEqual(['read'])
  })

  it('run none of the parallel calls that a slow guard denies', async () => {
    const log: string[] = []
    const slow = guardedBy('slow', async () => {
      await pause(5)
      return false
    })
    const { results } = await run([['read', 'cancel', 'cancel']], {
      tools: guardTools(desk(log), [allows, slow]),
    })
    expect(results).toHaveLength(3)
    expect(results.every((line) => line.includes('was refused by `slow`'))).toBe(true)
    expect(log).toEqual([])
  })

  it.each<[string, () => unknown]>([
    ['throws', fail],
    ['hangs', () => new Promise(() => {})],
    ['answers a text', () => 'true'],
    ['rejects', async () => fail()],
  ])('run nothing while a guard %s', async (_case, hook) => {
    const log: string[] = []
    const names: string[] = []
    const odd = guardedBy('odd', hook as () => boolean)
    const tools = guardTools(desk(log), [odd], {
      timeLimitMs: 4,
      onDecision: ({ plugin, verdict }) => names.push(`${plugin} ${verdict}`),
    })
    const { results } = await run([['cancel']], { tools })
    expect(results).toEqual([expect.stringContaining('could not be judged by `odd`')])
    expect(names).toEqual(['odd abstain'])
    expect(log).toEqual([])
  })

  it('hold dynamic tools and generators', async () => {
    const log: string[] = []
    const cancel = dynamicTool({ inputSchema, execute: async () => log.push('ran') })
    const read = tool({
      inputSchema,
      async *execute() {
        log.push('ran')
        yield 'x'
      },
    })
    const { results } = await run([['cancel', 'read']], {
      tools: guardTools({ cancel, read }, [denies]),
    })
    expect(results.every((line) => line.includes('was refused'))).toBe(true)
    expect(results).toHaveLength(2)
    expect(log).toEqual([])
  })
})

describe('guardTools', () => {
  const about = { toolCallId: 'c1', messages: [] } as never
  const guarded = (
    execute: unknown,
    plugins: readonly DomainPlugin[] = [allows],
    options: GuardToolsOptions = {},
  ) => {
    const cancel = { ...tool({ inputSchema, execute: async () => 1 }), execute } as ToolSet[string]
    return guardTools({ cancel }, plugins, options).cancel?.execute as (
      input: unknown,
      about: unknown,
    ) => unknown
  }

  it('runs nothing when a guard hangs and nobody set a limit', async () => {
    vi.useFakeTimers()
    const run = vi.fn()
    const deaf = guardedBy('deaf', () => new Promise<boolean>(() => {}))
    const settled = expect(guarded(run, [deaf])({}, about)).rejects.toThrow('not be judged')
    await vi.advanceTimersByTimeAsync(30_000)
    await settled
    expect(run).not.toHaveBeenCalled()
    vi.useRealTimers()
  })

  it('throws a refusal as a branded error that reads as its message', async () => {
    const execute = guarded(async () => 1, [denies])
    const error = await Promise.resolve(execute({}, about)).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(PluginError)
    expect(error).toMatchObject({
      code: 'PLUGIN_CALL_REFUSED',
      message: expect.stringContaining(refused),
      details: {
        toolName: 'cancel',
        toolCallId: 'c1',
        decisions: [{ plugin: 'billing', verdict: 'deny', reason: 'The invoice is paid.' }],
      },
    })
    expect(String(error)).toBe((error as Error).message)
    expect(Object.keys(error as Error)).not.toContain('toString')
  })

  it('asks about the call, with what the app adds and a copy of the arguments', async () => {
    const seen: unknown[] = []
    const scribbles = guardedBy('scribbles', (action, context) => {
      seen.push(action, structuredClone(context))
      ;(context['arguments'] as Record<string, unknown>)['id'] = 'B2'
      return true
    })
    const execute = guarded(async (input: unknown) => input, [scribbles], {
      context: (call) => ({ user: 'u1', spoken: call.messages.length, toolName: 'forged' }),
    })
    const input = { id: 'A1' }
    expect(await execute(input, about)).toEqual({ id: 'A1' })
    expect(input).toEqual({ id: 'A1' })
    const call = { toolName: 'cancel', toolCallId: 'c1', arguments: { id: 'A1' } }
    expect(seen).toEqual(['cancel', { user: 'u1', spoken: 0, ...call }])
  })

  it.each<[string, GuardToolsOptions['context'], object]>([
    ['as a value', { user: 'u1' }, { user: 'u1' }],
    ['as a promise', async () => ({ user: 'u1' }), { user: 'u1' }],
    ['not at all', undefined, {}],
  ])('tells guards what the app adds %s', async (_, context, more) => {
    const hook = vi.fn(() => true)
    await guarded(async () => 1, [guardedBy('a', hook)], { context })({ id: 'A1' }, about)
    const call = { toolName: 'cancel', toolCallId: 'c1', arguments: { id: 'A1' } }
    expect(hook).toHaveBeenCalledWith('cancel', { ...more, ...call }, { signal: expect.anything() })
  })

  it('runs nothing when what guards have to know cannot be read', async () => {
    const run = vi.fn()
    for (const context of [fail, async () => fail(), { save: () => 1 }] as never[]) {
      await expect(guarded(run, [allows], { context })({}, about)).rejects.toThrow('not be judged')
    }
    expect(run).not.toHaveBeenCalled()
  })

  it('hands the signal of the run to the guards, and runs nothing once it has fired', async () => {
    const controller = new AbortController()
    const hook = vi.fn((_action: string, _context: object, _call: object) => true)
    const run = vi.fn(async () => 1)
    const timeLimitMs = Number.POSITIVE_INFINITY
    const execute = guarded(run, [guardedBy('a', hook)], { timeLimitMs })
    const withSignal = { toolCallId: 'c1', messages: [], abortSignal: controller.signal }
    await execute({}, withSignal)
    expect(hook.mock.calls[0]?.[2]).toEqual({ signal: controller.signal })
    controller.abort()
    await expect(execute({}, withSignal)).rejects.toThrow('could not be judged')
    expect(run).toHaveBeenCalledTimes(1)
  })

  it('runs what was judged, whatever becomes of the arguments meanwhile', async () => {
    const judged: unknown[] = []
    const ponders = guardedBy('ponders', async (_action, context) => {
      judged.push(context['arguments'], context['told'])
      await pause(2)
      return true
    })
    const run = vi.fn(async (input: unknown) => Object.assign(input as object, { note: 'mine' }))
    const context = ({ input }: { input: unknown }) => ({ told: input })
    const input = { amount: 5, at: new Date(5) }
    const pending = guarded(run, [ponders], { context })(input, about)
    input.amount = 9_000
    input.at.setTime(9_000)
    expect(await pending).toEqual({ amount: 5, at: new Date(5), note: 'mine' })
    expect(judged).toEqual([
      { amount: 5, at: new Date(5) },
      { amount: 5, at: new Date(5) },
    ])
    expect(input).toEqual({ amount: 9_000, at: new Date(9_000) })
  })

  it('refuses arguments that no copy can show where there is a guard, and runs them where not', async () => {
    class Money {
      readonly #amount: number
      constructor(amount: number) {
        this.#amount = amount
      }
      get amount() {
        return this.#amount
      }
    }
    const run = vi.fn(async (input: unknown) => input)
    const cheap = guardedBy('cheap', (_action, context) => {
      const { amount } = context['arguments'] as { amount: Money }
      return !(amount.amount > 100)
    })
    const input = { amount: new Money(900) }
    await expect(guarded(run, [cheap])(input, about)).rejects.toMatchObject({
      code: 'PLUGIN_CALL_REFUSED',
      details: {
        decisions: [
          {
            verdict: 'abstain',
            reason: expect.stringContaining('"arguments.amount" is an instance of Money'),
          },
        ],
      },
    })
    expect(run).not.toHaveBeenCalled()
    expect(await guarded(run, [])(input, about)).toBe(input)
  })

  it('judges no arguments that could not be shown at first, though they can be by then', async () => {
    const run = vi.fn()
    const input: Record<string, unknown> = { amount: 5, save: () => 1 }
    const context = () => {
      delete input['save']
      return {}
    }
    await expect(guarded(run, [allows], { context })(input, about)).rejects.toThrow('not be judged')
    expect(run).not.toHaveBeenCalled()
  })

  it('shows guards what a schema makes of the arguments, or refuses the call', async () => {
    class Euro {
      readonly cents: number
      constructor(cents: number) {
        this.cents = cents
      }
      get isLarge() {
        return this.cents > 100
      }
    }
    const ran: unknown[] = []
    const execute = async (input: unknown) => ran.push(input)
    const schema = z.object({ amount: z.number().transform((cents) => new Euro(cents)) })
    const small = guardedBy('small', (_action, context) => {
      const { amount } = context['arguments'] as { amount: Euro }
      return !amount.isLarge
    })
    const { refund } = guardTools({ refund: tool({ inputSchema: schema, execute }) }, [small])
    const input = schema.parse({ amount: 900 })
    await expect(Promise.resolve(refund.execute?.(input, about))).rejects.toThrow('not be judged')
    expect(ran).toEqual([])
  })

  it.each<[string, (stop: () => void) => unknown]>([
    ['at once', (stop) => stop()],
    ['later', (stop) => pause(1).then(stop)],
    ['just after its answer', (stop) => queueMicrotask(() => queueMicrotask(stop))],
  ])('runs nothing when the run is stopped %s by a guard that allows', async (_, stopWith) => {
    const controller = new AbortController()
    const run = vi.fn()
    const stops = guardedBy('stops', () => {
      const stopped = stopWith(() => controller.abort(new Error('stop')))
      return stopped instanceof Promise ? stopped.then(() => true) : true
    })
    const call = { toolCallId: 'c1', messages: [], abortSignal: controller.signal }
    await expect(guarded(run, [stops])({}, call)).rejects.toThrow()
    expect(controller.signal.aborted).toBe(true)
    expect(run).not.toHaveBeenCalled()
  })

  it('takes an app that has no signal, in whatever way it says so', async () => {
    for (const abortSignal of [undefined, null]) {
      const given = { toolCallId: 'c1', messages: [], abortSignal }
      expect(await guarded(async () => 1)({}, given)).toBe(1)
    }
  })

  it('calls execute on the tool it belongs to, with what it was given', async () => {
    class Counter {
      readonly inputSchema = jsonSchema({ type: 'object' })
      #count = 0
      execute(input: unknown, options: unknown) {
        this.#count += 1
        return { count: this.#count, input, options }
      }
    }
    const count = Object.freeze(new Counter()) as unknown as ToolSet[string]
    const tools = guardTools(Object.freeze({ count }), [allows])
    expect(tools.count).toBeInstanceOf(Counter)
    const result = await tools.count?.execute?.({ a: 1 }, about)
    expect(result).toEqual({ count: 1, input: { a: 1 }, options: about })
  })

  it('returns and throws what the tool does', async () => {
    const error = new Error('gone')
    expect(await guarded(() => 7)({}, about)).toBe(7)
    await expect(guarded(() => Promise.reject(error))({}, about)).rejects.toBe(error)
    await expect(
      guarded(() => {
        throw error
      })({}, about),
    ).rejects.toBe(error)
  })

  it('keeps the preliminary results of a generator, also when it is guarded twice', async () => {
    async function* counts() {
      yield 1
      yield 2
    }
    const once = guardTools({ cancel: tool({ inputSchema, execute: counts }) }, [allows])
    const twice = guardTools(once, [allows])
    const values: unknown[] = []
    const result = twice.cancel.execute?.({}, about) as AsyncIterable<unknown>
    for await (const value of result) values.push(value)
    expect(values).toEqual([1, 2])
  })

  it('reads a stream that a plain function returns to its end', async () => {
    async function* counts() {
      yield 1
      yield 2
    }
    expect(await guarded(() => counts())({}, about)).toBe(2)
  })

  it('passes tools through that nothing here runs', () => {
    const client = tool({ inputSchema, outputSchema: z.string() })
    const search = { type: 'provider', id: 'x.search', args: {}, inputSchema } as never
    const tools = guardTools({ client, search, toString: client } as ToolSet, [denies])
    expect([tools['client'], tools['search'], tools['toString']]).toEqual([client, search, client])
    expect(tools['client']).toBe(client)
  })

  it('keeps every other trait of a tool, and its type', () => {
    const mark = Symbol('mark')
    const cancel = {
      ...tool({ description: 'Cancels.', inputSchema, strict: true, execute: async () => 1 }),
      [mark]: 1,
    }
    const tools = guardTools({ cancel }, [allows])
    const { execute, ...kept } = tools.cancel
    const { execute: original, ...given } = cancel
    expect(kept).toEqual(given)
    expect(execute).not.toBe(original)
    expectTypeOf(tools).toEqualTypeOf<{ cancel: typeof cancel }>()
  })

  it('guards tools of any name', async () => {
    const execute = async () => 1
    const given = Object.fromEntries(
      ['__proto__', 'constructor'].map((name) => [name, { inputSchema, execute }]),
    ) as unknown as ToolSet
    const tools = Object.entries(guardTools(given, [denies]))
    expect(tools.map(([name]) => name)).toEqual(['__proto__', 'constructor'])
    for (const [, one] of tools) {
      await expect(Promise.resolve(one.execute?.({}, about))).rejects.toThrow(PluginError)
    }
  })

  it('asks a roster live, and those in quarantine', async () => {
    const roster = { loaded: [] as DomainPlugin[], quarantined: [] as DomainPlugin[] }
    const tools = guardTools({ cancel: tool({ inputSchema, execute: async () => 1 }) }, roster)
    const call = () => Promise.resolve(tools.cancel.execute?.({}, about))
    expect(await call()).toBe(1)
    roster.quarantined.push(denies)
    await expect(call()).rejects.toThrow('refused by `billing`')
  })

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'tools'],
    ['a list', [], 'tools'],
    ['null', { a: null }, 'tools.a'],
    ['a function', { a: { inputSchema }, b: () => 1 }, 'tools.b'],
  ])('does not begin with tools that are none: %s', (_, tools, option) => {
    expect(() => guardTools(tools as never, [])).toThrow(
      expect.objectContaining({ code: 'PLUGIN_OPTION_INVALID', details: { option } }),
    )
  })

  it.each([
    ['a map', new Map()],
    ['an instance', new URL('https://a.example')],
  ])('does not begin with a context that guards could never see: %s', (_, context) => {
    expect(() => guardTools({}, [], { context: context as never })).toThrow(
      expect.objectContaining({ code: 'PLUGIN_OPTION_INVALID', details: { option: 'context' } }),
    )
  })

  it('does not begin with something that is no plugin', () => {
    expect(() => guardTools({}, [null] as never)).toThrow(
      expect.objectContaining({ code: 'PLUGIN_NOT_A_PLUGIN' }),
    )
  })
})

function fail(): never {
  throw new Error('down')
}

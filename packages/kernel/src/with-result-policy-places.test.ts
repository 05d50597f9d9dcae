import { setImmediate as soon } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createInMemoryLedger, type Ledger } from '@symfonic/result-policy'
import { type ToolSet, tool } from 'ai'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createKernel, type Kernel } from './kernel.ts'
import { type ScriptedStep, scriptedModel } from './testing/scripted-model.ts'
import { turnView } from './testing-fixtures/turn-view.ts'
import { type ResultPolicyOptions, resultPlace, withResultPolicy } from './with-result-policy.ts'
import { createResultPlaces } from './with-result-policy-places.ts'

const scope = { tenantId: 'acme' }
const inRun = { scope, runId: 'r1' }
const inSession = { scope, sessionId: 's1' }
const list: ScriptedStep = { toolCalls: [{ name: 'list' }] }
const nest: ScriptedStep = { toolCalls: [{ name: 'nest' }] }
const hang: ScriptedStep = { toolCalls: [{ name: 'hang' }] }
const done: ScriptedStep = { text: 'ok' }

afterEach(() => {
  vi.useRealTimers()
})

describe('the results of a run without a session', () => {
  it('leave room for those of every other tenant in a ledger that holds only a few', async () => {
    const ledger = createInMemoryLedger({ maxTotalChars: 40_000 })
    const tenants = Array.from({ length: 12 }, (_, index) => `tenant ${index}`)
    const { kernel, replaced } = office(
      tenants.flatMap(() => [list, done]),
      { ledger },
    )
    for (const tenantId of tenants) {
      await kernel.run({ query: 'List', scope: { tenantId } })
      await kernel.flush()
    }
    expect(replaced).toEqual(tenants.flatMap(() => [0, 1]))
  })

  it('are read by the run itself, and by nobody once it has its answer', async () => {
    const { kernel, ledger, idIn, recall, toolTexts } = office([
      list,
      (sent) => ask(idIn(sent), 'guest 377'),
      done,
    ])
    await kernel.run({ query: 'List', ...inRun })
    await kernel.flush()
    expect(toolTexts(2)).toContain('s-377')
    expect(await ledger.count(resultPlace(inRun))).toBe(0)
    expect(await recall(inRun, idIn(1))).toBe(await recall(inRun, 'invented'))
  })

  it.each<[string, ScriptedStep, (kernel: Kernel, nested: AbortSignal) => Promise<unknown>]>([
    ['fails', { error: new Error('down') }, (kernel) => kernel.run({ query: 'List', ...inRun })],
    ['is aborted', nest, (kernel, signal) => kernel.run({ query: 'List', ...inRun, signal })],
    ['takes too long', hang, (kernel) => kernel.run({ query: 'List', ...inRun })],
    [
      'loses the consumer of its stream',
      { text: 'A long answer that comes in pieces' },
      async (kernel) => {
        for await (const { type } of kernel.stream({ query: 'List', ...inRun })) {
          if (type === 'text-delta') throw new Error('left')
        }
      },
    ],
  ])('are released when it %s', async (_how, step, run) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const abort = new AbortController()
    const onNest = async () => abort.abort()
    const limits = { turnTimeoutMs }
    const { kernel, ledger, released } = office([list, step], {}, { onNest, limits })
    await expect(run(kernel, abort.signal)).rejects.toThrow()
    await until(() => released.length > 0)
    expect(released).toEqual([resultPlace(inRun)])
    expect(await ledger.count(resultPlace(inRun))).toBe(0)
  })

  it('are released at the latest when nothing is left of a stream that was dropped half read', async () => {
    const { kernel, released } = office([], {}, { model: forgetful([list, done]) })
    await (async () => {
      const events = kernel.stream({ query: 'List', ...inRun })
      let next = await events.next()
      while (!next.done && !(next.value.type === 'history-rewritten' && next.value.step === 2))
        next = await events.next()
    })()
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    await until(() => {
      collect()
      return released.length > 0
    })
    expect(released).toEqual([resultPlace(inRun)])
    expect(kernel.version).toBe('agent-v1')
  })

  it('are released also when the ledger takes them only after the end', async () => {
    const own = createInMemoryLedger()
    const taking = Promise.withResolvers<void>()
    const record: Ledger['record'] = async (place, results) => {
      abort.abort()
      await taking.promise
      return own.record(place, results)
    }
    const abort = new AbortController()
    const { kernel, released } = office([list], { ledger: { ...own, record } })
    const run = kernel.run({ query: 'List', ...inRun, signal: abort.signal })
    await expect(run).rejects.toMatchObject({ code: 'KERNEL_TURN_ABORTED' })
    expect(released).toEqual([])
    taking.resolve()
    await until(() => released.length > 0)
    expect(await own.count(resultPlace(inRun))).toBe(0)
  })

  it('stay until the last of its turns has ended', async () => {
    const counts: number[] = []
    const { kernel, ledger, released } = office([list, nest, done, done], {}, { onNest })
    async function onNest() {
      await kernel.run({ query: 'Meanwhile', ...inRun })
      await soon()
      counts.push(await ledger.count(resultPlace(inRun)))
    }
    await kernel.run({ query: 'List', ...inRun })
    await kernel.flush()
    expect([counts, released.length]).toEqual([[1], 1])
  })

  it('are recorded anew by a turn of it that begins while they are released', async () => {
    const own = createInMemoryLedger()
    const releasing = Promise.withResolvers<void>()
    const release: Ledger['release'] = async (place) => {
      await releasing.promise
      return own.release(place)
    }
    const counts: number[] = []
    const onNest = async () => void counts.push(await own.count(resultPlace(inRun)))
    const ledger = { ...own, release }
    const { kernel } = office([list, done, nest, done], { ledger }, { onNest })
    const { messages } = await kernel.run({ query: 'List', ...inRun })
    const again = kernel.run({ query: 'Again', ...inRun, history: messages })
    await soon()
    releasing.resolve()
    await again
    expect(counts).toEqual([1])
  })

  it('that cannot be released cost a warning and no answer', async () => {
    const release = () => Promise.reject(new Error('down'))
    const ledger = { ...createInMemoryLedger(), release }
    const { kernel, warn } = office([list, done], { ledger })
    expect((await kernel.run({ query: 'List', ...inRun })).text).toBe('ok')
    await kernel.flush()
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      'The tool results of a run could not be released.',
      { ...resultPlace(inRun), reason: 'down' },
    )
  })

  it('are hidden from another run of the tenant at the same time', async () => {
    const answers: string[] = []
    const { kernel, idIn, recall } = office([list, nest, done, done], {}, { onNest })
    async function onNest() {
      const other = { scope, runId: 'r2' }
      for (const id of [idIn(1), 'invented']) answers.push(await recall(other, id))
      answers.push(await recall(inRun, idIn(1)))
      await kernel.run({ query: 'Meanwhile', ...other })
      answers.push(await recall(inRun, idIn(1)))
    }
    await kernel.run({ query: 'List', ...inRun })
    const mine = expect.stringContaining('guest 0')
    const unknown = expect.stringContaining('No result has this id')
    expect(answers).toEqual([unknown, unknown, mine, mine])
  })
})

describe('the results of a session', () => {
  it('belong to one tenant each where two tenants call their sessions the same', async () => {
    const { kernel, ledger, idIn, recall } = office([list, done, list, done])
    const theirs = { ...inSession, scope: { tenantId: 'globex' } }
    await kernel.run({ query: 'List', ...inSession })
    await kernel.run({ query: 'List', ...theirs })
    const [mine, other] = [idIn(1), idIn(3)]
    expect(mine).not.toBe(other)
    for (const place of [inSession, theirs]) expect(await ledger.count(resultPlace(place))).toBe(1)
    expect(await recall(inSession, mine)).toContain('guest 0')
    expect(await recall(theirs, other)).toContain('guest 0')
    const unknown = await recall(inSession, 'invented')
    expect([await recall(theirs, mine), await recall(inSession, other)]).toEqual([unknown, unknown])
  })

  it.each<[number, (string | undefined)[], string]>([
    [1, [], 'read'],
    [1, ['s2'], 'unknown'],
    [2, ['s2'], 'read'],
    [2, ['s2', 's3'], 'unknown'],
    [2, ['s2', 's1', 's3'], 'read'],
    [2, [undefined, undefined, 's2'], 'read'],
  ])(
    'of which a kernel with a ledger of its own remembers %i are, after turns of %j: %s',
    async (conversations, others, wanted) => {
      const script = [list, done, ...others.map(() => done)]
      const about = { hasOwnLedger: true }
      const { kernel, idIn, recall } = office(script, { conversations }, about)
      await kernel.run({ query: 'List', ...inSession })
      for (const sessionId of others) {
        await kernel.run({ query: 'Hello', scope, ...(sessionId !== undefined && { sessionId }) })
        await kernel.flush()
      }
      const text = wanted === 'read' ? 'guest 0' : 'No result has this id'
      expect(await recall(inSession, idIn(1))).toContain(text)
    },
  )

  it('are recorded anew, with the same bytes sent, when a forgotten session comes back', async () => {
    const { kernel, idIn, toolTexts } = office(
      [list, done, done, (sent) => ask(idIn(sent), 'guest 377'), done],
      { conversations: 1 },
      { hasOwnLedger: true },
    )
    const { messages } = await kernel.run({ query: 'List', ...inSession })
    await kernel.run({ query: 'Hello', scope, sessionId: 's2' })
    await kernel.run({ query: 'And 377?', ...inSession, history: messages })
    expect(toolTexts(3)).toBe(toolTexts(1))
    expect(toolTexts(4)).toContain('s-377')
  })

  it('stay in a ledger of the host, whatever the kernel forgets', async () => {
    const script = [list, done, done]
    const { kernel, idIn, recall, released } = office(script, { conversations: 1 })
    await kernel.run({ query: 'List', ...inSession })
    await kernel.run({ query: 'Hello', scope, sessionId: 's2' })
    await kernel.flush()
    expect(await recall(inSession, idIn(1))).toContain('guest 0')
    expect(released).toEqual([])
  })

  it('are not forgotten while a turn of it is under way', async () => {
    const answers: string[] = []
    const script = [list, nest, done, done, done]
    const { kernel, idIn, recall } = office(
      script,
      { conversations: 1 },
      { onNest, hasOwnLedger: true },
    )
    async function onNest() {
      await kernel.run({ query: 'Meanwhile', scope, sessionId: 's2' })
      answers.push(await recall(inSession, idIn(1)))
    }
    await kernel.run({ query: 'List', ...inSession })
    await kernel.run({ query: 'Hello', scope, sessionId: 's3' })
    answers.push(await recall(inSession, idIn(1)))
    expect(answers).toEqual([
      expect.stringContaining('guest 0'),
      expect.stringContaining('No result has this id'),
    ])
  })
})

describe('the place of a run', () => {
  it('is not worked at for a turn that has ended before', async () => {
    const { turn, places } = run()
    turn.abort.abort('over')
    const work = vi.fn()
    await expect(places.within(turn.view, work)).rejects.toBe('over')
    expect(work).not.toHaveBeenCalled()
  })

  it('is worked at by one after the other, also when one fails', async () => {
    const { turn, places, work, seen } = run()
    const mayFail = Promise.withResolvers<void>()
    const failed = places.within(turn.view, () => mayFail.promise)
    const next = places.within(turn.view, work('next'))
    await soon()
    expect(seen).toEqual([])
    mayFail.reject(new Error('down'))
    await expect(failed).rejects.toThrow('down')
    await next
    expect(seen).toEqual(['next'])
  })

  it('stays while one turn is under way, though the other has ended twice', async () => {
    const { turn, another, places, work, seen, mayRelease } = run()
    mayRelease.resolve()
    await places.within(turn.view, work('first'))
    await places.within(another().view, work('second'))
    await places.end(turn.view)
    turn.abort.abort()
    await soon()
    expect(seen).toEqual(['first', 'second'])
  })

  it('is one for turns that begin during and after a release', async () => {
    const { turn, another, places, work, seen, mayRelease } = run()
    const [second, third] = [another(), another()]
    await places.within(turn.view, work('first'))
    const ended = places.end(turn.view)
    await soon()
    const begun = places.within(second.view, work('second'))
    mayRelease.resolve()
    await Promise.all([ended, begun])
    await places.within(third.view, work('third'))
    await places.end(second.view)
    expect(seen).toEqual(['first', 'released', 'second', 'third'])
    await places.end(third.view)
    expect(seen).toEqual(['first', 'released', 'second', 'third', 'released'])
  })

  it('is left in peace when neither the ledger nor the logger works', async () => {
    const { turn, places, work, mayRelease } = run()
    const down = () => {
      throw new Error('down')
    }
    const logger = { debug: down, info: down, warn: down, error: down }
    await places.within({ ...turn.view, logger }, work('first'))
    mayRelease.reject(new Error('down'))
    await expect(places.end(turn.view)).resolves.toBeUndefined()
  })

  it('is waited for no longer than five seconds when the ledger does not answer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { turn, places, work } = run()
    await places.within(turn.view, work('first'))
    const ended = places.end(turn.view)
    await soon()
    await vi.advanceTimersByTimeAsync(5_000)
    await expect(ended).resolves.toBeUndefined()
  })

  it('is not forgotten while it is released, however many others are asked', async () => {
    const { turn, another, places, work, seen, mayRelease } = run()
    await places.within(turn.view, work('first'))
    const ended = places.end(turn.view)
    await soon()
    await places.within(another({ runId: 'r2' }).view, work('other'))
    const begun = places.within(another().view, work('second'))
    await soon()
    expect(seen).toEqual(['first', 'other'])
    mayRelease.resolve()
    await Promise.all([ended, begun])
    expect(seen).toEqual(['first', 'other', 'released', 'second'])
  })

  /** Turns of one run, and what happens at their place. A release waits for `mayRelease`. */
  function run() {
    const seen: string[] = []
    const mayRelease = Promise.withResolvers<void>()
    const release = async () => {
      await mayRelease.promise
      seen.push('released')
    }
    const ledger = { ...createInMemoryLedger(), release }
    const places = createResultPlaces(ledger, { most: 1, ownsLedger: false })
    const another = (differs: object = {}) => {
      const abort = new AbortController()
      return { abort, view: turnView({ ...inRun, signal: abort.signal, ...differs }) }
    }
    const work = (name: string) => async () => void seen.push(name)
    return { turn: another(), another, places, work, seen, mayRelease }
  }
})

const rows = Array.from({ length: 400 }, (_, id) => ({ name: `guest ${id}`, secret: `s-${id}` }))
const inputSchema = z.object({})
const turnTimeoutMs = 100_000

/** A kernel with a result policy, and a look at all it sends, saves and releases. */
function office(
  script: Parameters<typeof scriptedModel>[0],
  options: ResultPolicyOptions = {},
  about: {
    readonly limits?: { readonly turnTimeoutMs: number }
    readonly onNest?: () => Promise<unknown>
    /** The kernel makes its ledger, and this one stays empty. */
    readonly hasOwnLedger?: boolean
    readonly model?: ReturnType<typeof scriptedModel>
  } = {},
) {
  const { model = scriptedModel(script, { modelId: 'claude-sonnet-4-5' }) } = about
  const tools: ToolSet = {
    list: tool({ inputSchema, execute: async () => rows }),
    nest: tool({ inputSchema, execute: async () => void (await about.onNest?.()) }),
    hang: tool({
      inputSchema,
      execute: (): Promise<unknown> => {
        vi.advanceTimersByTime(turnTimeoutMs)
        return new Promise(() => {})
      },
    }),
  }
  const released: unknown[] = []
  const given = options.ledger ?? createInMemoryLedger()
  const ledger: Ledger = {
    ...given,
    release: async (place) => {
      await given.release(place)
      released.push(place)
    },
  }
  const warn = vi.fn()
  const kernel = createKernel({
    model,
    tools,
    logger: { debug() {}, info() {}, warn, error: warn },
    limits: { ...about.limits },
    capabilities: [withResultPolicy({ ...options, ...(!about.hasOwnLedger && { ledger }) })],
  })
  const replaced: unknown[] = []
  kernel.observe('history-rewritten', ({ details }) => {
    replaced.push(details['replacedResults'])
  })
  const toolTexts = (call: number) =>
    JSON.stringify(model.received[call]?.prompt.filter(({ role }) => role === 'tool'))
  /** The id in the first stub of a call, given by its number or by what was sent. */
  const idIn = (sent: number | object) => {
    const text = typeof sent === 'number' ? toolTexts(sent) : JSON.stringify(sent)
    return / id (r_\w+)/.exec(text)?.[1] ?? 'no stub'
  }
  const recall = async (context: object, id: string): Promise<string> => {
    const { execute } = kernel.tools['recall_tool_result'] as unknown as Recall
    return execute({ id }, { context })
  }
  return { kernel, ledger, released, warn, replaced, toolTexts, idIn, recall }
}

interface Recall {
  execute(request: object, options: { readonly context: object }): Promise<string>
}

function ask(id: string, search: string): ScriptedStep {
  return { toolCalls: [{ name: 'recall_tool_result', input: { id, search } }] }
}

/** A model that plays a script and remembers nothing of a turn, as a provider does. */
function forgetful(script: ScriptedStep[]): ReturnType<typeof scriptedModel> {
  const model = scriptedModel(script, { modelId: 'claude-sonnet-4-5' })
  return {
    ...model,
    doGenerate: ({ abortSignal: _, ...sent }) => model.doGenerate(sent),
    doStream: ({ abortSignal: _, ...sent }) => model.doStream(sent),
  }
}

async function until(holds: () => boolean): Promise<void> {
  for (let turns = 0; turns < 200 && !holds(); turns += 1) await soon()
}

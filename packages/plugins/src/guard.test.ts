import { afterEach, describe, expect, it, vi } from 'vitest'
import { createGuard, type GuardDecision, type GuardOptions } from './guard.ts'
import type { DomainPlugin, GuardCall } from './plugin.ts'

type Hook = (action: string, context: Record<string, unknown>, call: GuardCall) => unknown

const plugin = (name: string, hook?: unknown): DomainPlugin =>
  ({ name, ...(hook !== undefined && { validateStateTransition: hook }) }) as DomainPlugin
const allows = plugin('allows', () => true)
const allows2 = plugin('allows 2', async () => true)
const denies = plugin('denies', () => false)
const throws = plugin('throws', fail)
const hangs = plugin('hangs', () => new Promise(() => {}))

const ask = (
  plugins: Parameters<typeof createGuard>[0],
  {
    context = {},
    signal,
    ...options
  }: GuardOptions & { context?: object; signal?: AbortSignal } = {},
) => createGuard(plugins, options)({ action: 'cancel', context: context as never, signal })

const sayings = (decisions: readonly GuardDecision[]) =>
  decisions.map((decision) => `${decision.plugin} ${decision.verdict}`)

afterEach(() => void vi.useRealTimers())

describe('a guard', () => {
  it('allows when there is nobody to ask (PLUG-66)', async () => {
    const outcome = await ask([])
    expect(outcome).toEqual({ allowed: true, verdict: 'allow', policies: 0, decisions: [] })
    expect(await ask({ loaded: [], quarantined: [] })).toEqual(outcome)
  })

  it('does not ask a plugin without a guard (PLUG-59)', async () => {
    const without = [plugin('a'), plugin('b', null)]
    expect(await ask(without)).toMatchObject({ allowed: true, policies: 0, decisions: [] })
    expect(await ask([...without, denies])).toMatchObject({ allowed: false, policies: 1 })
  })

  it('stops at the first denial (PLUG-58, LO-14)', async () => {
    const after = vi.fn(() => true)
    const { allowed, decisions } = await ask([allows, denies, plugin('after', after)])
    expect(allowed).toBe(false)
    expect(sayings(decisions)).toEqual(['allows allow', 'denies deny'])
    expect(after).not.toHaveBeenCalled()
  })

  it('hands out a record of each decision', async () => {
    vi.useFakeTimers()
    const slow = plugin('slow', async () => {
      await new Promise((resolve) => setTimeout(resolve, 40))
      return { allow: false, reason: 'The invoice is paid.' }
    })
    const told: GuardDecision[] = []
    const asked = ask([slow], { onDecision: (decision) => told.push(decision) })
    await vi.runAllTimersAsync()
    const { decisions } = await asked
    expect(decisions).toEqual([
      {
        action: 'cancel',
        plugin: 'slow',
        verdict: 'deny',
        reason: 'The invoice is paid.',
        durationMs: 40,
        quarantined: false,
      },
    ])
    expect(told).toEqual(decisions)
    expect([decisions, decisions[0]].every(Object.isFrozen)).toBe(true)
  })

  it.each<[string, unknown, string]>([
    ['throws', fail, 'it threw Error: down'],
    [
      'throws nothing',
      () => {
        throw undefined
      },
      'it threw undefined',
    ],
    ['rejects', async () => fail(), 'it threw Error: down'],
    ['answers nothing', () => undefined, 'it answered undefined instead of true or false'],
    ['answers null', () => null, 'it answered null'],
    ['answers a text', () => 'true', 'it answered a text'],
    ['answers an empty text', () => '', 'it answered a text'],
    ['answers one', () => 1, 'it answered a number'],
    ['answers zero', () => 0, 'it answered a number'],
    ['answers a truth object', () => new Boolean(true), 'it answered an object'],
    ['answers an object', () => ({}), 'it answered an object'],
    ['answers an allowing object', () => ({ allow: true }), 'it answered an object'],
    ['answers a list', () => [true], 'it answered a list'],
    ['answers a function', () => () => true, 'it answered a function'],
    ['promises a text', async () => 'yes', 'it answered a text'],
    ['answers what cannot be read', () => new Proxy({}, { get: fail }), 'it threw Error: down'],
    [
      'answers a denial that cannot be read',
      () => Object.defineProperty({}, 'allow', { get: fail }),
      'its answer cannot be read: Error: down',
    ],
    ['is no function', 'yes', 'it threw TypeError'],
    ['is false', false, 'it threw TypeError'],
  ])(
    'abstains, which denies and is its own verdict, when it %s (PLUG-60, PLUG-61)',
    async (_, hook, reason) => {
      // A roster, since a list would not even take what has a hook that is no function.
      const outcome = await ask({ loaded: [plugin('odd', hook), allows], quarantined: [] })
      expect(outcome).toMatchObject({ allowed: false, verdict: 'abstain', policies: 2 })
      expect(sayings(outcome.decisions)).toEqual(['odd abstain', 'allows allow'])
      expect(outcome.decisions[0]?.reason).toContain(reason)
    },
  )

  it('tells a guard that is down from one that denies and from one that is not there', async () => {
    const outcomes = [await ask([throws]), await ask([denies]), await ask([plugin('x')])]
    expect(outcomes.map(({ allowed, verdict }) => `${allowed} ${verdict}`)).toEqual([
      'false abstain',
      'false deny',
      'true allow',
    ])
  })

  it('denies for a hook that cannot be read, and for what is no plugin', async () => {
    const trap = Object.defineProperty({ name: 'trap' }, 'validateStateTransition', { get: fail })
    for (const loaded of [[trap], [null], ['x']] as never[]) {
      const outcome = await ask({ loaded, quarantined: [] })
      expect(outcome).toMatchObject({ allowed: false, verdict: 'abstain', policies: 1 })
    }
  })

  it.each<[string, unknown]>([
    ['throws', Object.defineProperty({ quarantined: [] }, 'loaded', { get: fail })],
    ['has no lists', { loaded: undefined, quarantined: undefined }],
    ['has half of them', { loaded: [], quarantined: 5 }],
  ])(
    'denies when the roster %s: never an unconditional allow (PLUG-63, PLUG-65)',
    async (_, roster) => {
      const warn = vi.fn()
      const logger = { debug: vi.fn(), info: vi.fn(), warn, error: vi.fn() }
      const guard = createGuard(roster as never, { logger })
      for (const _ of [1, 2, 3]) {
        expect(await guard({ action: 'cancel', context: {} })).toMatchObject({
          allowed: false,
          verdict: 'abstain',
          decisions: [{ plugin: '(roster)' }],
        })
      }
      expect(warn).toHaveBeenCalledTimes(1)
      expect(logger.debug).toHaveBeenCalledTimes(2)
    },
  )

  it('denies when a guard hangs past its limit, and tells it so (DESIGN decision 2)', async () => {
    vi.useFakeTimers()
    let told: AbortSignal | undefined
    const deaf = plugin('deaf', ((_action, _context, { signal }) => {
      told = signal
      return new Promise(() => {})
    }) satisfies Hook)
    const asked = ask([deaf, allows], { timeLimitMs: 50 })
    await vi.advanceTimersByTimeAsync(49)
    expect(told?.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(await asked).toMatchObject({
      allowed: false,
      verdict: 'abstain',
      decisions: [
        { plugin: 'deaf', reason: 'it gave no answer within 50 ms', durationMs: 50 },
        { plugin: 'allows', verdict: 'allow' },
      ],
    })
    expect(told?.aborted).toBe(true)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('denies when a guard hangs for half a minute and nobody set a limit', async () => {
    vi.useFakeTimers()
    const asked = ask([hangs])
    await vi.advanceTimersByTimeAsync(30_000)
    expect(await asked).toMatchObject({
      allowed: false,
      decisions: [{ verdict: 'abstain', reason: 'it gave no answer within 30000 ms' }],
    })
  })

  it('waits for ever where the host says so', async () => {
    vi.useFakeTimers()
    const patient = plugin(
      'patient',
      () => new Promise((resolve) => setTimeout(() => resolve(true), 3_600_000)),
    )
    const asked = ask([patient], { timeLimitMs: Number.POSITIVE_INFINITY })
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(await asked).toMatchObject({ allowed: true })
  })

  it('denies when a guard allows after its limit', async () => {
    const now = vi.spyOn(performance, 'now')
    let time = 0
    now.mockImplementation(() => time)
    const busy = plugin('busy', () => {
      time += 51
      return true
    })
    const outcome = await ask([busy], { timeLimitMs: 50 })
    now.mockRestore()
    expect(outcome).toMatchObject({ allowed: false, verdict: 'abstain' })
  })

  it('denies when the run is stopped while a guard thinks, and asks nobody after that', async () => {
    const after = vi.fn(() => true)
    const controller = new AbortController()
    const asked = ask([hangs, plugin('after', after)], { signal: controller.signal })
    controller.abort()
    expect(await asked).toMatchObject({ allowed: false, verdict: 'abstain' })
    expect(after).not.toHaveBeenCalled()
    const stopped = await ask([allows], { signal: AbortSignal.abort() })
    expect(stopped).toMatchObject({ allowed: false, decisions: [{ verdict: 'abstain' }] })
  })

  it('gives each guard the signal of the run', async () => {
    const controller = new AbortController()
    const hook = vi.fn<Hook>(() => true)
    const timeLimitMs = Number.POSITIVE_INFINITY
    await ask([plugin('a', hook)], { signal: controller.signal, timeLimitMs })
    expect(hook.mock.calls[0]?.[2]).toEqual({ signal: controller.signal })
    await ask([plugin('a', hook)], { timeLimitMs })
    expect(hook.mock.calls[1]?.[2].signal.aborted).toBe(false)
  })

  it('gives each guard a fresh copy that is its own to write to (PLUG-62)', async () => {
    const seen: unknown[] = []
    const scribbles: Hook = (_action, context) => {
      seen.push(structuredClone(context))
      context['tenant'] = 'other'
      ;(context['arguments'] as { ids: string[] }).ids.push('B2')
      return true
    }
    const context = Object.freeze({ tenant: 't1', arguments: { ids: ['A1'] } })
    const outcome = await ask([plugin('a', scribbles), plugin('b', scribbles)], { context })
    expect(outcome.allowed).toBe(true)
    expect(context).toEqual({ tenant: 't1', arguments: { ids: ['A1'] } })
    expect(seen).toEqual([context, context])
  })

  it('shows every guard the context as it was when the asking began', async () => {
    const context = { tenant: 't1' }
    const sees: Hook = (_action, { tenant }) => tenant === 't1'
    const meddles = plugin('meddles', async () => {
      await Promise.resolve()
      context.tenant = 't2'
      return true
    })
    expect(await ask([meddles, plugin('sees', sees)], { context })).toMatchObject({ allowed: true })
  })

  it.each<[string, unknown]>([
    ['holds a function', { save: () => 1 }],
    ['throws while it is read', Object.defineProperty({}, 'x', { enumerable: true, get: fail })],
    ['cannot be found out', fail],
    ['cannot be found out in time', async () => fail()],
    ['holds an instance', { user: new (class User {})() }],
    ['is an instance', new (class User {})()],
    ['is a map', new Map([['role', 'guest']])],
    ['is a list', ['guest']],
    ['is a text', 'guest'],
    ['is null', null],
    ['is found to be nothing', () => undefined],
    ['is found to be null, later', async () => null],
    ['is found to be a map, later', async () => new Map([['role', 'guest']])],
    ['is found to be a text', () => 'abc'],
  ])('denies, and calls nobody, when the context %s', async (_, context) => {
    const hook = vi.fn(() => true)
    const outcome = await ask([plugin('a', hook), plugin('b', hook)], { context: context as never })
    expect(outcome).toMatchObject({ allowed: false, verdict: 'abstain' })
    expect(outcome.decisions[0]?.reason).toMatch(/^the context cannot be shown to guards: /)
    expect(hook).not.toHaveBeenCalled()
  })

  it('denies when there is no context at all, and takes that for no other request', async () => {
    const hook = vi.fn(() => true)
    const request = { action: 'x', context: undefined as never }
    expect(await createGuard([plugin('a', hook)])(request)).toMatchObject({
      allowed: false,
      decisions: [{ plugin: 'a', reason: expect.stringContaining('the context is undefined') }],
    })
    expect(hook).not.toHaveBeenCalled()
  })

  it.each<[string, unknown, string, string]>([
    ['is nothing', undefined, '', 'are undefined'],
    ['is a text', 'cancel', '', 'are a text'],
    ['is a list', [], '', 'are a list'],
    [
      'has a key misspelt',
      { action: 'x', ctx: {} },
      'x',
      'no option "ctx". Give only action, context',
    ],
    ['has one more', { action: 'x', context: {}, role: 1 }, 'x', 'no option "role"'],
    ['has no action', { context: {} }, '', 'the action is undefined'],
    ['has an action that is no text', { action: 5, context: {} }, '', 'action is a number'],
    ['has no real signal', { action: 'x', context: {}, signal: {} }, 'x', 'signal is an object'],
    ['cannot be read', Object.defineProperty({}, 'action', { get: fail }), '', 'Error: down'],
  ])(
    'denies, and calls nobody, when the request %s, guards or none',
    async (_, request, action, reason) => {
      const hook = vi.fn(() => true)
      for (const plugins of [[], [plugin('a', hook)]]) {
        expect(await createGuard(plugins)(request as never)).toMatchObject({
          allowed: false,
          verdict: 'abstain',
          decisions: [{ plugin: '(request)', action, reason: expect.stringContaining(reason) }],
        })
      }
      expect(hook).not.toHaveBeenCalled()
    },
  )

  it('denies when a guard stops the run and allows, at once or later', async () => {
    for (const answer of [() => true, async () => true]) {
      const controller = new AbortController()
      const stops = plugin('stops', () => {
        controller.abort()
        return answer()
      })
      expect(await ask([stops], { signal: controller.signal })).toMatchObject({
        allowed: false,
        decisions: [{ reason: 'the run was stopped before it answered' }],
      })
    }
  })

  it('takes the copying of the context for nobody’s time', async () => {
    let time = 0
    const now = vi.spyOn(performance, 'now').mockImplementation(() => time)
    const copying = vi.spyOn(Object, 'keys').mockImplementation((value) => {
      time += 60
      return Reflect.ownKeys(value) as string[]
    })
    const outcome = await ask([allows, allows2], { context: { a: { b: 1 } }, timeLimitMs: 50 })
    copying.mockRestore()
    now.mockRestore()
    expect(time).toBeGreaterThan(0)
    expect(outcome).toMatchObject({ allowed: true, decisions: [{ durationMs: 0 }, {}] })
  })

  it('asks all that a roster had when the asking began, whoever takes one out meanwhile', async () => {
    const roster = { loaded: [] as DomainPlugin[], quarantined: [denies] }
    const clears = plugin('clears', () => {
      roster.loaded.length = 0
      roster.quarantined.length = 0
      return true
    })
    roster.loaded.push(clears, throws)
    const { decisions } = await ask(roster)
    expect(sayings(decisions)).toEqual(['clears allow', 'throws abstain', 'denies deny'])
  })

  it('denies when the context does not come in time, or the run is stopped before it does', async () => {
    const context = () => new Promise<never>(() => {})
    const hook = vi.fn(() => true)
    const late = await ask([plugin('a', hook)], { context, timeLimitMs: 3 })
    const controller = new AbortController()
    const stopped = ask([plugin('a', hook)], { context, signal: controller.signal })
    controller.abort()
    for (const { allowed, verdict } of [late, await stopped]) {
      expect([allowed, verdict]).toEqual([false, 'abstain'])
    }
    expect(hook).not.toHaveBeenCalled()
  })

  it('finds out the context once, and only when there is a guard', async () => {
    const context = vi.fn(async () => ({ tenant: 't1' }))
    await ask([plugin('none')], { context })
    expect(context).not.toHaveBeenCalled()
    const hook = vi.fn<Hook>(() => true)
    await ask([plugin('a', hook), plugin('b', hook)], { context })
    expect(context).toHaveBeenCalledTimes(1)
    expect(hook.mock.calls.map(([, given]) => given)).toEqual([{ tenant: 't1' }, { tenant: 't1' }])
  })

  it.each<[string, DomainPlugin[], DomainPlugin[], boolean, string]>([
    ['can veto', [allows], [denies], false, 'deny'],
    ['cannot approve what another denies', [denies], [allows], false, 'deny'],
    ['cannot approve what another abstains on', [throws], [allows], false, 'abstain'],
    ['approves nothing, and objects to nothing', [], [allows], true, 'allow'],
    ['is asked when nobody else is there', [], [denies], false, 'deny'],
    ['denies when it throws (OPEN-PLUG-6)', [allows], [throws], false, 'abstain'],
    ['has no say without a guard', [allows], [plugin('q')], true, 'allow'],
  ])(
    'in quarantine a plugin %s (PLUG-51, PLUG-65)',
    async (_, loaded, quarantined, allowed, verdict) => {
      expect(await ask({ loaded, quarantined })).toMatchObject({
        allowed,
        verdict,
        policies: loaded.length,
      })
    },
  )

  it('in quarantine a broken hook denies, and a plugin without a name is unknown', async () => {
    const broken = [{ validateStateTransition: 'no' }] as never[]
    expect(await ask({ loaded: [allows], quarantined: broken })).toMatchObject({
      allowed: false,
      decisions: [
        { plugin: 'allows' },
        { plugin: 'unknown', verdict: 'abstain', quarantined: true },
      ],
    })
  })

  it('names who abstained in a warning, once, and is not disturbed by who listens', async () => {
    const lines: string[] = []
    const logger = {
      debug: (line: string) => void lines.push(`debug ${line}`),
      info: fail,
      warn: (line: string) => {
        lines.push(`warn ${line}`)
        fail()
      },
      error: fail,
    }
    const guard = createGuard([throws], { logger, onDecision: fail })
    for (const _ of [1, 2]) await guard({ action: 'cancel\n', context: {} })
    const said = `Guard of plugin 'throws' abstained on "cancel\\n", so it is denied: it threw Error: down`
    expect(lines).toEqual([`warn ${said}`, `debug ${said}`])
  })

  it('is not disturbed by a listener that fails later', async () => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    expect(await ask([allows], { onDecision: async () => fail() })).toMatchObject({ allowed: true })
    await new Promise((resolve) => setTimeout(resolve, 1))
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })

  it('judges calls made at the same time apart from each other', async () => {
    const even = plugin('even', async (_action: string, { n }: { n: number }) => n % 2 === 0)
    const guard = createGuard([even])
    const asked = [1, 2, 3, 4].map((n) => guard({ action: 'x', context: { n } }))
    const outcomes = await Promise.all(asked)
    expect(outcomes.map(({ allowed }) => allowed)).toEqual([false, true, false, true])
  })

  it.each([
    [null, {}, 'PLUGIN_NOT_A_PLUGIN'],
    [[{}], {}, 'PLUGIN_NOT_A_PLUGIN'],
    [{ name: 'alone' }, {}, 'PLUGIN_NOT_A_PLUGIN'],
    [[], { timeLimitMs: '5' }, 'PLUGIN_OPTION_INVALID'],
  ])('does not begin with %j and %j', (plugins, options, code) => {
    expect(() => createGuard(plugins as never, options as never)).toThrow(
      expect.objectContaining({ code }),
    )
  })
})

function fail(): never {
  throw new Error('down')
}

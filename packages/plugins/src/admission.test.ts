import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { createPluginRoster, type RefusalReasonCode } from './admission.ts'
import { createGuard } from './guard.ts'
import type { DomainPlugin } from './plugin.ts'
import { createPluginPromptSection } from './prompt-section.ts'
import { buildRenderState } from './render-state.ts'

function recorder() {
  const lines: string[] = []
  const note = (level: string) => (line: string) => void lines.push(`${level} ${line}`)
  const logger = {
    debug: note('debug'),
    info: note('info'),
    warn: note('warn'),
    error: note('error'),
  }
  return { lines, logger }
}

const named = (name: string, more: object = {}): DomainPlugin => ({ name, ...more })
const names = (plugins: readonly DomainPlugin[]) => plugins.map(({ name }) => name)

describe('a plugin roster', () => {
  it('loads plugins in the order offered and says so (PLUG-52, PLUG-53)', async () => {
    const { lines, logger } = recorder()
    const roster = createPluginRoster({ logger })
    expect(await roster.admit(named('billing'))).toEqual({ admitted: true, name: 'billing' })
    expect(roster.admitNow(named('clinic', { getDomainTools: () => [] }))).toMatchObject({
      admitted: true,
    })
    expect(names(roster.loaded)).toEqual(['billing', 'clinic'])
    expect(roster.quarantined).toEqual([])
    expect(lines).toEqual([
      "info Plugin 'billing' loaded (no tools)",
      "info Plugin 'clinic' loaded (no tools)",
    ])
  })

  it('waits for anything that can be waited for, a function with "then" included', async () => {
    const later = Object.assign(() => undefined, {
      // biome-ignore lint/suspicious/noThenProperty: it is what makes the function a thenable.
      then: (settle: (tools: unknown[]) => void) => settle([]),
    })
    const roster = createPluginRoster()
    expect(await roster.admit(named('a', { getDomainTools: () => later }))).toMatchObject({
      admitted: true,
    })
  })

  it.each<[string, unknown, RefusalReasonCode[]]>([
    ['tools', named('a', { getDomainTools: () => ['t'] }), ['brings-tools']],
    ['tools to come', named('a', { getDomainTools: async () => ['t'] }), ['brings-tools']],
    ['tools that cannot be read', named('a', { getDomainTools: fail }), ['brings-tools']],
    [
      'tools that are rejected',
      named('a', { getDomainTools: async () => fail() }),
      ['brings-tools'],
    ],
    ['tools in no list', named('a', { getDomainTools: () => ({ length: 0 }) }), ['brings-tools']],
    ['no answer about tools', named('a', { getDomainTools: () => undefined }), ['brings-tools']],
    [
      'a list that fights back',
      named('a', { getDomainTools: () => new Proxy([], { get: fail }) }),
      ['brings-tools'],
    ],
    ['a hook that is no function', named('a', { injectSystemPrompt: 'x' }), ['no-plugin']],
    ['no name', {}, ['no-plugin']],
    ['no object', 'plugin', ['no-plugin']],
    ['a name that is taken', named('taken'), ['name-taken']],
    [
      'several reasons at once',
      named('taken', { getDomainTools: () => ['t'], injectSystemPrompt: 1 }),
      ['no-plugin', 'name-taken'],
    ],
    [
      'tools under a taken name',
      named('taken', { getDomainTools: () => ['t'] }),
      ['brings-tools', 'name-taken'],
    ],
  ])('refuses %s and leaves nothing loaded (PLUG-46, PLUG-47)', async (_, plugin, codes) => {
    const { lines, logger } = recorder()
    const section = { addPlugin: vi.fn() }
    const roster = createPluginRoster({ section, logger })
    await roster.admit(named('taken'))
    section.addPlugin.mockClear()
    const admission = await roster.admit(plugin as DomainPlugin)
    expect(admission).toMatchObject({ admitted: false })
    if (admission.admitted) return
    expect(admission.reasons.map(({ code }) => code)).toEqual(codes)
    expect(admission.message).toBe(admission.reasons.map(({ message }) => message).join(' '))
    expect(section.addPlugin).not.toHaveBeenCalled()
    expect(names(roster.loaded)).toEqual(['taken'])
    expect(roster.quarantined).toEqual(typeof plugin === 'object' ? [plugin] : [])
    expect(lines.at(-1)).toBe(`warn ${admission.message}`)
  })

  it('refuses a plugin without a name as unknown, which takes nobody`s name', () => {
    const roster = createPluginRoster()
    roster.admitNow(named('unknown'))
    expect(roster.admitNow({} as DomainPlugin)).toMatchObject({
      admitted: false,
      name: 'unknown',
      reasons: [{ code: 'no-plugin' }],
      message: expect.stringMatching(/^Plugin 'unknown' was refused\. .*Give it/),
    })
  })

  it('refuses who comes after the seal, and keeps who is there (PLUG-54, CONFLICT-09)', async () => {
    const roster = createPluginRoster()
    await roster.admit(named('early'))
    const before = roster.loaded
    roster.seal()
    expect(roster.isSealed).toBe(true)
    expect(await roster.admit(named('late'))).toMatchObject({ reasons: [{ code: 'too-late' }] })
    expect(roster.loaded).toBe(before)
    expect(names(roster.quarantined)).toEqual(['late'])
  })

  it('refuses who asked before the seal and answers after it', async () => {
    const roster = createPluginRoster()
    const admission = roster.admit(named('slow', { getDomainTools: async () => [] }))
    roster.seal()
    expect(await admission).toMatchObject({ reasons: [{ code: 'too-late' }] })
  })

  it.each<[string, number | undefined, number]>([
    ['in half a minute', undefined, 30_000],
    ['in the time it has', 50, 50],
  ])('refuses who does not say %s whether it brings tools', async (_, timeLimitMs, waitMs) => {
    vi.useFakeTimers()
    const roster = createPluginRoster({ timeLimitMs })
    const plugin = named('deaf', { getDomainTools: () => new Promise(() => {}) })
    const settled = vi.fn()
    const admission = roster.admit(plugin).finally(settled)
    await vi.advanceTimersByTimeAsync(waitMs - 1)
    expect(settled).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(await admission).toMatchObject({
      admitted: false,
      reasons: [{ code: 'brings-tools', message: expect.stringContaining('does not say') }],
      cause: undefined,
    })
    expect(roster.quarantined).toEqual([plugin])
    expect(vi.getTimerCount()).toBe(0)
    vi.useRealTimers()
  })

  it('lets one of two plugins have a name they both claim meanwhile', async () => {
    const roster = createPluginRoster()
    const slow = () => named('a', { getDomainTools: async () => [] })
    const admissions = await Promise.all([roster.admit(slow()), roster.admit(slow())])
    expect(admissions.map(({ admitted }) => admitted)).toEqual([true, false])
    expect([roster.loaded.length, roster.quarantined.length]).toEqual([1, 1])
  })

  it('keeps a name claimed that its plugin has changed', () => {
    const roster = createPluginRoster()
    const plugin = { name: 'a' }
    roster.admitNow(plugin)
    plugin.name = 'b'
    expect(roster.admitNow(named('a'))).toMatchObject({ reasons: [{ code: 'name-taken' }] })
  })

  it('takes a plugin at once when its tools are known at once', () => {
    const roster = createPluginRoster()
    void roster.admit(named('a', { getDomainTools: () => [] }))
    expect(names(roster.loaded)).toEqual(['a'])
    const slow = named('b', { getDomainTools: async () => [] })
    expect(roster.admitNow(slow)).toMatchObject({ reasons: [{ code: 'brings-tools' }] })
  })

  it('undoes the first write when the section throws, and keeps the cause (PLUG-48, ERR-09)', async () => {
    const cause = new TypeError('boom')
    const { lines, logger } = recorder()
    const seen: string[][] = []
    const section = {
      addPlugin: () => {
        seen.push(names(roster.loaded))
        throw cause
      },
    }
    const roster = createPluginRoster({ section, logger })
    const plugin = named('p')
    expect(await roster.admit(plugin)).toEqual({
      admitted: false,
      name: 'p',
      reasons: [{ code: 'section-failed', message: expect.any(String) }],
      message:
        "Plugin 'p' could not be registered with the prompt section (TypeError: boom). Nothing was left loaded.",
      cause,
    })
    expect(seen).toEqual([['p']])
    expect(roster.loaded).toEqual([])
    expect(roster.quarantined).toEqual([plugin])
    expect(lines.filter((line) => line.startsWith('info'))).toEqual([])
  })

  it('refuses a plugin whose section promises to add it, and hears what comes of that', async () => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    const roster = createPluginRoster({ section: { addPlugin: async () => fail() } })
    for (const plugin of [named('p'), named('q')]) {
      expect(roster.admitNow(plugin)).toMatchObject({
        admitted: false,
        reasons: [
          {
            code: 'section-failed',
            message: expect.stringMatching(
              /add at once\)\. The section may hold its text all the same\.$/,
            ),
          },
        ],
      })
    }
    await new Promise((resolve) => setTimeout(resolve, 1))
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
    expect([names(roster.loaded), names(roster.quarantined)]).toEqual([[], ['p', 'q']])
  })

  it('keeps each veto in quarantine until the host lets it go, and says so', async () => {
    const { lines, logger } = recorder()
    const roster = createPluginRoster({ logger })
    const denies = { validateStateTransition: () => false }
    const loaded = named('loaded')
    roster.admitNow(loaded)
    roster.seal()
    const late = Array.from({ length: 50 }, () => named('late', denies))
    for (const plugin of late) roster.admitNow(plugin)
    expect(roster.quarantined).toEqual(late)
    const before = roster.quarantined
    expect(late.map((plugin) => roster.release(plugin))).not.toContain(false)
    expect([before.length, roster.quarantined.length]).toEqual([50, 0])
    expect(Object.isFrozen(roster.quarantined)).toBe(true)
    expect(lines.at(-1)).toBe(
      "warn Plugin 'late' was released from quarantine; its guard is asked no more.",
    )
    expect(await createGuard(roster)({ action: 'x', context: {} })).toMatchObject({ allowed: true })
    for (const other of [late[0], loaded, named('loaded'), null]) {
      expect(roster.release(other as DomainPlugin)).toBe(false)
    }
    expect(roster.loaded).toEqual([loaded])
  })

  it('lets a refused plugin come back, out of quarantine', async () => {
    let isDown = true
    const section = { addPlugin: () => (isDown ? fail() : undefined) }
    const roster = createPluginRoster({ section })
    const plugin = named('p')
    await roster.admit(plugin)
    await roster.admit(plugin)
    expect(roster.quarantined).toEqual([plugin])
    isDown = false
    expect(await roster.admit(plugin)).toMatchObject({ admitted: true })
    expect([roster.loaded, roster.quarantined]).toEqual([[plugin], []])
  })

  it('does not put a loaded plugin into quarantine when it is offered again', async () => {
    const roster = createPluginRoster()
    const plugin = named('p')
    await roster.admit(plugin)
    expect(await roster.admit(plugin)).toMatchObject({ reasons: [{ code: 'name-taken' }] })
    expect([roster.loaded, roster.quarantined]).toEqual([[plugin], []])
  })

  it('gives a quarantined plugin no text and a veto (PLUG-50, PLUG-51)', async () => {
    const section = createPluginPromptSection()
    const roster = createPluginRoster({ section })
    const hooks = { injectSystemPrompt: () => 'text', validateStateTransition: () => false }
    await roster.admit(named('good', { injectSystemPrompt: () => 'good text' }))
    const guard = createGuard(roster)
    const request = { action: 'cancel', context: {} }
    expect(await guard(request)).toMatchObject({ allowed: true, policies: 0 })
    await roster.admit(named('refused', { ...hooks, getDomainTools: () => ['t'] }))
    expect(await section.render(buildRenderState())).toBe('### good\ngood text')
    expect(await guard(request)).toMatchObject({
      allowed: false,
      policies: 0,
      decisions: [{ plugin: 'refused', verdict: 'deny', quarantined: true }],
    })
  })

  it('hands out lists that nobody can write to', async () => {
    const roster = createPluginRoster()
    await roster.admit(named('a'))
    await roster.admit({} as DomainPlugin)
    for (const list of [roster, roster.loaded, roster.quarantined]) {
      expect(Object.isFrozen(list)).toBe(true)
    }
  })

  it('does not mind a logger that is down', async () => {
    const roster = createPluginRoster({
      logger: { debug: fail, info: fail, warn: fail, error: fail },
    })
    expect(await roster.admit(named('a'))).toMatchObject({ admitted: true })
    expect(await roster.admit(named('a'))).toMatchObject({ admitted: false })
  })

  it('never loses a plugin: each object offered is loaded or quarantined, and no name twice', async () => {
    const offer = fc.record({
      name: fc.constantFrom('a', 'b', 'c', ''),
      brings: fc.boolean(),
      promises: fc.boolean(),
      seals: fc.boolean(),
      fails: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(offer, { maxLength: 8 }), async (offers) => {
        let failsNow = false
        const roster = createPluginRoster({
          section: { addPlugin: () => (failsNow ? fail() : undefined) },
        })
        const offered: DomainPlugin[] = []
        for (const { name, brings, promises, seals, fails } of offers) {
          const tools = brings ? ['t'] : []
          const getDomainTools = () => (promises ? Promise.resolve(tools) : tools)
          const plugin = named(name, { getDomainTools })
          failsNow = fails
          const wasSealed = roster.isSealed
          const isTaken = names(roster.loaded).includes(name)
          const { admitted } = await roster.admit(plugin)
          expect(admitted).toBe(name !== '' && !brings && !wasSealed && !isTaken && !fails)
          if (seals) roster.seal()
          offered.push(plugin)
        }
        expect(new Set([...roster.loaded, ...roster.quarantined])).toEqual(new Set(offered))
        expect(roster.loaded.length + roster.quarantined.length).toBe(offered.length)
        expect(new Set(names(roster.loaded)).size).toBe(roster.loaded.length)
      }),
    )
  })
})

function fail(): never {
  throw new Error('down')
}

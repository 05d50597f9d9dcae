import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { collectContributions, type LeftOutPlugin } from './collect.ts'
import { type ContributionSource, defineContribution } from './contribution.ts'
import type { DomainPlugin } from './plugin.ts'
import { buildRenderState } from './render-state.ts'
import { createOnceLatch } from './warn-once.ts'

const state = buildRenderState({ query: 'hello' })

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

const writes = (name: string, ...sources: unknown[]): DomainPlugin => ({
  name,
  injectContributions: () => sources as ContributionSource[],
})

const contentsOf = async (...plugins: DomainPlugin[]) =>
  (await collectContributions(plugins, state)).map(({ content }) => content)

describe('collectContributions', () => {
  it('fills in origins, whatever the plugin wrote there (PLUG-26, OPEN-PLUG-4)', async () => {
    const plugin = writes('a', { content: 'x', origin: 'somebody else' })
    expect(await collectContributions([plugin], state)).toMatchObject([
      { content: 'x', position: 'cached', origin: 'a' },
    ])
  })

  it('leaves the contributions of the plugin as they are', async () => {
    const own = defineContribution({ content: 'x', position: 'kernel' })
    await collectContributions([writes('a', own)], state)
    expect(own).toMatchObject({ position: 'kernel', origin: undefined })
  })

  it('places a contribution once that a plugin keeps, and anew under another name', async () => {
    const kept = defineContribution({ content: 'x' })
    const collect = async (name: string) =>
      (await collectContributions([writes(name, kept)], state))[0]
    const [first, second, other] = [await collect('a'), await collect('a'), await collect('b')]
    expect(second).toBe(first)
    expect(other).toEqual({ ...first, origin: 'b' })
    expect(Object.isFrozen(other)).toBe(true)
  })

  it('takes the legacy text for one cached contribution, and an empty one for none', async () => {
    const old = (name: string, text: string): DomainPlugin => ({
      name,
      injectSystemPrompt: async () => text,
    })
    const collected = await collectContributions([old('a', 'alpha'), old('b', '')], state)
    expect(collected).toEqual([{ ...defineContribution({ content: 'alpha' }), origin: 'a' }])
  })

  it('hands over the state, with the plugin as `this`', async () => {
    const plugin = {
      name: 'a',
      mark: 'own',
      injectSystemPrompt(given: typeof state) {
        return `${this.mark} ${given.QUERY}`
      },
    }
    expect(await contentsOf(plugin)).toEqual(['own hello'])
  })

  it('puts cached before volatile, then lower orders first across plugins (LO-15)', async () => {
    const a = writes(
      'a',
      { content: 'a-volatile', position: 'volatile', order: -9 },
      { content: 'a-late', order: 200 },
      { content: 'a-default' },
    )
    const b = writes('b', { content: 'b-first', order: -1 }, { content: 'b-default' })
    expect(await contentsOf(a, b)).toEqual([
      'b-first',
      'a-default',
      'b-default',
      'a-late',
      'a-volatile',
    ])
  })

  it('keeps registration order for ties, however long a plugin takes (OPEN-PLUG-1)', async () => {
    const slow: DomainPlugin = {
      name: 'slow',
      injectSystemPrompt: () => new Promise((resolve) => setTimeout(() => resolve('slow'), 3)),
    }
    expect(await contentsOf(slow, writes('quick', { content: 'quick' }))).toEqual(['slow', 'quick'])
  })

  it('sorts as a stable sort by position and order would, for any contributions', async () => {
    const source = fc.record({
      position: fc.constantFrom('cached', 'volatile', 'kernel'),
      order: fc.integer({ min: -2, max: 2 }),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(source, { maxLength: 4 }), { maxLength: 4 }),
        async (all) => {
          const given = all.map((list, plugin) =>
            list.map((one, index) => ({ ...one, content: `${plugin}.${index}` })),
          )
          const collected = await contentsOf(...given.map((list, p) => writes(`p${p}`, ...list)))
          const rank = (one: { position: string }) => (one.position === 'volatile' ? 1 : 0)
          const expected = given
            .flat()
            .toSorted((a, b) => rank(a) - rank(b) || a.order - b.order)
            .map(({ content }) => content)
          expect(collected).toEqual(expected)
        },
      ),
    )
  })

  it('drops empty texts', async () => {
    expect(
      await contentsOf(writes('a', { content: '', header: '## H' }, { content: 'x' })),
    ).toEqual(['x'])
  })

  it('asks a plugin with contributions for nothing else, and says so once (PLUG-07, PLUG-38)', async () => {
    const { lines, logger } = recorder()
    const injectSystemPrompt = vi.fn(() => 'old')
    const plugin = { ...writes('a', { content: 'new' }), injectSystemPrompt }
    const latch = createOnceLatch()
    for (const _ of [1, 2, 3]) await collectContributions([plugin], state, { logger, latch })
    expect(injectSystemPrompt).not.toHaveBeenCalled()
    expect(lines).toEqual([expect.stringMatching(/^info Plugin 'a' has injectContributions/)])
  })

  it('moves the kernel position to cached and warns once a latch (PLUG-22, CONFLICT-16)', async () => {
    const { lines, logger } = recorder()
    const plugin = writes(
      'a',
      { content: 'x', position: 'kernel' },
      { content: 'y', position: 'kernel' },
    )
    const latch = createOnceLatch()
    for (const _ of [1, 2]) {
      const collected = await collectContributions([plugin], state, { logger, latch })
      expect(collected.map(({ position }) => position)).toEqual(['cached', 'cached'])
    }
    expect(lines).toEqual([
      expect.stringMatching(/^warn Plugin 'a' asked for the position "kernel"/),
    ])
    await collectContributions([plugin], state, { logger })
    expect(lines).toHaveLength(2)
  })

  it.each<[string, Partial<Record<keyof DomainPlugin, unknown>>]>([
    ['throws', { injectSystemPrompt: fail }],
    ['rejects', { injectContributions: async () => fail() }],
    ['answers a number', { injectSystemPrompt: () => 7 }],
    ['answers nothing', { injectSystemPrompt: () => undefined }],
    ['answers no list', { injectContributions: () => ({ content: 'x' }) }],
    [
      'answers a list with nothing in it',
      { injectContributions: () => [{ content: 'x' }, undefined] },
    ],
    [
      'answers a malformed contribution',
      { injectContributions: () => [{ content: 'x' }, { content: 'y', position: 'suffix' }] },
    ],
    [
      'answers a list that fights back',
      { injectContributions: () => new Proxy([{ content: 'x' }], { get: fail }) },
    ],
    [
      'has a hook that is no function',
      { injectContributions: 'x', injectSystemPrompt: () => 'old' },
    ],
    ['misspells its only hook', { inject_system_prompt: () => 'x' } as object],
    ['has no usable name', { name: 'two\nlines', injectSystemPrompt: () => 'x' }],
  ])(
    'leaves a plugin out that %s, whole, with a debug line (PLUG-36, OBS-18)',
    async (_, hooks) => {
      const { lines, logger } = recorder()
      const bad = { name: 'bad', ...hooks } as DomainPlugin
      const good = writes('good', { content: 'beta' })
      const collected = await collectContributions([bad, good], state, { logger })
      expect(collected.map(({ content }) => content)).toEqual(['beta'])
      expect(lines.filter((line) => line.startsWith('debug Plugin'))).toHaveLength(1)
    },
  )

  it('leaves out who takes too long, or is not waited for any more', async () => {
    const { lines, logger } = recorder()
    const hangs: DomainPlugin = { name: 'hangs', injectSystemPrompt: () => new Promise(() => {}) }
    const good = writes('good', { content: 'beta' })
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const late = collectContributions([hangs, good], state, { logger, timeLimitMs: 4 })
    await vi.advanceTimersByTimeAsync(4)
    const controller = new AbortController()
    const { signal } = controller
    const stopped = collectContributions([hangs, good], state, { logger, signal })
    controller.abort()
    for (const collected of [await late, await stopped]) expect(collected).toHaveLength(1)
    expect(lines).toEqual([
      expect.stringContaining('took too long'),
      expect.stringContaining('the run stopped'),
    ])
  })

  it('waits half a minute for a plugin where no limit is given', async () => {
    vi.useFakeTimers()
    const hangs: DomainPlugin = { name: 'hangs', injectSystemPrompt: () => new Promise(() => {}) }
    const collecting = collectContributions([hangs], state)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(await collecting).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
    vi.useRealTimers()
  })

  it.each<[string, unknown[], number]>([
    ['just within', [{ content: 'x'.repeat(999_999) }, { content: 'y' }], 2],
    ['beyond it in one text', [{ content: 'x'.repeat(1_000_001) }], 0],
    ['beyond it in several', [{ content: 'x' }, { content: 'y'.repeat(1_000_000) }], 0],
    ['beyond it in a header', [{ content: 'x', header: 'y'.repeat(1_000_000) }], 0],
    [
      'beyond it in both positions together',
      [{ content: 'x'.repeat(600_000) }, { content: 'y'.repeat(600_000), position: 'volatile' }],
      0,
    ],
  ])('leaves out who writes more than a million characters: %s', async (_, sources, count) => {
    const { lines, logger } = recorder()
    const latch = createOnceLatch()
    const long = writes('long', ...sources)
    const good = writes('good', { content: 'beta' })
    for (const _ of [1, 2]) {
      const collected = await collectContributions([long, good], state, { logger, latch })
      expect(collected.filter(({ origin }) => origin === 'long')).toHaveLength(count)
      expect(collected).toHaveLength(count + 1)
    }
    const line =
      "Plugin 'long' writes more than 1000000 characters; its text is left out. Let it write less."
    expect(lines).toEqual(count === 0 ? [`warn ${line}`, `debug ${line}`] : [])
  })

  it('reads no further than the bound in a list that does not end', async () => {
    const piece = { content: 'x'.repeat(100_000) }
    let read = 0
    const endless = new Proxy([], {
      get: (list, key) => {
        if (key === 'length') return Number.MAX_SAFE_INTEGER
        if (typeof key !== 'string' || !/^\d+$/.test(key)) return Reflect.get(list, key)
        read += 1
        return piece
      },
    })
    expect(
      await contentsOf(writes('a'), { name: 'b', injectContributions: () => endless }),
    ).toEqual([])
    expect(read).toBe(11)
  })

  it('counts a legacy text, too', async () => {
    const old: DomainPlugin = { name: 'old', injectSystemPrompt: () => 'x'.repeat(1_000_001) }
    expect(await contentsOf(old)).toEqual([])
  })

  it.each([{ postion: 'volatile' }, { cache_ttl: '1h' }])(
    'leaves out, with a debug line, who misspells a key: %j',
    async (more) => {
      const { lines, logger } = recorder()
      const bad = writes('bad', { content: 'good' }, { content: 'x', ...more })
      expect(await collectContributions([bad], state, { logger })).toEqual([])
      expect(lines).toEqual([expect.stringContaining(`"${Object.keys(more)[0]}"`)])
    },
  )

  it('tells whom it leaves out and why, and does not mind a listener that throws', async () => {
    const told: LeftOutPlugin[] = []
    const throws: DomainPlugin = {
      name: 'throws',
      injectContributions: () => {
        throw new Error('down')
      },
    }
    const long: DomainPlugin = { name: 'long', injectSystemPrompt: () => 'x'.repeat(1_000_001) }
    const unnamed = { injectSystemPrompt: () => 'Hi.' } as unknown as DomainPlugin
    const fine: DomainPlugin = { name: 'fine', injectSystemPrompt: () => 'Hi.' }
    const placed = await collectContributions([throws, long, unnamed, fine], state, {
      onLeftOut: (leftOut) => {
        told.push(leftOut)
        throw new Error('nobody listens')
      },
    })
    expect(placed.map(({ origin }) => origin)).toEqual(['fine'])
    expect(told.toSorted((one, other) => one.origin.localeCompare(other.origin))).toEqual([
      { origin: '(unnamed)', reason: expect.stringContaining('it has no usable name') },
      { origin: 'long', reason: expect.stringContaining('writes more than 1000000 characters') },
      { origin: 'throws', reason: expect.stringContaining('left out: Error: down') },
    ])
  })

  it('does not mind a logger that is down', async () => {
    const logger = { debug: fail, info: fail, warn: fail, error: fail }
    const bad: DomainPlugin = { name: 'bad', injectSystemPrompt: fail }
    const both = { ...writes('a', { content: 'x', position: 'kernel' }), injectSystemPrompt: fail }
    expect(await collectContributions([bad, both], state, { logger })).toHaveLength(1)
  })

  it('waits for many plugins at once without a warning of the platform', async () => {
    const warned = vi.fn()
    process.on('warning', warned)
    const plugins = Array.from(
      { length: 60 },
      (_, index): DomainPlugin => ({
        name: `p${index}`,
        injectSystemPrompt: async () => 'x',
      }),
    )
    expect(await collectContributions(plugins, state)).toHaveLength(60)
    await new Promise((resolve) => setTimeout(resolve, 1))
    process.off('warning', warned)
    expect(warned).not.toHaveBeenCalled()
  })

  it('leaves out a plugin that blocks the thread, and not those who wait for it', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const block = () => void vi.advanceTimersByTime(45)
    const prompting = (name: string, prompt: () => string | Promise<string>): DomainPlugin => ({
      name,
      injectSystemPrompt: prompt,
    })
    const plugins = [
      prompting('fast', async () => 'fast'),
      prompting('reads', () => new Promise((resolve) => setTimeout(() => resolve('reads'), 40))),
      prompting('blocks', () => {
        block()
        return 'blocks'
      }),
      prompting('blocks and promises', async () => {
        block()
        return 'blocks'
      }),
    ]
    const collected = await collectContributions(plugins, state, { timeLimitMs: 30 })
    expect(collected.map(({ content }) => content)).toEqual(['fast', 'reads'])
  })

  it.each<[string, unknown]>([
    ['a roster', { loaded: [], quarantined: [] }],
    ['one plugin', { name: 'a' }],
    ['nothing', undefined],
  ])('refuses %s in the place of a list', async (_, plugins) => {
    await expect(collectContributions(plugins as never, state)).rejects.toMatchObject({
      code: 'PLUGIN_NOT_A_PLUGIN',
      message: expect.stringMatching(/Give a list of plugins/),
      details: { faults: [expect.any(String)] },
    })
  })

  it('refuses a time limit that cannot be kept', async () => {
    await expect(collectContributions([], state, { timeLimitMs: 0 })).rejects.toMatchObject({
      code: 'PLUGIN_OPTION_INVALID',
    })
  })
})

function fail(): never {
  throw new Error('down')
}

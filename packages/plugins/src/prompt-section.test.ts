import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { DomainPlugin } from './plugin.ts'
import { createPluginPromptSection } from './prompt-section.ts'
import { buildRenderState } from './render-state.ts'

const state = buildRenderState()
const wishing = (cacheTtl?: '5m' | '1h'): DomainPlugin => ({
  name: `wishes ${cacheTtl}`,
  injectContributions: () => [{ content: 'x', cacheTtl }],
})

describe('the prompt section of plugins', () => {
  it('has the defaults of a section whose failure is never fatal (PLUG-29, PLUG-31)', () => {
    const section = createPluginPromptSection()
    expect(section).toMatchObject({
      name: 'Domain Plugin',
      required: false,
      priority: 15,
      cacheBreakpoint: true,
      cacheTtl: undefined,
      lastContributions: [],
    })
    const options = { name: 'House', priority: 3, cacheBreakpoint: false, cacheTtl: '1h' } as const
    expect(createPluginPromptSection(options)).toMatchObject(options)
  })

  it('renders plugins in the order they were added, as one text (PLUG-32, PLUG-34)', async () => {
    const section = createPluginPromptSection()
    expect(await section.render(state)).toBe('')
    section.addPlugin({ name: 'A', injectSystemPrompt: () => 'alpha' })
    section.addPlugin({
      name: 'B',
      injectContributions: async () => [
        { content: 'now', position: 'volatile' },
        { content: 'rules' },
      ],
    })
    expect(await section.render(state)).toBe('### A\nalpha\n\n### B\nrules\n\n### B\nnow')
  })

  it('keeps what the last render collected (PLUG-40)', async () => {
    const section = createPluginPromptSection()
    section.addPlugin(wishing())
    const collected = await section.renderContributions(state)
    expect(section.lastContributions).toBe(collected)
    await section.render(state)
    expect(section.lastContributions).toEqual(collected)
    expect(section.lastContributions).not.toBe(collected)
  })

  it.each<[string, '5m' | null, ('5m' | '1h' | undefined)[], string | undefined]>([
    ['its own', '5m', ['1h'], '5m'],
    ['the strongest of the contributions', null, ['5m', '1h', undefined], '1h'],
    ['none', null, [undefined], undefined],
  ])('resolves its lifetime after a render: %s (PLUG-41, PLUG-42)', async (_, own, wishes, ttl) => {
    const section = createPluginPromptSection({ cacheTtl: own })
    for (const wish of wishes) section.addPlugin(wishing(wish))
    expect(section.resolveCacheTtl()).toBe(own ?? undefined)
    await section.render(state)
    expect(section.resolveCacheTtl()).toBe(ttl)
  })

  it('resolves the lifetime of a render that another has followed', async () => {
    let wish: '1h' | undefined = '1h'
    const section = createPluginPromptSection()
    section.addPlugin({
      name: 'a',
      injectContributions: () => [{ content: 'x', cacheTtl: wish }],
    })
    const mine = await section.renderContributions(state)
    wish = undefined
    await section.render(state)
    expect([section.resolveCacheTtl(mine), section.resolveCacheTtl()]).toEqual(['1h', undefined])
  })

  it('reports once per plugin and section (PLUG-38, PLUG-39)', async () => {
    const lines: string[] = []
    const log = (line: string) => void lines.push(line)
    const logger = { debug: log, info: log, warn: log, error: log }
    const plugin: DomainPlugin = {
      name: 'a',
      injectSystemPrompt: () => 'old',
      injectContributions: () => [{ content: 'x', position: 'kernel' }],
    }
    for (const _ of ['one section', 'another']) {
      const section = createPluginPromptSection({ logger })
      section.addPlugin(plugin)
      for (const _ of [1, 2, 3]) await section.render(state)
    }
    expect(lines).toHaveLength(4)
  })

  it('stops waiting for a plugin when its time is up or the run stops', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const section = createPluginPromptSection({ timeLimitMs: 3 })
    section.addPlugin({ name: 'hangs', injectSystemPrompt: () => new Promise(() => {}) })
    section.addPlugin({ name: 'A', injectSystemPrompt: () => 'alpha' })
    const rendered = section.render(state)
    await vi.advanceTimersByTimeAsync(3)
    expect(await rendered).toBe('### A\nalpha')
    expect(await section.render(state, { signal: AbortSignal.abort() })).toBe('')
  })

  it('refuses what is no plugin and keeps what it has', async () => {
    const section = createPluginPromptSection()
    section.addPlugin(wishing())
    expect(() => section.addPlugin({} as DomainPlugin)).toThrow(
      expect.objectContaining({ code: 'PLUGIN_NOT_A_PLUGIN' }),
    )
    expect(await section.renderContributions(state)).toHaveLength(1)
  })

  it.each([{ cacheTtl: '24h' }, { timeLimitMs: -1 }])('refuses the option %j', (options) => {
    expect(() => createPluginPromptSection(options as never)).toThrow(
      expect.objectContaining({ code: 'PLUGIN_OPTION_INVALID' }),
    )
  })
})

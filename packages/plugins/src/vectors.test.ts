import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createPluginRoster } from './admission.ts'
import { collectContributions } from './collect.ts'
import { type ContributionSource, defineContribution, withOrigin } from './contribution.ts'
import { PluginError } from './errors.ts'
import { createGuard } from './guard.ts'
import type { DomainPlugin } from './plugin.ts'
import { createPluginPromptSection } from './prompt-section.ts'
import { buildRenderState } from './render-state.ts'

const file = new URL('../../../../shared/spec/vectors.json', import.meta.url)
const present = existsSync(file)

// biome-ignore lint/suspicious/noExplicitAny: a vector may hold anything
type Any = any
interface Vector {
  id: string
  kind: string
  title: string
  input: Any
  expected: Any
}

const vectors: Vector[] = present ? JSON.parse(readFileSync(file, 'utf8')).vectors : []
const ofKind = (kind: string) => vectors.filter((vector) => vector.kind === kind)
const orNull = (value: object) =>
  Object.fromEntries(Object.entries(value).map(([key, one]) => [key, one ?? null]))

describe.skipIf(!present)('the conformance vectors', () => {
  it('all have a kind that is answered here', () => {
    const mine = vectors.filter(({ kind }) =>
      /^(plugin|guardrails)\.|^agent\.loadPlugin/.test(kind),
    )
    expect([...new Set(mine.map(({ kind }) => kind))].sort()).toEqual([
      'agent.loadPlugin',
      'guardrails.enforce',
      'guardrails.outcome',
      'plugin.contribution',
      'plugin.render',
      'plugin.renderContributions',
      'plugin.renderState',
      'plugin.resolveCacheTtl',
      'plugin.sectionDefaults',
      'plugin.withOrigin',
    ])
    expect(mine.length).toBeGreaterThanOrEqual(45)
  })

  it.each(ofKind('plugin.contribution'))('$id $title', ({ input, expected }) => {
    const define = () => defineContribution(input)
    if (expected.error === undefined) {
      expect(orNull(define())).toMatchObject(expected)
      return
    }
    const codes = { TypeError: 'PLUGIN_CONTRIBUTION_TYPE', ValueError: 'PLUGIN_CONTRIBUTION_VALUE' }
    const code = codes[expected.error.kind as keyof typeof codes]
    expect(code).toBeDefined()
    expect(define).toThrow(PluginError)
    expect(define).toThrow(expect.objectContaining({ code }))
  })

  it.each(ofKind('plugin.withOrigin'))('$id $title', ({ input, expected }) => {
    const original = defineContribution(input.contribution)
    expect(withOrigin(original, input.origin)).toMatchObject(expected.copy)
    expect(original.origin ?? null).toBe(expected.originalOrigin)
  })

  it.each(ofKind('plugin.render'))('$id $title', async ({ input, expected }) => {
    const { section, count, legacyCalls } = sectionOf(input.plugins)
    const text = await section.render(buildRenderState())
    if (expected.text !== undefined) expect(text).toBe(expected.text)
    for (const part of expected.contains ?? []) expect(text).toContain(part)
    for (const part of expected.notContains ?? []) expect(text).not.toContain(part)
    for (const [part, times] of Object.entries(expected.occurrences ?? {})) {
      expect(text.split(part)).toHaveLength((times as number) + 1)
    }
    const places = (expected.inOrder ?? []).map((part: string) => text.indexOf(part))
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((a: number, b: number) => a - b))
    for (const { level, count: times } of expected.logs ?? []) expect(count(level)).toBe(times)
    if (expected.injectSystemPromptCalls !== undefined) {
      expect(legacyCalls()).toBe(expected.injectSystemPromptCalls)
    }
  })

  it.each(ofKind('plugin.renderContributions'))('$id $title', async ({ input, expected }) => {
    const { section, count } = sectionOf(input.plugins)
    for (let render = 0; render < (input.renders ?? 1); render += 1) {
      const contributions = await section.renderContributions(buildRenderState())
      if (expected.contributions === undefined) continue
      expect(contributions).toHaveLength(expected.contributions.length)
      expect(contributions).toMatchObject(expected.contributions)
    }
    for (const { level, count: times } of expected.logs ?? []) expect(count(level)).toBe(times)
  })

  it.each(ofKind('plugin.resolveCacheTtl'))('$id $title', async ({ input, expected }) => {
    const section = createPluginPromptSection({ cacheTtl: input.sectionTtl })
    section.addPlugin({
      name: 'a',
      injectContributions: () =>
        input.contributionTtls.map((cacheTtl: never) => ({ content: 'x', cacheTtl })),
    })
    if (input.rendered) await section.render(buildRenderState())
    expect(section.resolveCacheTtl() ?? null).toBe(expected.ttl)
  })

  it.each(ofKind('plugin.sectionDefaults'))('$id $title', ({ expected }) => {
    expect(orNull(createPluginPromptSection())).toMatchObject(expected)
  })

  it.each(ofKind('plugin.renderState'))('$id $title', ({ input, expected }) => {
    const state = buildRenderState({ query: input.query })
    for (const key of expected.hasKeys) expect(typeof state[key]).toBe('string')
    expect(state.QUERY).toBe(expected.QUERY)
  })

  it.each(ofKind('guardrails.enforce'))('$id $title', async ({ input, expected }) => {
    const asked: number[] = []
    const loaded = input.plugins.map((name: string, index: number) =>
      guardNamed(name, () => void asked.push(index)),
    )
    const quarantined = input.quarantined.map((name: string) => guardNamed(name, () => {}))
    const context = input.context ?? {}
    const outcome = await createGuard({ loaded, quarantined })({ action: 'cancel', context })
    expect(outcome.allowed).toBe(expected.allowed)
    if (expected.asked !== undefined) expect(asked).toEqual(expected.asked)
    if (expected.policies !== undefined) expect(outcome.policies).toBe(expected.policies)
    if (expected.callerContextAfter !== undefined) {
      expect(context).toEqual(expected.callerContextAfter)
    }
  })

  it.each(ofKind('guardrails.outcome'))('$id $title', async ({ input, expected }) => {
    const outcomeOf = (names: string[]) =>
      createGuard(names.map((name) => guardNamed(name, () => {})))({ action: 'x', context: {} })
    const outcome = await outcomeOf(input.plugins)
    const other = await outcomeOf([expected.distinguishableFrom])
    expect([outcome.allowed, other.allowed]).toEqual([expected.allowed, false])
    expect(outcome.verdict).not.toBe(other.verdict)
  })

  it.each(ofKind('agent.loadPlugin'))('$id $title', async ({ input, expected }) => {
    const lines: { level: string; message: string }[] = []
    const { addPlugin } = createPluginPromptSection()
    let failure: Error | undefined
    const section = {
      addPlugin: (plugin: DomainPlugin) => {
        if (failure) throw failure
        addPlugin(plugin)
      },
    }
    const roster = createPluginRoster({ section, logger: loggerInto(lines) })
    for (const name of input.loaded ?? []) await roster.admit({ name })
    if (input.kernelDelegateBuilt) roster.seal()
    if (input.sectionAddThrows) {
      failure = Object.assign(new Error(input.sectionAddThrows.message), {
        name: input.sectionAddThrows.type,
      })
    }
    const tools = input.plugin.getDomainTools
    const admission = await roster.admit({
      ...input.plugin,
      ...(tools && { getDomainTools: () => tools }),
    })
    expect(admission.admitted).toBe(expected.loaded ?? false)
    if (expected.log) expect(lines).toContainEqual(expected.log)
    if (expected.error?.message && !admission.admitted) {
      expect(admission.message).toBe(expected.error.message)
    }
    if (expected.loadedCount !== undefined) {
      expect([roster.loaded.length, roster.quarantined.length]).toEqual([
        expected.loadedCount,
        expected.quarantinedCount,
      ])
    }
  })

  it('renders the same through collecting as through the section', async () => {
    for (const { input } of ofKind('plugin.render')) {
      const { section, plugins } = sectionOf(input.plugins)
      const collected = await collectContributions(plugins, buildRenderState())
      expect(await section.renderContributions(buildRenderState())).toEqual(collected)
    }
  })
})

interface WrittenPlugin {
  name: string
  throws?: string
  injectSystemPrompt?: string
  injectContributions?: ContributionSource[]
}

function sectionOf(written: WrittenPlugin[]) {
  const lines: { level: string; message: string }[] = []
  const section = createPluginPromptSection({ logger: loggerInto(lines) })
  let calls = 0
  const plugins = written.map(({ name, throws, injectSystemPrompt, injectContributions }) => {
    const legacy = async () => {
      calls += 1
      if (throws !== undefined) throw new Error(throws)
      return injectSystemPrompt ?? ''
    }
    const hasLegacy = throws !== undefined || injectSystemPrompt !== undefined
    return {
      name,
      ...(hasLegacy && { injectSystemPrompt: legacy }),
      ...(injectContributions && { injectContributions: async () => injectContributions }),
    }
  })
  for (const plugin of plugins) section.addPlugin(plugin)
  const count = (level: string) => lines.filter((line) => line.level === level).length
  return { section, plugins, count, legacyCalls: () => calls }
}

function guardNamed(behaviour: string, told: () => void): DomainPlugin {
  if (behaviour === 'no-hook') return { name: behaviour }
  const answers: Record<string, (context: Record<string, unknown>) => boolean> = {
    allow: () => true,
    deny: () => false,
    'explicit-deny': () => false,
    throw: () => {
      throw new Error('boom')
    },
    'mutates-context': (context) => {
      for (const key of Object.keys(context)) context[key] = 'changed'
      context['added'] = true
      return true
    },
  }
  const answer = answers[behaviour]
  if (answer === undefined) throw new Error(`No guard is known that does "${behaviour}".`)
  return {
    name: behaviour,
    validateStateTransition: async (_action, context) => {
      told()
      return answer(context)
    },
  }
}

function loggerInto(lines: { level: string; message: string }[]) {
  const note = (level: string) => (message: string) => void lines.push({ level, message })
  return { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') }
}

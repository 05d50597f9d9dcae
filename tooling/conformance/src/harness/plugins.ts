import assert from 'node:assert/strict'
import {
  buildRenderState,
  type CacheTtl,
  type ContributionSource,
  createGuard,
  createPluginPromptSection,
  createPluginRoster,
  type DomainPlugin,
  defineContribution,
  type GuardOutcome,
  type Logger,
  PluginError,
  withOrigin,
} from '@symfonic/plugins'
import type { Harnesses } from '../run-vectors.ts'
import type { Vector } from '../vectors.ts'

/** The vector kinds that `@symfonic/plugins` answers. */
export const plugins: Harnesses = {
  'plugin.contribution': contribution,
  'plugin.withOrigin': copyWithOrigin,
  'plugin.render': render,
  'plugin.renderContributions': renderContributions,
  'plugin.resolveCacheTtl': resolveCacheTtl,
  'plugin.sectionDefaults': sectionDefaults,
  'plugin.renderState': renderState,
  'guardrails.enforce': enforce,
  'guardrails.outcome': abstention,
  'agent.loadPlugin': loadPlugin,
}

function contribution({ input, expected }: Vector): void {
  const { error, ...values } = expected as { error?: { kind: string } }
  const define = () => defineContribution(input as ContributionSource)
  if (error === undefined) {
    assertHolds(define(), values)
    return
  }
  const codes = new Map([
    ['TypeError', 'PLUGIN_CONTRIBUTION_TYPE'],
    ['ValueError', 'PLUGIN_CONTRIBUTION_VALUE'],
  ])
  const code = codes.get(error.kind)
  assert(code !== undefined, `no error of ours is a ${error.kind}`)
  assert.throws(define, (thrown) => thrown instanceof PluginError && thrown.code === code)
}

function copyWithOrigin({ input, expected }: Vector): void {
  const { contribution: source, origin } = input as {
    contribution: ContributionSource
    origin: string
  }
  const { copy, originalOrigin } = expected as { copy: object; originalOrigin: string | null }
  const original = defineContribution(source)
  assertHolds(withOrigin(original, origin), copy)
  assert.equal(original.origin ?? null, originalOrigin)
}

interface ExpectedText {
  text?: string
  contains?: string[]
  notContains?: string[]
  occurrences?: Record<string, number>
  inOrder?: string[]
  injectSystemPromptCalls?: number
  logs?: ExpectedLog[]
}

async function render({ input, expected }: Vector): Promise<void> {
  const wanted = expected as ExpectedText
  const { section, lines, legacyCalls } = sectionOf(input as { plugins: WrittenPlugin[] })
  const text = await section.render(buildRenderState())
  if (wanted.text !== undefined) assert.equal(text, wanted.text)
  for (const part of wanted.contains ?? []) assert(text.includes(part), text)
  for (const part of wanted.notContains ?? []) assert(!text.includes(part), text)
  for (const [part, times] of Object.entries(wanted.occurrences ?? {})) {
    assert.equal(text.split(part).length - 1, times, text)
  }
  const places = (wanted.inOrder ?? []).map((part) => text.indexOf(part))
  assert(!places.includes(-1), text)
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  )
  assertLogged(lines, wanted.logs)
  if (wanted.injectSystemPromptCalls !== undefined) {
    assert.equal(legacyCalls(), wanted.injectSystemPromptCalls)
  }
}

async function renderContributions({ input, expected }: Vector): Promise<void> {
  const { renders = 1 } = input as { renders?: number }
  const { contributions, logs } = expected as { contributions?: object[]; logs?: ExpectedLog[] }
  const { section, lines } = sectionOf(input as { plugins: WrittenPlugin[] })
  for (let render = 0; render < renders; render += 1) {
    const collected = await section.renderContributions(buildRenderState())
    if (contributions === undefined) continue
    assert.equal(collected.length, contributions.length)
    for (const [index, wanted] of contributions.entries()) {
      assertHolds(collected[index] ?? {}, wanted)
    }
  }
  assertLogged(lines, logs)
}

async function resolveCacheTtl({ input, expected }: Vector): Promise<void> {
  const { sectionTtl, contributionTtls, rendered } = input as {
    sectionTtl: CacheTtl | null
    contributionTtls: (CacheTtl | null)[]
    rendered: boolean
  }
  const { ttl } = expected as { ttl: CacheTtl | null }
  const section = createPluginPromptSection({ cacheTtl: sectionTtl })
  const injectContributions = () => contributionTtls.map((cacheTtl) => ({ content: 'x', cacheTtl }))
  section.addPlugin({ name: 'a', injectContributions })
  if (rendered) await section.render(buildRenderState())
  assert.equal(section.resolveCacheTtl() ?? null, ttl)
}

function sectionDefaults({ expected }: Vector): void {
  assertHolds(createPluginPromptSection(), expected as object)
}

/** Both paths build their state with one function, so the path makes no difference. */
function renderState({ input, expected }: Vector): void {
  const { query } = input as { query: string | null }
  const { hasKeys, QUERY } = expected as { hasKeys: string[]; QUERY: string }
  const state = buildRenderState({ query })
  for (const key of hasKeys) assert.equal(typeof state[key], 'string', key)
  assert.equal(state.QUERY, QUERY)
}

interface ExpectedOutcome {
  allowed: boolean
  asked?: number[]
  policies?: number
  callerContextAfter?: object
}

/** `capability` is null where the list is asked directly; here it always is (PLUG-63). */
async function enforce({ input, expected }: Vector): Promise<void> {
  const { context = {} } = input as { context?: Record<string, unknown> }
  const { plugins: loaded, quarantined } = input as { plugins: string[]; quarantined: string[] }
  const { allowed, asked, policies, callerContextAfter } = expected as ExpectedOutcome
  const told: number[] = []
  const guard = createGuard({
    loaded: loaded.map((behaviour, index) => guardThat(behaviour, () => told.push(index))),
    quarantined: quarantined.map((behaviour) => guardThat(behaviour)),
  })
  const outcome = await guard({ action: 'act', context })
  assert.equal(outcome.allowed, allowed)
  if (asked !== undefined) assert.deepEqual(told, asked)
  if (policies !== undefined) assert.equal(outcome.policies, policies)
  if (callerContextAfter !== undefined) assert.deepEqual(context, callerContextAfter)
}

async function abstention({ input, expected }: Vector): Promise<void> {
  const { plugins: behaviours } = input as { plugins: string[] }
  const { allowed, distinguishableFrom } = expected as {
    allowed: boolean
    distinguishableFrom: string
  }
  const ask = (some: string[]): Promise<GuardOutcome> =>
    createGuard(some.map((behaviour) => guardThat(behaviour)))({ action: 'act', context: {} })
  const [outcome, other] = [await ask(behaviours), await ask([distinguishableFrom])]
  assert.equal(outcome.allowed, allowed)
  assert.equal(other.allowed, false)
  assert.notEqual(outcome.verdict, other.verdict)
}

interface Loading {
  plugin: { name: string; getDomainTools?: unknown[] }
  loaded?: string[]
  kernelDelegateBuilt?: boolean
  sectionAddThrows?: { type: string; message: string }
}

interface ExpectedLoading {
  loaded?: boolean
  log?: Line
  error?: { class?: string; message?: string }
  loadedCount?: number
  quarantinedCount?: number
}

/** What admission answers: the class of the error is the facade's business. */
async function loadPlugin({ input, expected }: Vector): Promise<void> {
  const { plugin, loaded = [], kernelDelegateBuilt, sectionAddThrows } = input as Loading
  const wanted = expected as ExpectedLoading
  const lines: Line[] = []
  const { addPlugin } = createPluginPromptSection()
  let isDown = false
  const section = {
    addPlugin: (added: DomainPlugin) => {
      if (!isDown) {
        addPlugin(added)
        return
      }
      const { type, message } = sectionAddThrows ?? { type: 'Error', message: '' }
      throw Object.assign(new Error(message), { name: type })
    },
  }
  const roster = createPluginRoster({ section, logger: loggerInto(lines) })
  for (const name of loaded) await roster.admit({ name })
  if (kernelDelegateBuilt) roster.seal()
  isDown = sectionAddThrows !== undefined
  const { name, getDomainTools: tools } = plugin
  const admission = await roster.admit({ name, ...(tools && { getDomainTools: () => tools }) })
  assert.equal(admission.admitted, wanted.error === undefined && wanted.loaded === true)
  // The class is the facade's, which throws what admission returns as a refusal (ERR-09).
  if (wanted.error !== undefined) assert.equal(wanted.error.class, 'SymfonicAgentError')
  if (wanted.log !== undefined) {
    const { level, message } = wanted.log
    assert(lines.some((line) => line.level === level && line.message === message))
  }
  if (wanted.error?.message !== undefined) {
    assert.equal(admission.admitted ? '' : admission.message, wanted.error.message)
  }
  if (wanted.loadedCount !== undefined) assert.equal(roster.loaded.length, wanted.loadedCount)
  if (wanted.quarantinedCount !== undefined) {
    assert.equal(roster.quarantined.length, wanted.quarantinedCount)
  }
}

interface WrittenPlugin {
  name: string
  throws?: string
  injectSystemPrompt?: string
  injectContributions?: ContributionSource[]
}

function sectionOf({ plugins: written }: { plugins: WrittenPlugin[] }) {
  const lines: Line[] = []
  const section = createPluginPromptSection({ logger: loggerInto(lines) })
  let calls = 0
  for (const { name, throws, injectSystemPrompt, injectContributions } of written) {
    const legacy = async () => {
      calls += 1
      if (throws !== undefined) throw new Error(throws)
      return injectSystemPrompt ?? ''
    }
    const hasLegacy = throws !== undefined || injectSystemPrompt !== undefined
    section.addPlugin({
      name,
      ...(hasLegacy && { injectSystemPrompt: legacy }),
      ...(injectContributions && { injectContributions: async () => injectContributions }),
    })
  }
  return { section, lines, legacyCalls: () => calls }
}

const answers: Record<string, (context: Record<string, unknown>) => boolean> = {
  allow: () => true,
  deny: () => false,
  'explicit-deny': () => false,
  throw: () => {
    throw new Error('down')
  },
  'mutates-context': (context) => {
    for (const key of Object.keys(context)) context[key] = 'changed'
    context['added'] = true
    return true
  },
}

function guardThat(behaviour: string, told: () => unknown = () => {}): DomainPlugin {
  if (behaviour === 'no-hook') return { name: behaviour }
  const answer = answers[behaviour]
  assert(answer !== undefined, `no guard is known that does "${behaviour}"`)
  const validateStateTransition = async (_action: string, context: Record<string, unknown>) => {
    told()
    return answer(context)
  }
  return { name: behaviour, validateStateTransition }
}

interface Line {
  level: string
  message: string
}

interface ExpectedLog {
  level: string
  count: number
}

function loggerInto(lines: Line[]): Logger {
  const note = (level: string) => (message: string) => void lines.push({ level, message })
  return { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') }
}

function assertLogged(lines: readonly Line[], wanted: readonly ExpectedLog[] = []): void {
  for (const { level, count } of wanted) {
    assert.equal(lines.filter((line) => line.level === level).length, count, level)
  }
}

/** Every wanted value is there; what we leave undefined the vectors write as null. */
function assertHolds(actual: object, wanted: object): void {
  const values = actual as Record<string, unknown>
  for (const [key, value] of Object.entries(wanted)) assert.deepEqual(values[key] ?? null, value)
}

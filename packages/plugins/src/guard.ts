import { checkOptions, type OptionKind } from './check-options.ts'
import { isPresent, readHook } from './hook.ts'
import { type Logger, quietly, silentLogger } from './logger.ts'
import { describeSlip, misspeltHooks } from './misspelt-hooks.ts'
import { type DomainPlugin, nameOf, unnamed } from './plugin.ts'
import { type LivePlugins, type PluginSource, readerOf } from './plugin-source.ts'
import { describeThrown, kindOf, printable } from './printable.ts'
import { frozenContext, mutableCopy } from './request-copy.ts'
import { type Answer, openWaiting, requireTimeLimit, type Waiting } from './time-limit.ts'
import { createOnceLatch } from './warn-once.ts'

/** What a guard, or all of them, say: `abstain` when there was no answer, which denies too (PLUG-61). */
export type GuardVerdict = 'allow' | 'deny' | 'abstain'

/**
 * Asks all plugins whether something may happen. Never rejects: a request that is malformed or has a
 * key that nobody knows is denied, in the name of `(request)`.
 */
export type Guard = (request: GuardRequest) => Promise<GuardOutcome>

/** What is about to happen. */
export interface GuardRequest {
  /** The tool's name, or what else is about to happen. */
  readonly action: string
  /**
   * What is known about it, or a function that finds out when there is a guard to ask: a plain record
   * of plain data. When it is anything else, holds a function or an instance of a class, or throws
   * while it is read or found out, no guard can judge, and the action is denied.
   */
  readonly context: GuardContext | (() => GuardContext | PromiseLike<GuardContext>)
  /** Stops the asking; who has not answered by then has abstained. */
  readonly signal?: AbortSignal | undefined
}

/** What guards are told about an action: plain data. */
export type GuardContext = Readonly<Record<string, unknown>>

/** What came of asking. */
export interface GuardOutcome {
  /** Whether the action may happen: nobody denied it and nobody abstained. */
  readonly allowed: boolean
  /** The strongest of what was said: `deny` over `abstain` over `allow`, whatever the order. */
  readonly verdict: GuardVerdict
  /**
   * How many loaded plugins have a guard. Quarantined ones approve nothing and do not count. 1 where the
   * request or the roster itself could not be read, which denies.
   */
  readonly policies: number
  /** One record per plugin that was asked, in order; the last is the first denial, if there is one. */
  readonly decisions: readonly GuardDecision[]
}

/** What one plugin said. */
export interface GuardDecision {
  readonly action: string
  /** The plugin's name; `unknown` for a quarantined one without a usable name. */
  readonly plugin: string
  readonly verdict: GuardVerdict
  /**
   * Why, in one line for people; `''` when the plugin gave no reason. It may hold the text of a
   * thrown error: see `describeGuardRefusal` for what a model may read.
   */
  readonly reason: string
  /** How long the answer took, in milliseconds. */
  readonly durationMs: number
  /** The plugin was refused admission: it can only deny. */
  readonly quarantined: boolean
}

/** How guards are asked. Everything is optional. */
export interface GuardOptions {
  /**
   * Milliseconds that each guard has. One that takes longer abstains. Default 30,000; `Infinity` waits
   * for ever, as for a guard that asks a person.
   */
  readonly timeLimitMs?: number | undefined
  /** Told of every decision as it is made. What it throws is ignored. */
  readonly onDecision?: ((decision: GuardDecision) => unknown) | undefined
  /** Gets a warning when a plugin abstains for the first time, and debug lines after that. */
  readonly logger?: Logger | undefined
}

/** What each option of a guard is. */
export const guardOptionKinds: Readonly<Record<keyof GuardOptions, OptionKind>> = {
  timeLimitMs: 'checked later',
  onDecision: 'function',
  logger: 'logger',
}

/**
 * The one place where actions are allowed or denied (PLUG-57).
 *
 * Loaded plugins are asked one after the other, then the quarantined ones; the first that denies ends
 * the asking. One that throws, hangs past the limit or answers anything but `true` or a denial
 * abstains, and the asking goes on: somebody behind it may know why not. So the outcome is the same
 * in whatever order the plugins stand. A plugin without a guard has no part in it (PLUG-59); with no
 * guards at all the action is allowed (PLUG-66).
 *
 * Each guard gets a copy of the context of its own, made from one frozen view (PLUG-62).
 *
 * @throws PluginError `PLUGIN_NOT_A_PLUGIN` for a list with something else in it, `PLUGIN_NAME_TAKEN`
 * for one with a name twice, `PLUGIN_OPTION_INVALID` for options that are unknown or of the wrong type.
 * @see LO-14, CONFLICT-02, OPEN-PLUG-6, DESIGN decision 2
 */
export function createGuard(plugins: PluginSource, options: GuardOptions = {}): Guard {
  checkOptions('createGuard', options, guardOptionKinds)
  const read = readerOf(plugins)
  const { logger = silentLogger, onDecision } = options
  const timeLimitMs = requireTimeLimit(options.timeLimitMs)
  const latch = createOnceLatch()

  return async function guard(request) {
    const { action, context, signal, fault } = readRequest(request)
    const asked = fault === undefined ? guardsOf(read) : [failing('(request)', read, fault.error)]
    const policies = asked.filter(({ quarantined }) => !quarantined).length
    const decisions: GuardDecision[] = []
    if (asked.length > 0) {
      const waiting = openWaiting({ timeLimitMs, signal })
      try {
        const view = await viewOf(context, waiting)
        for (const entry of asked) {
          const decision = await ask(entry, { action, view, waiting, timeLimitMs })
          decisions.push(decision)
          report(entry, decision)
          if (decision.verdict === 'deny') break
        }
      } finally {
        waiting.close()
      }
    }
    const verdict = strongest(decisions)
    return Object.freeze({
      allowed: verdict === 'allow',
      verdict,
      policies,
      decisions: Object.freeze(decisions),
    })
  }

  function report({ plugin }: Entry, decision: GuardDecision): void {
    const { action, plugin: name, verdict, reason } = decision
    if (verdict === 'abstain') {
      const level = latch(plugin, 'abstained') ? 'warn' : 'debug'
      quietly(() => {
        const what = `Guard of plugin '${name}' abstained on "${printable(action)}"`
        logger[level](`${what}, so it is denied: ${reason}`, { ...decision })
      })
    }
    quietly(() => onDecision?.(decision))
  }
}

/** A request as it was given, or what is wrong with it. */
interface ReadRequest extends GuardRequest {
  readonly fault?: { readonly error: unknown }
}

/** A misspelt context would be heard as none, so what nobody knows is a fault. Never throws. */
function readRequest(request: GuardRequest): ReadRequest {
  let action = ''
  try {
    if (typeof request?.action === 'string') action = request.action
    checkOptions('a guard', request, requestKinds)
    if (request.action === undefined) throw new TypeError('the action is undefined')
    const { context, signal } = request
    return { action, context, signal }
  } catch (error) {
    return { action, context: {}, fault: { error } }
  }
}

const requestKinds: Readonly<Record<keyof GuardRequest, OptionKind>> = {
  action: 'text',
  context: 'checked later',
  signal: 'signal',
}

/** One guard to ask. */
interface Entry {
  readonly plugin: object
  readonly name: string
  readonly quarantined: boolean
  /** Asks it. Throws when its hook cannot be read or called. */
  readonly call: (action: string, context: unknown, signal: AbortSignal | undefined) => unknown
}

/** Whoever has a guard, in the order of asking. A roster that cannot be read is asked, and fails. */
function guardsOf(read: () => LivePlugins): readonly Entry[] {
  try {
    const { loaded, quarantined } = read()
    return [
      ...entriesOf(loaded, { quarantined: false, read }),
      ...entriesOf(quarantined, { quarantined: true, read }),
    ]
  } catch (error) {
    return [failing('(roster)', read, error)]
  }
}

/** Stands for somebody who cannot be asked. */
function failing(name: string, plugin: object, error: unknown, quarantined = false): Entry {
  const call = () => {
    throw error
  }
  return { plugin, name, quarantined, call }
}

function entriesOf(
  plugins: readonly DomainPlugin[],
  { quarantined, read }: { quarantined: boolean; read: () => LivePlugins },
): Entry[] {
  const entries: Entry[] = []
  for (const plugin of plugins) {
    if (typeof plugin !== 'object' || plugin === null) {
      // What is no plugin may stand where one should: nobody knows what it would have said.
      entries.push(failing(unnamed, read, new TypeError('it is no plugin'), quarantined))
      continue
    }
    const found = guardHookOf(plugin)
    if ('hook' in found && !isPresent(found.hook)) continue
    const call: Entry['call'] = (action, context, signal) => {
      if ('error' in found) throw found.error
      // A hook that is no function throws here, and so abstains.
      return Reflect.apply(found.hook as GuardHook, plugin, [
        action,
        context,
        { signal: signal ?? new AbortController().signal },
      ])
    }
    entries.push({ plugin, name: nameOf(plugin) ?? unnamed, quarantined, call })
  }
  return entries
}

/** Looking through all members costs more than a guard does, so who is well spelt is looked at once. */
const wellSpelt = new WeakSet<object>()

/** A misspelt guard was meant to guard something, and nobody can say what: it is asked, and fails. */
function guardHookOf(plugin: object): ReturnType<typeof readHook> {
  if (wellSpelt.has(plugin)) return readHook(plugin, 'validateStateTransition')
  try {
    const misspelt = misspeltHooks(plugin).find(({ hook }) => hook === 'validateStateTransition')
    if (misspelt === undefined) {
      wellSpelt.add(plugin)
      return readHook(plugin, 'validateStateTransition')
    }
    return { error: new TypeError(describeSlip(misspelt)) }
  } catch (error) {
    return { error }
  }
}

type GuardHook = NonNullable<DomainPlugin['validateStateTransition']>

/** The frozen view of a context, or why there is none. */
type View = { readonly value: unknown } | { readonly error: unknown }

/** Finding out the context has the time of one guard: nobody waits for ever for it either. */
async function viewOf(context: GuardRequest['context'], waiting: Waiting): Promise<View> {
  try {
    if (typeof context !== 'function') return { value: frozenContext(context) }
    const answer = await waiting.answer(() => context())
    if (answer.kind === 'value') return { value: frozenContext(answer.value) }
    if (answer.kind === 'threw') return answer
    return { error: new Error(answer.kind === 'late' ? 'it came too late' : 'the run was stopped') }
  } catch (error) {
    return { error }
  }
}

/** How one guard is asked. */
interface Asking {
  readonly action: string
  readonly view: View
  readonly waiting: Waiting
  readonly timeLimitMs: number | undefined
}

async function ask(
  { name, quarantined, call }: Entry,
  { action, view, waiting, timeLimitMs }: Asking,
): Promise<GuardDecision> {
  const copy = copyOfView(view)
  // From here on: what the copying takes is not the guard's time.
  const startedAt = performance.now()
  const judgement =
    'error' in copy
      ? abstained(`the context cannot be shown to guards: ${describeThrown(copy.error)}`)
      : judge(await waiting.answer((signal) => call(action, copy.value, signal)), timeLimitMs)
  const durationMs = performance.now() - startedAt
  return Object.freeze({ action, plugin: name, ...judgement, durationMs, quarantined })
}

function copyOfView(view: View): View {
  if ('error' in view) return view
  try {
    return { value: mutableCopy(view.value) }
  } catch (error) {
    // As deep as the stack allowed when the view was made, and deeper than it allows now.
    return { error }
  }
}

type Judgement = Pick<GuardDecision, 'verdict' | 'reason'>

function judge(answer: Answer, timeLimitMs: number | undefined): Judgement {
  switch (answer.kind) {
    case 'value':
      return readAnswer(answer.value)
    case 'threw':
      return abstained(`it threw ${describeThrown(answer.error)}`)
    case 'late':
      return abstained(`it gave no answer within ${timeLimitMs} ms`)
    case 'aborted':
      return abstained('the run was stopped before it answered')
  }
}

function readAnswer(value: unknown): Judgement {
  if (value === true) return { verdict: 'allow', reason: '' }
  if (value === false) return { verdict: 'deny', reason: '' }
  try {
    const { allow, reason } = (value ?? {}) as {
      readonly allow?: unknown
      readonly reason?: unknown
    }
    if (typeof value === 'object' && allow === false) {
      return { verdict: 'deny', reason: typeof reason === 'string' ? printable(reason, 500) : '' }
    }
  } catch (error) {
    return abstained(`its answer cannot be read: ${describeThrown(error)}`)
  }
  return abstained(`it answered ${kindOf(value)} instead of true or false`)
}

function abstained(reason: string): Judgement {
  return { verdict: 'abstain', reason }
}

function strongest(decisions: readonly GuardDecision[]): GuardVerdict {
  const said = new Set(decisions.map(({ verdict }) => verdict))
  if (said.has('deny')) return 'deny'
  return said.has('abstain') ? 'abstain' : 'allow'
}

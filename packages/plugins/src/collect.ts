import { checkOptions, type OptionKind } from './check-options.ts'
import {
  type ContributionSource,
  isDefined,
  type PluginContribution,
  readContribution,
} from './contribution.ts'
import { PluginError } from './errors.ts'
import { isPresent } from './hook.ts'
import { type Logger, quietly, silentLogger } from './logger.ts'
import { describeSlip, misspeltHooks } from './misspelt-hooks.ts'
import { type DomainPlugin, nameOf } from './plugin.ts'
import { describeThrown, kindOf } from './printable.ts'
import type { RenderState } from './render-state.ts'
import { answerWithin, type Patience, requireTimeLimit } from './time-limit.ts'
import { createOnceLatch, type OnceLatch } from './warn-once.ts'

/** A contribution in its place: under the name of its plugin, in one of the two real positions. */
export interface PlacedContribution extends PluginContribution {
  readonly position: 'cached' | 'volatile'
  readonly origin: string
}

/** How contributions are collected. Everything is optional. */
export interface CollectOptions {
  /** Gets a debug line per plugin that fails, and the two once-only reports. Default: silent. */
  readonly logger?: Logger | undefined
  /** Where the once-only reports close (PLUG-38). Default: a new latch, so each call may report. */
  readonly latch?: OnceLatch | undefined
  /**
   * A plugin that takes longer is left out of this prompt, in milliseconds. Default 30,000; `Infinity`
   * waits for ever.
   */
  readonly timeLimitMs?: number | undefined
  /** Stops waiting; plugins that have not answered by then are left out. */
  readonly signal?: AbortSignal | undefined
  /** Told of each plugin that is left out, and why. What it throws is ignored. */
  readonly onLeftOut?: ((leftOut: LeftOutPlugin) => void) | undefined
}

/** A plugin whose text is not in this prompt. */
export interface LeftOutPlugin {
  /** Its name; `(unnamed)` where it has none that can be used. */
  readonly origin: string
  /** In words for a log. */
  readonly reason: string
}

/**
 * Asks every plugin for its text and puts the answers in order: cached before volatile, within a
 * position by `order`, ties by registration and then as the plugin gave them. Origins are filled in,
 * `kernel` is remapped, empty texts are gone.
 *
 * Plugins are asked side by side. One that throws, hangs past the limit or answers something
 * malformed is left out whole, with a debug line; the prompt never fails because of it (PLUG-36). So
 * is one whose contents and headers have more than 1,000,000 characters together, with a warning at
 * first.
 *
 * @throws PluginError `PLUGIN_OPTION_INVALID` for options that are unknown or of the wrong type,
 * `PLUGIN_NOT_A_PLUGIN` for plugins that are no list.
 * @see LO-15, OPEN-PLUG-1, OPEN-PLUG-4, OBS-18..20
 */
export async function collectContributions(
  plugins: readonly DomainPlugin[],
  state: RenderState,
  options: CollectOptions = {},
): Promise<readonly PlacedContribution[]> {
  checkOptions('collectContributions', options, optionKinds)
  if (!Array.isArray(plugins)) {
    const message = `The plugins are ${kindOf(plugins)}. Give a list of plugins; a roster has one in "loaded".`
    throw new PluginError('PLUGIN_NOT_A_PLUGIN', message, { details: { faults: [message] } })
  }
  const asking: Asking = {
    isBesideOthers: true,
    state,
    logger: options.logger ?? silentLogger,
    latch: options.latch ?? createOnceLatch(),
    timeLimitMs: requireTimeLimit(options.timeLimitMs),
    signal: options.signal,
    onLeftOut: options.onLeftOut,
  }
  const answers = await Promise.all(plugins.map((plugin) => contributionsOf(plugin, asking)))
  return Object.freeze(answers.flat().sort(byPlace))
}

const optionKinds: Readonly<Record<keyof CollectOptions, OptionKind>> = {
  logger: 'logger',
  latch: 'function',
  timeLimitMs: 'checked later',
  signal: 'signal',
  onLeftOut: 'function',
}

interface Asking extends Patience {
  readonly state: RenderState
  readonly logger: Logger
  readonly latch: OnceLatch
  readonly onLeftOut: CollectOptions['onLeftOut']
}

async function contributionsOf(
  plugin: DomainPlugin,
  asking: Asking,
): Promise<readonly PlacedContribution[]> {
  const name = nameOf(plugin)
  try {
    if (name === undefined) throw new TypeError('it has no usable name')
    const answer = await answerWithin(() => ask(plugin, name, asking), asking)
    if (answer.kind === 'threw') throw answer.error
    if (answer.kind === 'value') return place(plugin, name, answer.value, asking)
    const why = answer.kind === 'late' ? 'took too long' : 'was not waited for, the run stopped'
    leaveOut(name, `Plugin '${name}' ${why}; its text is left out.`, asking)
  } catch (error) {
    const why = describeThrown(error)
    leaveOut(name, `Plugin '${name}' failed to render and is left out: ${why}`, asking, {
      error: why,
    })
  }
  return []
}

function leaveOut(
  name: string | undefined,
  reason: string,
  { logger, onLeftOut }: Pick<Asking, 'logger' | 'onLeftOut'>,
  { level = 'debug', ...more }: { level?: 'debug' | 'warn'; error?: string } = {},
): void {
  quietly(() => logger[level](reason, { plugin: name, ...more }))
  quietly(() => onLeftOut?.(Object.freeze({ origin: name ?? '(unnamed)', reason })))
}

/** What a plugin has to say, unchecked. The legacy text becomes one cached contribution. */
function ask(plugin: DomainPlugin, name: string, { state, logger, latch }: Asking): unknown {
  const legacy = plugin.injectSystemPrompt
  if (!isPresent(plugin.injectContributions)) {
    if (isPresent(legacy)) return legacyAnswer(plugin.injectSystemPrompt?.(state))
    // A list that came through no door may hold a plugin whose text nobody would ever ask for.
    for (const slip of misspeltHooks(plugin)) throw new TypeError(describeSlip(slip))
    return []
  }
  if (isPresent(legacy) && latch(plugin, 'legacy-hook')) {
    const line = `Plugin '${name}' has injectContributions; its injectSystemPrompt is not called.`
    quietly(() => logger.info(line, { plugin: name }))
  }
  return plugin.injectContributions?.(state)
}

async function legacyAnswer(answer: unknown): Promise<unknown> {
  const text = await answer
  if (typeof text === 'string') return [{ content: text }]
  throw new TypeError(`injectSystemPrompt gave ${kindOf(text)} instead of a text`)
}

function place(
  plugin: DomainPlugin,
  name: string,
  answer: unknown,
  asking: Asking,
): readonly PlacedContribution[] {
  const { logger, latch } = asking
  if (!Array.isArray(answer)) {
    throw new TypeError(`injectContributions gave ${kindOf(answer)} instead of a list`)
  }
  const placed: PlacedContribution[] = []
  let sizeChars = 0
  for (const source of answer as readonly ContributionSource[]) {
    const contribution = isDefined(source) ? source : readContribution(source)
    if (contribution.position === 'kernel' && latch(plugin, 'kernel-position')) {
      const line = `Plugin '${name}' asked for the position "kernel", which is reserved; its text goes to "cached".`
      quietly(() => logger.warn(line, { plugin: name }))
    }
    if (contribution.content === '') continue
    sizeChars += contribution.content.length + (contribution.header?.length ?? 0)
    if (sizeChars > maxSizeChars) {
      const level = latch(plugin, 'too-long') ? 'warn' : 'debug'
      const line = `Plugin '${name}' writes more than ${maxSizeChars} characters; its text is left out. Let it write less.`
      leaveOut(name, line, asking, { level })
      return []
    }
    placed.push(placeUnder(name, contribution))
  }
  return placed
}

/** What one plugin may add to a prompt: more than any model reads, and little enough to send. */
const maxSizeChars = 1_000_000

/** Contributions that a plugin keeps from turn to turn are placed once. */
const placements = new WeakMap<PluginContribution, PlacedContribution>()

function placeUnder(origin: string, contribution: PluginContribution): PlacedContribution {
  const known = placements.get(contribution)
  if (known?.origin === origin) return known
  const position = contribution.position === 'volatile' ? 'volatile' : 'cached'
  const placed = Object.freeze({ ...contribution, origin, position })
  if (isDefined(contribution)) placements.set(contribution, placed)
  return placed
}

/** Sorting keeps the order of equals: registration first, then as the plugin gave them. */
function byPlace(a: PlacedContribution, b: PlacedContribution): number {
  if (a.position !== b.position) return a.position === 'cached' ? -1 : 1
  return a.order - b.order
}

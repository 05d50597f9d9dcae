import type { DecisionReason, ResultDecision } from './decision.ts'
import { ResultPolicyError } from './errors.ts'
import { createFold, decisionOf } from './fold.ts'
import { createHistory, type HistoryParts } from './history.ts'
import type { Ledger, LedgerPlace } from './ledger.ts'
import { type Logger, quietly } from './logger.ts'
import type { Rates } from './net-saving.ts'
import { type Pricing, ratesOf } from './pricing.ts'
import { type RecallAnswer, type RecallRequest, recallResult } from './recall.ts'
import type { RecallRates } from './recall-rates.ts'
import { recordResults } from './record-results.ts'
import type { TrackedResult } from './tracked.ts'

/** Which conversation it is, and what is known of it from before. */
export interface ConversationOptions extends LedgerPlace {
  /**
   * Ids that `replacedIds` gave before: these results are stubs from the first call on. Without it
   * the same messages lead to the same decisions, save those that an expired cache brought about.
   */
  readonly replacedIds?: Iterable<string> | undefined
  /** How often results of each tool were asked for again elsewhere. Default: nothing is known. */
  readonly recallRates?: RecallRates | undefined
}

/** The policy at work in one conversation. */
export interface Conversation<Message extends object> {
  /**
   * What to send: the same messages, some results replaced by stubs. Give it the untouched history
   * each time, before each model call; messages it rewrote earlier count as the ones they were made
   * from. Never rejects for what a ledger or a price list does; a transcript that throws is passed on.
   */
  apply(messages: readonly Message[], moment?: Moment): Promise<Applied<Message>>
  /** Answers a recall in this conversation. Never rejects. */
  recall(request: RecallRequest): Promise<RecallAnswer>
  /** What was decided about every result of the last history, in order. */
  decisions(): readonly ResultDecision[]
  /** Ids of all results that are stubs now: what a host may keep to start again with. */
  replacedIds(): readonly string[]
  /** How often results of each tool were asked for again, for the next conversation to begin with. */
  recallRates(): RecallRates
}

/** What only the host can know about this call. */
export interface Moment {
  /** The provider's cache has expired, as after a long pause: a rewrite costs nothing. Default false. */
  readonly cacheExpired?: boolean | undefined
}

/** What to send, and what it saves. */
export interface Applied<Message extends object> {
  /** In the order given. Messages without a replaced result are the very same objects. */
  readonly messages: readonly Message[]
  readonly report: SavingsReport
}

/** What the policy did to one call, and to all calls until then. System messages are not counted. */
export interface SavingsReport {
  /**
   * Results replaced for this call for the first time. After the host has edited or cut the history,
   * those that were replaced before come once more, as `decided-before`, and costs are counted anew.
   */
  readonly decided: readonly ResultDecision[]
  /** Results that are stubs in this call. */
  readonly replacedResults: number
  /** Characters of this call's history without the policy. */
  readonly plainChars: number
  /** Characters of this call's history as sent. */
  readonly sentChars: number
  /** `usd` where the model's price is known, else multiples of an input token. */
  readonly unit: Rates['unit']
  /** Input cost of all calls until now without the policy, in `unit`. */
  readonly plainCost: number
  /** Input cost of all calls until now, recalls included, in `unit`. */
  readonly cost: number
}

/** What a policy gives each of its conversations. */
export interface ConversationParts<Message extends object> extends HistoryParts<Message> {
  readonly ledger: Ledger
  readonly ledgerTimeoutMs: number
  readonly pricing: Pick<Pricing, 'priceOf'>
  readonly logger: Logger
}

/** Starts the policy in one conversation. */
export function createConversation<Message extends object>(
  parts: ConversationParts<Message>,
  options: ConversationOptions,
): Conversation<Message> {
  const { settings, ledger, ledgerTimeoutMs, pricing, logger } = parts
  const place = requirePlace(options)
  const history = createHistory(parts)
  const replaced = new Set(options.replacedIds ?? [])
  const decidedBefore = new Set(replaced)
  let fold = createFold(settings, options.recallRates)
  let [freedChars, replacedResults] = [0, 0]
  /** How far the ledger has been asked. What it did not take is not offered again. */
  let recordedUntil = 0
  let havePricesFailed = false
  let queue: Promise<unknown> = Promise.resolve()

  return Object.freeze({
    apply(messages: readonly Message[], moment: Moment = {}) {
      // One after the other: a second call may come while the ledger still writes for the first.
      const turn = queue.then(() => applyNow(messages, moment))
      queue = turn.catch(() => {})
      return turn
    },
    recall: (request: RecallRequest) =>
      recallResult(ledger, request, { place, maxChars: settings.recallMaxChars, ledgerTimeoutMs }),
    decisions: () => history.tracked().flatMap(({ results }) => results.map(describe)),
    replacedIds: () => [...replaced],
    recallRates: () => fold.recallRates(),
  })

  async function applyNow(
    messages: readonly Message[],
    { cacheExpired = false }: Moment,
  ): Promise<Applied<Message>> {
    if (history.follow(messages)) startAnew()
    if (settings.enabled) await record()
    const rates = askRates()
    const moment = { rates, isCold: cacheExpired, decidedBefore }
    const decided = settings.enabled ? fold.advance(history.tracked(), moment) : []
    for (const { decision } of decided) note(decision)
    const sent = history.send(
      messages,
      decided.map(({ position }) => position),
    )
    const plainChars = history.plainChars()
    const report = Object.freeze({
      decided: decided.map(({ decision }) => decision),
      replacedResults,
      plainChars,
      sentChars: plainChars - freedChars,
      unit: rates?.unit ?? 'input-tokens',
      ...fold.account(),
    })
    return Object.freeze({ messages: sent, report })
  }

  /** Decides again from the beginning of the history, and flips nothing back. */
  function startAnew(): void {
    fold = createFold(settings, options.recallRates)
    for (const id of replaced) decidedBefore.add(id)
    recordedUntil = 0
    freedChars = 0
    replacedResults = 0
  }

  /** Puts every candidate that is new into the ledger (RES-16). One it does not take stays whole. */
  async function record(): Promise<void> {
    const tracked = history.tracked()
    const candidates = tracked
      .slice(recordedUntil)
      .flatMap(({ results }) => results)
      .filter(({ id, replacement }) => id === undefined && replacement.fixed === undefined)
    recordedUntil = tracked.length
    if (candidates.length === 0) return
    const views = candidates.map(({ reading }) => reading.view)
    const { ids, trouble } = await recordResults(ledger, views, {
      place,
      timeoutMs: ledgerTimeoutMs,
    })
    if (trouble !== undefined)
      warn('The ledger did not take every result; they stay whole.', trouble)
    for (const [index, candidate] of candidates.entries()) candidate.id = ids[index]
  }

  function askRates(): Rates | undefined {
    havePricesFailed = false
    try {
      return ratesOf(pricing.priceOf(settings.modelName), settings.cache)
    } catch (error) {
      havePricesFailed = true
      warn('The prices could not be asked; nothing is replaced.', error)
      return undefined
    }
  }

  function note(decision: ResultDecision): void {
    const { id, sizeChars, stubChars = sizeChars, toolName, reason } = decision
    if (id !== undefined) replaced.add(id)
    replacedResults += 1
    freedChars += sizeChars - stubChars
    const details = { id, toolName, reason, sizeChars, stubChars }
    quietly(() => logger.debug('A tool result is sent as a stub.', details))
  }

  function describe(result: TrackedResult): ResultDecision {
    if (result.decision !== undefined) return result.decision
    return decisionOf(result, { action: 'keep', reason: waitingReason(result) })
  }

  function waitingReason(result: TrackedResult): DecisionReason {
    if (result.replacement.fixed !== undefined) return result.replacement.fixed
    if (result.id === undefined) return settings.enabled ? 'not-recorded' : 'disabled'
    return havePricesFailed ? 'price-failed' : 'waiting'
  }

  function warn(message: string, about: unknown): void {
    const reason = about instanceof Error ? about.message : about
    quietly(() => logger.warn(message, { reason, thread: place.thread }))
  }
}

function requirePlace({ scopeKey, thread }: LedgerPlace): LedgerPlace {
  for (const [option, value] of Object.entries({ scopeKey, thread })) {
    if (typeof value === 'string' && value !== '') continue
    const message = `The ${option} is no text. Name the ${option === 'thread' ? 'conversation' : 'tenant'}: without it results could be read by others.`
    throw new ResultPolicyError('RESULT_PLACE_INVALID', message, { details: { option } })
  }
  return Object.freeze({ scopeKey, thread })
}

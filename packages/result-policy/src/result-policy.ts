import { type Conversation, type ConversationOptions, createConversation } from './conversation.ts'
import { ResultPolicyError } from './errors.ts'
import type { Ledger } from './ledger.ts'
import { type Logger, silentLogger } from './logger.ts'
import { createPricing, type Pricing } from './pricing.ts'
import { defineSettings, type PolicySettings, type PolicySettingsSource } from './settings.ts'
import { estimateTokens, type TokenEstimator } from './token-estimate.ts'
import type { Transcript } from './transcript.ts'

/** A policy over one kind of message: what all conversations of a host have in common. */
export interface ResultPolicy<Message extends object> {
  readonly settings: PolicySettings
  /** Where whole results are kept. */
  readonly ledger: Ledger
  /** Milliseconds it has to take results, and to find one. */
  readonly ledgerTimeoutMs: number
  /**
   * The policy for one conversation. Keep it as long as the conversation is in memory: it remembers
   * what it has measured. A new one for the same messages decides the same.
   *
   * @throws ResultPolicyError `RESULT_PLACE_INVALID` without a scope key or a thread.
   */
  forConversation(options: ConversationOptions): Conversation<Message>
}

/** What a policy is made of beside its settings. */
export interface ResultPolicyOptions<Message extends object> {
  /** How messages are read and rewritten (RES-01). */
  readonly transcript: Transcript<Message>
  readonly ledger: Ledger
  /**
   * Milliseconds a ledger has to take results, which stay whole otherwise, and to find one for a recall,
   * which says then that it could not look. Default 5000.
   */
  readonly ledgerTimeoutMs?: number | undefined
  /** What models cost (RES-24). Default: the table of this package, without overrides. */
  readonly pricing?: Pick<Pricing, 'priceOf'> | undefined
  /** How many tokens a text is. Default: characters / 4, also where this throws or gives no amount. */
  readonly estimate?: TokenEstimator | undefined
  /** Gets a warning when a ledger or a price fails, and a debug line per replaced result. Default silent. */
  readonly logger?: Logger | undefined
}

/**
 * Puts settings, prices, a ledger and a way to read messages together (RES-02).
 *
 * @throws ResultPolicyError `RESULT_SETTING_INVALID` as `defineSettings`, `RESULT_OPTION_INVALID` for
 * a transcript or a ledger that lacks a method, or a time that is none.
 */
export function createResultPolicy<Message extends object>(
  settings: PolicySettingsSource,
  options: ResultPolicyOptions<Message>,
): ResultPolicy<Message> {
  const checked = defineSettings(settings)
  const { transcript, ledger, ledgerTimeoutMs = 5000, logger = silentLogger } = options
  const estimate = surely(options.estimate ?? estimateTokens)
  const pricing = options.pricing ?? createPricing()
  demandMethods('transcript', transcript, ['roleOf', 'textOf', 'resultsOf', 'callsOf', 'withTexts'])
  demandMethods('ledger', ledger, ['record', 'fetch', 'count', 'release'])
  demandMethods('pricing', pricing, ['priceOf'])
  if (!(ledgerTimeoutMs >= 0 && ledgerTimeoutMs <= longestTimeoutMs)) {
    const message = `The time of ${ledgerTimeoutMs} ms is none. Give milliseconds up to ${longestTimeoutMs}.`
    const details = { option: 'ledgerTimeoutMs' }
    throw new ResultPolicyError('RESULT_OPTION_INVALID', message, { details })
  }
  /** The message each rewritten one stands for, so that nothing is ever built on a stub. */
  const originals = new WeakMap<Message, Message>()
  const parts = {
    settings: checked,
    transcript,
    ledger,
    ledgerTimeoutMs,
    pricing,
    estimate,
    logger,
    originals,
  }
  return Object.freeze({
    settings: checked,
    ledger,
    ledgerTimeoutMs,
    forConversation: (about: ConversationOptions) => createConversation(parts, about),
  })
}

/** The longest time that a timer of JavaScript can wait. */
const longestTimeoutMs = 2 ** 31 - 1

/** An estimator that always gives an amount: a guess that fails is replaced by the plainest one. */
function surely(estimate: TokenEstimator): TokenEstimator {
  return (text) => {
    try {
      const tokens = estimate(text)
      return tokens >= 0 && tokens < Number.POSITIVE_INFINITY ? tokens : estimateTokens(text)
    } catch {
      return estimateTokens(text)
    }
  }
}

function demandMethods(option: string, value: unknown, methods: readonly string[]): void {
  const missing = methods.filter(
    (method) =>
      typeof value !== 'object' ||
      value === null ||
      typeof Reflect.get(value, method) !== 'function',
  )
  if (missing.length === 0) return
  const message = `The option ${option} lacks ${missing.join(', ')}. Give an object with these methods.`
  throw new ResultPolicyError('RESULT_OPTION_INVALID', message, { details: { option, missing } })
}

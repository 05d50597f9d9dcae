import type { ResultDecision } from './decision.ts'
import { gateInputs } from './gate-inputs.ts'
import { type NetSaving, netSaving, type Rates, recallCallTokens } from './net-saving.ts'
import { planRewrite, type Waiting } from './plan-rewrite.ts'
import { createRecallRates, type RecallRates } from './recall-rates.ts'
import { type PolicySettings, ruleOf } from './settings.ts'
import { charsPerToken } from './token-estimate.ts'
import type { TrackedMessage, TrackedResult } from './tracked.ts'

/** What is known when a model is about to be called. */
export interface CallMoment {
  /** undefined when the prices could not be asked: nothing new is decided then. */
  readonly rates: Rates | undefined
  /** Nothing is left in the provider's cache. */
  readonly isCold: boolean
  /** Ids that were replaced before, by a log that the host kept. */
  readonly decidedBefore: ReadonlySet<string>
}

/** What the calls so far have cost, and would have cost without the policy. In the unit of the rates. */
export interface Account {
  readonly cost: number
  readonly plainCost: number
}

/** A result that was replaced just now, and where its message stands. */
export interface Decided {
  readonly position: number
  readonly decision: ResultDecision
}

/** Read results that are looked at again in each call, at most; older ones wait for a cold cache. */
const waitingMost = 64

/** Chance that a text is asked for which stands above: it has little reason to be. */
const repeatRecallProbability = 0.02

/**
 * Decides about a conversation call by call, in one pass from its beginning.
 *
 * Everything is derived from the messages: a model was called before each assistant message, and is
 * about to be called at the end. So whoever starts from nothing on the same messages comes to the
 * same decisions, and nobody needs to keep them (except for what the clock decided, see `isCold`).
 */
export interface Fold {
  /** Takes in messages up to a position where a model is called, and decides what it will be sent. */
  advance(messages: readonly TrackedMessage[], moment: CallMoment): readonly Decided[]
  account(): Account
  /** How often replaced results were asked for again, tool by tool. */
  recallRates(): RecallRates
}

/** Starts a fold at the beginning of a conversation. */
export function createFold(settings: PolicySettings, known: RecallRates = {}): Fold {
  const recalls = createRecallRates(settings.expectedRecallProbability, known)
  const recallsOfRepeats = createRecallRates(repeatRecallProbability, {})
  /** Candidates that the model has read, oldest first. */
  let waiting: Waiting[] = []
  /** Read candidates that no rewrite could pay for; looked at again when the cache is cold. */
  let parked: Waiting[] = []
  /** Results that came since the last call. */
  let fresh: Waiting[] = []
  const replacedById = new Map<string, { toolName: string; of: typeof recalls }>()
  /** Tokens as sent, piece by piece: what a message says is one piece, each of its results another. */
  const sentTokens: number[] = []
  /** The next message to take in, where the cached prefix ends in pieces, and who was sent last. */
  let [position, cachedUntil, lastCall] = [0, 0, -1]
  let [resultCount, turnStart] = [0, 0]
  let [sent, cachedSent, plain, cachedPlain] = [0, 0, 0, 0]
  let [cost, plainCost] = [0, 0]
  let isAfterRecall = false
  let decided: Decided[] = []

  return {
    advance(messages, moment) {
      decided = []
      for (; position < messages.length; position += 1) {
        const message = messages[position] as TrackedMessage
        // A moment's cold cache is that of the call to come, not of those in the past.
        if (message.reading.role === 'assistant') callModel({ ...moment, isCold: false })
        take(message, moment)
      }
      callModel(moment)
      return decided
    },
    account: () => ({ cost, plainCost }),
    recallRates: recalls.seen,
  }

  function take({ reading, results }: TrackedMessage, moment: CallMoment): void {
    if (reading.role === 'user') turnStart = sentTokens.length
    if (reading.role === 'assistant') {
      isAfterRecall = reading.isRecall
      if (reading.isRecall) cost += recallCallTokens * (moment.rates?.output ?? 0)
    }
    for (const id of reading.recalledIds) {
      const replaced = replacedById.get(id)
      replaced?.of.countRecall(replaced.toolName)
    }
    let plainTokens = reading.ownTokens
    send(reading.ownTokens)
    for (const result of results) {
      const ordinal = resultCount
      resultCount += 1
      let size = result.reading.sizeTokens
      if (result.replacement.fixed === undefined) {
        if (result.id !== undefined && moment.decidedBefore.has(result.id)) {
          // Its saving is not counted: how it was come by is not known.
          size = result.replacement.stubTokens
          replace({ result, position }, { action: 'stub', reason: 'decided-before' })
        } else if (result.id !== undefined) {
          fresh.push({ result, position, at: sentTokens.length, ordinal })
        }
      }
      send(size)
      plainTokens += size
    }
    if (!reading.isRecall) plain += plainTokens
  }

  function send(tokens: number): void {
    sentTokens.push(tokens)
    sent += tokens
  }

  /** A model is called with everything before `position`. */
  function callModel(moment: CallMoment): void {
    if (position === lastCall) return
    const { rates, isCold } = moment
    let intact = cachedSent
    if (rates !== undefined) {
      judgeArrivals(rates)
      intact = rewrite(rates, isCold)
      charge(rates, { intact: isCold ? 0 : intact, isCold })
    }
    for (const candidate of fresh) if (!candidate.result.isReplaced) waiting.push(candidate)
    fresh = []
    while (waiting.length > waitingMost) parked.push(...waiting.splice(0, 1))
    cachedUntil = sentTokens.length
    lastCall = position
    cachedSent = sent
    cachedPlain = plain
  }

  function charge(rates: Rates, { intact, isCold }: { intact: number; isCold: boolean }): void {
    cost += intact * rates.read + (sent - intact) * rates.write
    // Without the policy nobody would have recalled, so the call after a recall would not exist.
    if (isAfterRecall) return
    const plainIntact = isCold ? 0 : cachedPlain
    plainCost += plainIntact * rates.read + (plain - plainIntact) * rates.write
  }

  /**
   * Many results may arrive at once. A recall of one reads the prompt that is left when its large
   * neighbours are stubs as well, and not one that holds them whole.
   */
  function judgeArrivals(rates: Rates): void {
    const large = fresh.filter(isOffloadable)
    const freed = large.reduce((sum, { result }) => sum + freedBy(result), 0)
    const promptTokens = sent - freed
    for (const candidate of large) judgeArrival(candidate, { rates, promptTokens })
  }

  function judgeArrival(candidate: Waiting, about: { rates: Rates; promptTokens: number }): void {
    const { result } = candidate
    const isForced =
      ruleOf(settings, result.reading.view.toolName) === 'always' &&
      result.reading.sizeChars >= settings.minChars
    const saving = netSaving(inputsOf(result, { ...about, isCached: false, rewrittenTokens: 0 }))
    if (!isForced && !(saving.net > 0)) {
      keep(result, saving)
      return
    }
    const reason = result.repeatOf !== undefined ? 'repeated' : isForced ? 'always' : 'large'
    replaceSent(candidate, { action: 'offload', reason, saving })
  }

  /**
   * Whether a result may be replaced before it was ever sent: since it, or its stub, stands above
   * already, by the rule of its tool, or by its length.
   */
  function isOffloadable({ result }: Waiting): boolean {
    if (result.repeatOf !== undefined) return true
    const { reading } = result
    const rule = ruleOf(settings, reading.view.toolName)
    if (rule === 'always') return true
    const threshold =
      typeof rule === 'object' ? rule.offloadAboveChars : settings.largeOffloadThresholdChars
    const gate = gateInputs(reading.sizeChars, {
      settings: { ...settings, largeOffloadThresholdChars: threshold },
    })
    return gate.outputTokens >= gate.largeOffloadThresholdTokens
  }

  /** Replaces what was sent before, where that pays. Returns the tokens of the prefix that stay. */
  function rewrite(rates: Rates, isCold: boolean): number {
    if (isCold) {
      waiting = [...parked, ...waiting].sort((one, other) => one.ordinal - other.ordinal)
      parked = []
    }
    const plan = planRewrite({
      waiting,
      sentTokens,
      cachedUntil,
      rates,
      isCold,
      savedSoFar: plainCost - cost,
      isEligible: ({ at, ordinal }) =>
        at < turnStart || resultCount - ordinal - 1 > settings.keepRecentResults,
      savingOf: ({ result }, rewrittenTokens) =>
        netSaving(inputsOf(result, { rates, isCached: !isCold, rewrittenTokens })),
    })
    for (const { candidate, saving } of plan.hopeless) {
      keep(candidate.result, saving)
      parked.push(candidate)
    }
    const from = plan.replaced[0]?.candidate.at ?? cachedUntil
    let tail = 0
    for (let at = from; at < cachedUntil; at += 1) tail += sentTokens[at] ?? 0
    const intact = cachedSent - tail
    for (const { candidate, saving } of plan.replaced) {
      replaceSent(candidate, { action: 'stub', reason: isCold ? 'cache-cold' : 'pays', saving })
    }
    if (plan.hopeless.length + plan.replaced.length > 0) {
      const gone = new Set([...plan.hopeless, ...plan.replaced].map(({ candidate }) => candidate))
      waiting = waiting.filter((candidate) => !gone.has(candidate))
    }
    return intact
  }

  function recallsFor(result: TrackedResult) {
    return isInSight(result) ? recallsOfRepeats : recalls
  }

  function inputsOf(
    result: TrackedResult,
    about: { rates: Rates; isCached: boolean; rewrittenTokens: number; promptTokens?: number },
  ) {
    const { reading } = result
    const { horizon } = gateInputs(reading.sizeChars, { settings })
    return {
      promptTokens: sent,
      ...about,
      freedTokens: freedBy(result),
      remainingCalls: horizon,
      expectedRecalls: recallsFor(result).expectedOf(reading.view.toolName),
      recallTokens: Math.min(reading.sizeTokens, settings.recallMaxChars / charsPerToken),
    }
  }

  function replaceSent(
    { result, at, position }: Waiting,
    how: { action: 'stub' | 'offload'; reason: ResultDecision['reason']; saving: NetSaving },
  ): void {
    const freed = freedBy(result)
    sentTokens[at] = (sentTokens[at] ?? 0) - freed
    sent -= freed
    replace({ result, position }, how)
  }

  function replace(
    { result, position }: Pick<Waiting, 'result' | 'position'>,
    how: { action: 'stub' | 'offload'; reason: ResultDecision['reason']; saving?: NetSaving },
  ): void {
    const { toolName } = result.reading.view
    const of = recallsFor(result)
    if (result.id !== undefined) replacedById.set(result.id, { toolName, of })
    of.countReplaced(toolName)
    result.isReplaced = true
    result.decision = decisionOf(result, { ...how, stubChars: result.replacement.stubChars })
    decided.push({ position, decision: result.decision })
  }

  function keep(result: TrackedResult, saving: NetSaving): void {
    result.decision = decisionOf(result, { action: 'keep', reason: 'no-saving', saving })
  }
}

/** Tokens less when the stub of a result is sent instead. */
function freedBy({ reading, replacement }: Pick<TrackedResult, 'reading' | 'replacement'>): number {
  return reading.sizeTokens - replacement.stubTokens
}

/** Whether a result repeats one that is sent whole. */
function isInSight({ repeatOf }: TrackedResult): boolean {
  return repeatOf?.isReplaced === false
}

/** A decision in the shape that is shown. */
export function decisionOf(
  { reading, id }: Pick<TrackedResult, 'reading' | 'id'>,
  about: {
    action: ResultDecision['action']
    reason: ResultDecision['reason']
    saving?: NetSaving
    stubChars?: number
  },
): ResultDecision {
  const { action, reason, saving, stubChars } = about
  const { toolCallId, toolName } = reading.view
  return Object.freeze({
    action,
    reason,
    toolCallId,
    toolName,
    sizeChars: reading.sizeChars,
    ...(id !== undefined && { id }),
    ...(stubChars !== undefined && { stubChars }),
    ...(saving !== undefined && { netSaving: saving }),
  })
}

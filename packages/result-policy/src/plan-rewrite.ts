import type { NetSaving, Rates } from './net-saving.ts'
import type { TrackedResult } from './tracked.ts'

/** A candidate that may be replaced. */
export interface Waiting {
  readonly result: TrackedResult
  /** Position of its message in the conversation. */
  readonly position: number
  /** Which piece of the conversation it is. */
  readonly at: number
  /** How many results came before it in the conversation. */
  readonly ordinal: number
}

/** A candidate with the arithmetic that spoke for or against it. */
export interface Planned {
  readonly candidate: Waiting
  readonly saving: NetSaving
}

/** What to replace in the cached prefix, oldest first, and what never pays. */
export interface RewritePlan {
  readonly replaced: readonly Planned[]
  /** Candidates for which a recall costs more than all that can be saved, even with a free rewrite. */
  readonly hopeless: readonly Planned[]
}

/** What a plan is made from. */
export interface RewriteQuestion {
  readonly waiting: readonly Waiting[]
  /** Tokens of each piece of the conversation as it was sent last. */
  readonly sentTokens: readonly number[]
  /** Pieces before this one are in the provider's cache. */
  readonly cachedUntil: number
  readonly rates: Rates
  /** Nothing is cached any more: all is written anew in any case, as on arrival. */
  readonly isCold: boolean
  /** What the conversation has saved until now; negative when it has lost. */
  readonly savedSoFar: number
  readonly isEligible: (candidate: Waiting) => boolean
  readonly savingOf: (candidate: Waiting, rewrittenTokens: number) => NetSaving
}

/**
 * Chooses which results that were sent before are replaced now, in one rewrite: the position from
 * which replacing everything worthwhile saves most. Results near the end of the prefix have little
 * behind them that would be written anew, which is why a result is best replaced in the very next
 * call, or with others, or never.
 *
 * A rewrite is only made when what it may lose has been saved before: the conversation may end with
 * this call, and a result that is too small to pay for a recall may be asked for again.
 *
 * Walks back from the end of the prefix and stops where the rewrite alone would cost more than all
 * candidates together could save, so that its work grows with the candidates and not with the history.
 */
export function planRewrite(question: RewriteQuestion): RewritePlan {
  const { waiting, sentTokens, cachedUntil, rates, isCold, savedSoFar } = question
  const { isEligible, savingOf } = question
  const extra = isCold ? 0 : rates.write - rates.read
  const freedNow = isCold ? rates.write : rates.read
  const hopeless: Planned[] = []
  const hopeful: { candidate: Waiting; gain: number; freed: number; reserve: number }[] = []
  let mostToGain = 0
  for (const candidate of waiting) {
    const { sizeTokens } = candidate.result.reading
    const { stubTokens } = candidate.result.replacement
    const saving = savingOf(candidate, stubTokens)
    if (!(saving.terms.saving > saving.terms.recall)) {
      hopeless.push({ candidate, saving })
      continue
    }
    if (!isEligible(candidate)) continue
    const gain = saving.terms.saving - saving.terms.recall
    const { saving: saved, oneRecall } = saving.terms
    // What pays even if it is surely asked for again needs no reserve. Nor does a cold cache, which
    // comes once in a while and takes nothing back.
    const reserve = isCold || saved > oneRecall ? 0 : oneRecall
    hopeful.push({ candidate, gain, freed: sizeTokens - stubTokens, reserve })
    mostToGain += gain
  }

  let [gained, freed, reserved, tail, at] = [0, 0, 0, 0, cachedUntil]
  let best = { value: 0, from: hopeful.length }
  for (let index = hopeful.length - 1; index >= 0; index -= 1) {
    const one = hopeful[index]
    if (one === undefined) break
    while (at > one.candidate.at) {
      at -= 1
      tail += sentTokens[at] ?? 0
    }
    gained += one.gain
    freed += one.freed
    reserved += one.reserve
    const rewritten = tail - freed
    if (rewritten * extra > mostToGain) break
    const value = gained - rewritten * extra
    const worstLoss = rewritten * extra + reserved - freed * freedNow
    if (value > best.value && worstLoss <= savedSoFar) best = { value, from: index }
  }

  const chosen = hopeful.slice(best.from)
  const first = chosen[0]?.candidate.at ?? cachedUntil
  const behind = sum(sentTokens.slice(first, cachedUntil)) - sum(chosen.map(({ freed }) => freed))
  const replaced = chosen.map(({ candidate }, index) => {
    // The rewrite is one: its cost is written to the first result of it.
    return { candidate, saving: savingOf(candidate, index === 0 ? behind : 0) }
  })
  return { replaced, hopeless }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0)
}

import type { Reading } from './read-prompt.ts'
import { type Goal, understand } from './understand.ts'

/** Longer messages stand for themselves, in characters. */
const fragmentChars = 60
const wishes = /\b(?:show|list|read|look|see|tell|find|what|which|who|how|status|details?)\b/i

/**
 * What is wanted, in the light of what was said before: where the model had asked back, a bare
 * "B7M2LD" or "the one to Oslo" completes the wish it had asked about.
 *
 * @param today - As for `understand`.
 */
export function understandInContext(
  { said, exchange }: Pick<Reading, 'said' | 'exchange'>,
  today: string | undefined,
): readonly Goal[] {
  const goals = understand(said, today)
  if (exchange === undefined || !asksBack(exchange.answer) || !isFragment(said, goals)) return goals
  return understand(`${exchange.said.replace(/[\s.?!]+$/, '')} ${said}`, today)
}

function asksBack(answer: string): boolean {
  return /^(?:Which|Whose|I need to know)\b/.test(answer)
}

function isFragment(said: string, goals: readonly Goal[]): boolean {
  if (said.length > fragmentChars || wishes.test(said)) return false
  return goals.every(
    (goal) => goal.kind === 'unknown' || (goal.kind === 'deed' && goal.deed === 'show'),
  )
}

import type { Speaker } from '../desk/speaker.ts'
import { forgetEverything, type Line } from './conversation.ts'
import { type Checked, checkTurn, type TurnEvidence } from './promises.ts'
import { runTurn, type Watch } from './run-turn.ts'
import type { Savings } from './savings.ts'
import type { Session } from './session.ts'

/** What one turn of the written conversation promised, looked into. */
export interface CheckedTurn {
  /** From 1. */
  readonly turn: number
  readonly checks: readonly Checked[]
  readonly inputTokens: number
  /** Of these, read from the cache; undefined when the provider does not count. */
  readonly readTokens: number | undefined
  /** What stubs saved; undefined when the turn failed. */
  readonly savings: Savings | undefined
}

/**
 * Plays a written conversation and looks into what it promised.
 *
 * @param open - Opens the desk; anew where the conversation wants it so. Whatever it opens is closed.
 * @param culprit - As for `checkTurn`.
 */
export async function play(
  lines: readonly Line[],
  open: () => Session,
  watch: Watch,
  culprit?: string,
): Promise<readonly CheckedTurn[]> {
  const checked: CheckedTurn[] = []
  let session = open()
  try {
    for (const [index, line] of lines.entries()) {
      if (line.afterReopening) {
        await session.close()
        session = open()
        watch({ type: 'desk-reopened' })
      }
      const { user, platform, says } = line
      const evidence =
        says === forgetEverything
          ? await forget(session, { user, platform }, watch)
          : await runTurn(session, { user, platform }, says, watch)
      const { inputTokens, readTokens, results } = evidence
      const checks = checkTurn(line.promises, evidence, culprit)
      checked.push({ turn: index + 1, checks, inputTokens, readTokens, savings: results?.inTurn })
    }
    return checked
  } finally {
    await session.close()
  }
}

/** Has everything forgotten that is remembered of a speaker. */
async function forget(session: Session, speaker: Speaker, watch: Watch): Promise<TurnEvidence> {
  watch({ type: 'user-said', speaker, text: forgetEverything })
  const forgotten = await session.memory.forget(speaker, 'everything')
  watch(forgotten)
  return { ...withoutModel, speaker, forgotten }
}

const withoutModel = {
  ...{ calls: [], selection: { active: [], dropped: [] }, text: '', shown: '', notes: [] },
  ...{ comparison: undefined, cache: undefined, results: undefined },
  ...{ recalled: undefined, learned: undefined, inputTokens: 0, readTokens: undefined },
  finished: true,
}

/**
 * Did the conversation show what it promised?
 *
 * @param strict - Also what is asked of the local model only.
 */
export function hasKept(turns: readonly CheckedTurn[], strict: boolean): boolean {
  const checks = turns.flatMap(({ checks }) => checks)
  return checks.length > 0 && checks.every(({ kept, binding }) => kept || !(binding || strict))
}

/** Tokens of a conversation. */
export interface InputTokens {
  readonly inputTokens: number
  /** Of these, read from the cache. */
  readonly readTokens: number
}

/** What the turns have sent, and what of it came from the cache. */
export function sumInput(
  turns: readonly Pick<CheckedTurn, 'inputTokens' | 'readTokens'>[],
): InputTokens {
  const total = { inputTokens: 0, readTokens: 0 }
  for (const { inputTokens, readTokens = 0 } of turns) {
    total.inputTokens += inputTokens
    total.readTokens += readTokens
  }
  return total
}

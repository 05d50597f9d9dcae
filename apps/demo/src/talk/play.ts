import type { Line } from './conversation.ts'
import { type Checked, checkTurn } from './promises.ts'
import { runTurn, type Watch } from './run-turn.ts'
import type { Session } from './session.ts'

/** What one turn of the written conversation promised, looked into. */
export interface CheckedTurn {
  /** From 1. */
  readonly turn: number
  readonly checks: readonly Checked[]
}

/** Plays a written conversation and looks into what it promised. */
export async function play(
  lines: readonly Line[],
  session: Session,
  watch: Watch,
): Promise<readonly CheckedTurn[]> {
  const checked: CheckedTurn[] = []
  for (const [index, line] of lines.entries()) {
    const evidence = await runTurn(session, line, line.says, watch)
    checked.push({ turn: index + 1, checks: checkTurn(line.promises, evidence) })
  }
  return checked
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

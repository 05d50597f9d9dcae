import { type Ledger, type LedgerPlace, type RecordOutcome, resultId } from './ledger.ts'
import { within } from './time-limit.ts'
import type { ToolResultView } from './transcript.ts'

/** Under which id each result is kept; undefined for one that is not. */
export interface Recorded {
  readonly ids: readonly (string | undefined)[]
  /** Why one or more are not kept; undefined when all are. */
  readonly trouble: string | undefined
}

/**
 * Puts results into a ledger, all at once. Never rejects, and never waits longer than it is given: a
 * result that is not surely kept by then has no id, and so is never replaced.
 */
export async function recordResults(
  ledger: Pick<Ledger, 'record'>,
  views: readonly ToolResultView[],
  { place, timeoutMs }: { place: LedgerPlace; timeoutMs: number },
): Promise<Recorded> {
  try {
    const entries = await Promise.all(
      views.map(async ({ toolCallId, toolName, isError, text = '' }) => {
        const about = { toolCallId, toolName, isError, text }
        return { id: await resultId(place, about), ...about }
      }),
    )
    const outcomes: readonly (RecordOutcome | undefined)[] = await within(
      ledger.record(place, entries),
      timeoutMs,
    )
    const refusal = outcomes.find((outcome) => outcome?.stored === false)
    const ids = entries.map(({ id }, index) => (outcomes[index]?.stored === true ? id : undefined))
    return { ids, trouble: refusal?.stored === false ? refusal.reason : undefined }
  } catch (error) {
    const trouble = error instanceof Error ? error.message : 'It threw something that is no error.'
    return { ids: views.map(() => undefined), trouble }
  }
}

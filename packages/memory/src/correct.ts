import { deriveId } from './derive-id.ts'
import type { StoredEntry } from './entry.ts'
import { parseEntry } from './parse-entry.ts'
import type { Scope } from './scope.ts'
import type { MemoryStore } from './store.ts'

/** What is wrong with an entry, and what holds instead. @see Memory.correct */
export interface Correction {
  /** The entry that is wrong. */
  readonly id: string
  /** What holds now. */
  readonly content: string
  /** Who says so. */
  readonly author?: string
  readonly turnId?: string
}

/** What became of a correction. */
export type CorrectionOutcome =
  | { readonly corrected: true; readonly id: string }
  /** `not-found`: there is no such entry, or it was replaced already. `conflict`: others kept changing it. */
  | { readonly corrected: false; readonly reason: 'not-found' | 'conflict' }

/** Times a correction is tried while others change the entry. */
const mostTries = 5

/**
 * Replaces an entry by what holds now. The new one takes over layer, label, kind, subject and importance;
 * the old one stays, superseded, for whoever wants to see it.
 */
export async function correctEntry(
  store: MemoryStore,
  scope: Scope,
  { id, content, author, turnId }: Correction,
  { now }: { now: number },
): Promise<CorrectionOutcome> {
  for (let attempt = 0; attempt < mostTries; attempt += 1) {
    const [old] = await store.get(scope, [id])
    if (old === undefined || old.supersededBy !== undefined) {
      return { corrected: false, reason: 'not-found' }
    }
    const added = replacement(old, content, { author, turnId, now })
    const { version, ...superseded } = old
    const outcome = await store.write(scope, {
      put: [
        { entry: added, ifExists: 'keep' },
        {
          entry: { ...superseded, supersededBy: added.id, updatedAt: now },
          expectedVersion: version,
        },
      ],
    })
    if (outcome.committed) return { corrected: true, id: added.id }
  }
  return { corrected: false, reason: 'conflict' }
}

function replacement(
  old: StoredEntry,
  content: string,
  { author, turnId, now }: { author: string | undefined; turnId: string | undefined; now: number },
) {
  const { layer, label, kind, subject, importance, links, dueAt, duePredicate } = old
  const entry = parseEntry(
    {
      layer,
      content,
      importance,
      links,
      ...(label !== undefined && { label }),
      ...(kind !== undefined && { kind }),
      ...(subject !== undefined && { subject }),
      ...(dueAt !== undefined && { dueAt }),
      ...(duePredicate !== undefined && { duePredicate }),
      supersedes: [old.id],
      provenance: {
        source: 'author',
        ...(author !== undefined && { author }),
        ...(turnId !== undefined && { turnId }),
      },
    },
    { now },
  )
  // Correcting back to an earlier text is a new entry, not the one that was superseded.
  return { ...entry, id: deriveId({ ...entry, content: JSON.stringify([old.id, content]) }) }
}

import { deriveId } from './derive-id.ts'
import type { MemoryEntry, StoredEntry } from './entry.ts'
import { MemoryError } from './errors.ts'
import { listAll } from './list-all.ts'
import { parseEntry } from './parse-entry.ts'
import type { Scope } from './scope.ts'
import type { EntryPut, MemoryStore } from './store.ts'
import { isCopyOf } from './working.ts'
import { withoutTexts } from './write/without-texts.ts'

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
 * Checks a correction from outside.
 *
 * @throws MemoryError - `MEMORY_ENTRY_INVALID` when its content is no text.
 */
export function parseCorrection(correction: Correction): Correction {
  if (typeof correction.content === 'string') return correction
  throw new MemoryError(
    'MEMORY_ENTRY_INVALID',
    'A correction was refused. Give the "id" of what is wrong and the "content" that holds now.',
    { details: { field: 'content' } },
  )
}

/**
 * Replaces an entry by what holds now. The new one takes over layer, label, kind, subject, importance and the
 * place in its conversation; the old one stays, superseded, for whoever wants to see it. Its working copies say
 * what holds now, and later messages are no longer found by what it said.
 *
 * @throws MemoryError - `MEMORY_ENTRY_INVALID` or `MEMORY_ENTRY_TOO_LARGE`, and what the store throws.
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
        ...(await planAround(store, scope, old, added)),
      ],
    })
    if (outcome.committed) return { corrected: true, id: added.id }
  }
  return { corrected: false, reason: 'conflict' }
}

/** What stands in the same conversation and says what is wrong: working copies, and the contexts of later messages. */
async function planAround(
  store: MemoryStore,
  scope: Scope,
  old: StoredEntry,
  added: MemoryEntry,
): Promise<readonly EntryPut[]> {
  if (old.sequence === undefined) return []
  const session = await listAll(store, scope, { sessionId: old.sequence.sessionId })
  const copies = session.filter(isCopyOf([old]))
  const copied = new Set(copies.map(({ id }) => id))
  const others = session.filter(({ id }) => id !== old.id && !copied.has(id))
  const corrected = copies.map(({ version, ...copy }): EntryPut => {
    const { context: _, embedding: __, ...said } = copy
    const entry = { ...said, content: added.content, updatedAt: added.updatedAt }
    return { entry, expectedVersion: version }
  })
  return [...corrected, ...withoutTexts([...others, { ...added, version: 0 }], [old.content])]
}

function replacement(
  old: StoredEntry,
  content: string,
  { author, turnId, now }: { author: string | undefined; turnId: string | undefined; now: number },
) {
  const { layer, label, kind, subject, importance, links, dueAt, duePredicate, sequence } = old
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
      ...(sequence !== undefined && { sequence }),
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

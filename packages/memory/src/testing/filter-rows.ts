import type { MemoryEntry } from '../entry.ts'
import type { EntryFilter } from '../store.ts'
import { noon, sample } from './sample.ts'

/** Entries of which each key of a filter lets some through. All have the word "says" and the same vector. */
export function filterSamples(): readonly MemoryEntry[] {
  const embedding = [1, 0]
  return [
    sample('plain', { embedding }),
    sample('old', { embedding, supersededBy: 'plain' }),
    sample('skill', {
      embedding,
      layer: 'procedural',
      label: 'cancel',
      kind: 'skill',
      provenance: { source: 'author', sourceTag: 'authored:desk' },
    }),
    sample('turn', {
      embedding,
      layer: 'episodic',
      subject: 'ann',
      occurredAt: noon + 5,
      sequence: { sessionId: 's', index: 0 },
      provenance: { source: 'turn', turnId: 't1' },
    }),
    sample('later', { embedding, layer: 'prospective', dueAt: noon + 20 }),
    sample('sooner', { embedding, layer: 'prospective', dueAt: noon + 10 }),
  ]
}

/** What each filter lets through of them, by id. */
export const filterRows: readonly [filter: EntryFilter, ids: readonly string[]][] = [
  [{}, ['later', 'plain', 'skill', 'sooner', 'turn']],
  [{ status: 'all' }, ['later', 'old', 'plain', 'skill', 'sooner', 'turn']],
  [{ status: 'superseded' }, ['old']],
  [{ layers: ['episodic', 'procedural'] }, ['skill', 'turn']],
  [{ layers: [] }, []],
  [{ label: 'cancel' }, ['skill']],
  [{ kind: 'skill' }, ['skill']],
  [{ subject: 'ann' }, ['turn']],
  [{ subject: 'Ann' }, []],
  [{ source: 'author' }, ['skill']],
  [{ sourceTag: 'authored:desk' }, ['skill']],
  [{ turnId: 't1' }, ['turn']],
  [{ sessionId: 's' }, ['turn']],
  [{ occurredFrom: noon + 5 }, ['turn']],
  [{ occurredBefore: noon + 5 }, ['later', 'plain', 'skill', 'sooner']],
  [{ dueUntil: noon + 10 }, ['sooner']],
  [{ layers: ['episodic'], subject: 'bob' }, []],
]

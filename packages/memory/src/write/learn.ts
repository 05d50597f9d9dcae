import { deriveId } from '../derive-id.ts'
import {
  type EntryDraft,
  type EntryLink,
  identityKind,
  type MemoryEntry,
  type StoredEntry,
} from '../entry.ts'
import type { ExtractionDirective, RelationDirective } from '../extraction/directive.ts'
import type { MemoryLayer } from '../layer.ts'
import { memoryLimits } from '../limits.ts'
import { parseEntry } from '../parse-entry.ts'
import { fingerprintRecalled } from '../render-fingerprint.ts'
import type { Scope } from '../scope.ts'
import type { EntryPut, MemoryStore } from '../store.ts'

/** @see planDirectives */
export interface LearnOptions {
  readonly turnId: string
  /** Epoch milliseconds. */
  readonly now: number
}

/** What a model noted, as changes of a store. */
export interface LearningPlan {
  readonly put: readonly EntryPut[]
  /** Ids that are known already and were said again. */
  readonly confirmed: readonly string[]
  /** Relations and corrections whose other end is not remembered, or not to be replaced by a model. */
  readonly unresolved: number
}

/**
 * Turns what a model noted into changes, reading what they refer to. Ids come from what is said and not
 * from the turn, so a fact noted twice is one entry. Entries that change carry the version they were read
 * at: a plan that is too old does not commit, and is made anew.
 *
 * A correction supersedes what it replaces; both are kept and name each other. One whose old text is not
 * found becomes a plain fact, and so does one of what an author or this package wrote, or of a skill.
 */
export async function planDirectives(
  store: MemoryStore,
  scope: Scope,
  directives: readonly ExtractionDirective[],
  { turnId, now }: LearnOptions,
): Promise<LearningPlan> {
  const put = new Map<string, EntryPut>()
  const confirmed: string[] = []
  let unresolved = 0

  const current = async (id: string): Promise<StoredEntry | undefined> => {
    const planned = put.get(id)
    if (planned !== undefined) return { ...planned.entry, version: planned.expectedVersion ?? 0 }
    return (await store.get(scope, [id]))[0]
  }
  const change = ({ version, ...entry }: StoredEntry): void => {
    put.set(entry.id, { entry, expectedVersion: version })
  }
  const add = async (draft: EntryDraft): Promise<StoredEntry> => {
    const made = parseEntry(draft, { now })
    const id = draft.id ?? deriveId({ ...made, provenance: { source: 'extraction' } })
    const there = await current(id)
    if (there !== undefined) {
      if (!put.has(id)) confirmed.push(id)
      return there
    }
    const added = { ...made, id, version: 0 }
    change(added)
    return added
  }

  for (const directive of directives) {
    const provenance = { source: 'extraction', turnId } as const
    switch (directive.kind) {
      case 'fact':
      case 'preference':
        await add({ ...directive, layer: 'semantic', provenance })
        break
      case 'episode':
        await add({ ...directive, layer: 'episodic', provenance })
        break
      case 'intention':
        await add({ ...directive, layer: 'prospective', provenance })
        break
      case 'entity': {
        const { id, label, type, content } = directive
        await add({
          layer: 'semantic',
          kind: 'entity',
          label,
          subject: label,
          content: content ?? `${label} (${type})`,
          metadata: { type },
          provenance,
          ...(id !== undefined && { id }),
        })
        break
      }
      case 'relation': {
        const [from, to] = await findEnds(store, scope, directive, put)
        const there = from === undefined ? undefined : await current(from)
        if (there === undefined || to === undefined || from === to) unresolved += 1
        else change(withLink(there, { to, relation: directive.relation, weight: 1 }, now))
        break
      }
      case 'correction': {
        const { replaces, kind: _, ...said } = directive
        const old = await findReplaced(store, scope, replaces)
        const added = await add({
          layer: 'semantic',
          kind: old?.kind ?? 'fact',
          ...(old?.label !== undefined && { label: old.label }),
          ...(old?.subject !== undefined && { subject: old.subject }),
          ...said,
          provenance,
          ...(old !== undefined && { supersedes: [old.id] }),
        })
        if (old === undefined) unresolved += 1
        else if (old.id !== added.id) {
          change({ ...old, supersededBy: added.id, updatedAt: now })
          change(withSuperseded(added, old.id))
        }
        break
      }
    }
  }
  return { put: [...put.values()], confirmed, unresolved }
}

/** What was known already names what it replaces, too. */
function withSuperseded(entry: StoredEntry, id: string): StoredEntry {
  const supersedes = new Set([...(entry.supersedes ?? []), id])
  return { ...entry, supersedes: [...supersedes].slice(-memoryLimits.supersedes) }
}

/** Adds a link, keeping within the bound by letting the weakest go. */
function withLink(entry: StoredEntry, link: EntryLink, now: number): StoredEntry {
  const others = entry.links.filter(({ to, relation }) => {
    return to !== link.to || relation !== link.relation
  })
  const links = [link, ...others].sort((one, other) => other.weight - one.weight)
  return { ...entry, links: links.slice(0, memoryLimits.links), updatedAt: now }
}

async function findEnds(
  store: MemoryStore,
  scope: Scope,
  { from, to }: RelationDirective,
  put: ReadonlyMap<string, EntryPut>,
): Promise<[from: string | undefined, to: string | undefined]> {
  const find = async (name: string): Promise<string | undefined> => {
    const planned = [...put.values()].find(({ entry }) => isEntityCalled(entry, name))
    if (planned !== undefined) return planned.entry.id
    const filter = { kind: 'entity', label: name }
    const { entries } = await store.list(scope, { filter, limit: 1 })
    return entries[0]?.id ?? (await getIfId(store, scope, name))?.id
  }
  return [await find(from), await find(to)]
}

function isEntityCalled(entry: MemoryEntry, name: string): boolean {
  return entry.kind === 'entity' && (entry.label === name || entry.id === name)
}

/** What a correction replaces: an entry by id, or the one whose words are those. */
async function findReplaced(
  store: MemoryStore,
  scope: Scope,
  replaces: string,
): Promise<StoredEntry | undefined> {
  const byId = await getIfId(store, scope, replaces)
  if (byId !== undefined) return mayBeReplaced(byId) ? byId : undefined
  if (!store.capabilities.ranksByText) return undefined
  const filter = { layers: ['semantic', 'prospective'] } as const
  const ranked = await store.search(scope, replaces, { limit: 5, filter })
  const entries = await store.get(
    scope,
    ranked.map(({ id }) => id),
  )
  // Only what says the same is replaced: a wrong guess would hide something that still holds.
  return entries.find((entry) => {
    const { content } = entry
    return (
      mayBeReplaced(entry) &&
      (fingerprintRecalled([content]).covers(replaces) ||
        fingerprintRecalled([replaces]).covers(content))
    )
  })
}

/** Layers in which a model may put right what is remembered. */
const correctable: readonly MemoryLayer[] = ['semantic', 'episodic', 'prospective']

/** A model may not replace what a person or this package wrote: skills, the identity, corrections. */
function mayBeReplaced({ layer, kind, provenance, supersededBy }: StoredEntry): boolean {
  const isOthers = provenance.source === 'author' || provenance.source === 'system'
  return (
    supersededBy === undefined && correctable.includes(layer) && !isOthers && kind !== identityKind
  )
}

async function getIfId(
  store: MemoryStore,
  scope: Scope,
  text: string,
): Promise<StoredEntry | undefined> {
  if (text.length > memoryLimits.idChars || text.includes('\u0000') || !text.isWellFormed()) {
    return undefined
  }
  return (await store.get(scope, [text]))[0]
}

import { identityKind, type StoredEntry } from './entry.ts'
import { MemoryError } from './errors.ts'
import { matchesSelector } from './in-memory/matches-filter.ts'
import { memoryLimits } from './limits.ts'
import { listAll, listPages } from './list-all.ts'
import { parseSelector } from './parse-query.ts'
import { sayingOf } from './recall/said-once.ts'
import { fingerprintRecalled } from './render-fingerprint.ts'
import type { Scope } from './scope.ts'
import type { MemoryStore, RemoveSelector } from './store.ts'
import { isCopyOf } from './working.ts'
import { withoutTexts } from './write/without-texts.ts'

/** Times it is tried while others change what is to be forgotten, or what stands beside it. */
const mostTries = 5

/**
 * Removes entries, and what would still say the same: working copies, what they superseded, the
 * newer entry that a merge kept in their place, and their words in the context of what was said after them. With what is
 * selected by its id goes what says the same in the same layer, of which recall shows one; an agent's identity only by its own.
 *
 * What is selected goes last, so that forgetting that was cut short can be asked for again.
 *
 * @returns how many entries were removed.
 * @throws MemoryError - `MEMORY_QUERY_INVALID` for the selector, `MEMORY_STORE_FAILED` when others kept changing
 * the conversation, and what the store throws.
 */
export async function forgetEntries(
  store: MemoryStore,
  scope: Scope,
  given: RemoveSelector,
): Promise<number> {
  const selector = parseSelector(given)
  if ('everything' in selector) return store.remove(scope, selector)
  for (let attempt = 0; attempt < mostTries; attempt += 1) {
    const selected = await selectedBy(store, scope, selector)
    const { gone, sessions } = await withTheirLike(store, scope, selected, 'ids' in selector)
    const isRewritten = await rewrite(store, scope, gone, sessions)
    if (!isRewritten) continue
    const asked = new Set(selected.map(({ id }) => id))
    const others = [...gone.keys()].filter((id) => !asked.has(id))
    let removed = 0
    for (const ids of pagesOf(others)) removed += await store.remove(scope, { ids })
    return removed + (await store.remove(scope, selector))
  }
  throw new MemoryError(
    'MEMORY_STORE_FAILED',
    'Others kept changing what was to be forgotten, and it is still there. Ask for it again.',
  )
}

async function selectedBy(
  store: MemoryStore,
  scope: Scope,
  selector: Exclude<RemoveSelector, { everything: true }>,
): Promise<readonly StoredEntry[]> {
  if ('ids' in selector) return store.get(scope, selector.ids)
  if ('subject' in selector) return listAll(store, scope, { subject: selector.subject })
  const { author: _, tool: __, ...filter } = selector.source
  const entries = await listAll(store, scope, filter)
  return entries.filter((entry) => matchesSelector(entry, selector))
}

/** Adds what says the same as entries that are to go, and lists the conversations they stand in. */
async function withTheirLike(
  store: MemoryStore,
  scope: Scope,
  selected: readonly StoredEntry[],
  isById: boolean,
): Promise<{
  gone: ReadonlyMap<string, StoredEntry>
  sessions: ReadonlyMap<string, readonly StoredEntry[]>
}> {
  const gone = new Map(selected.map((entry) => [entry.id, entry]))
  const sessions = new Map<string, readonly StoredEntry[]>()
  const sayings = new Set<string>()
  let added = selected
  while (added.length > 0) {
    const found = [
      ...(await olderThan(store, scope, added)),
      ...(await sameButNewer(store, scope, added)),
      ...(await copiesOf(store, scope, added, sessions)),
      ...(isById ? await saidAgain(store, scope, added, sayings) : []),
    ].filter(({ id }) => !gone.has(id))
    for (const entry of found) gone.set(entry.id, entry)
    added = [...new Map(found.map((entry) => [entry.id, entry])).values()]
  }
  return { gone, sessions }
}

/** What the entries superseded. */
async function olderThan(
  store: MemoryStore,
  scope: Scope,
  entries: readonly StoredEntry[],
): Promise<readonly StoredEntry[]> {
  const ids = new Set(entries.map(({ id }) => id))
  // An entry that superseded more than it can name does not know the first of them.
  const isFull = entries.some(({ supersedes = [] }) => supersedes.length >= memoryLimits.supersedes)
  const older = isFull
    ? await listAll(store, scope, { status: 'superseded' })
    : await getAll(
        store,
        scope,
        entries.flatMap(({ supersedes = [] }) => supersedes),
      )
  return older.filter(({ supersededBy }) => supersededBy !== undefined && ids.has(supersededBy))
}

/** Entries that took the place of others and say what those said: what a merge kept. */
async function sameButNewer(
  store: MemoryStore,
  scope: Scope,
  entries: readonly StoredEntry[],
): Promise<readonly StoredEntry[]> {
  const same: StoredEntry[] = []
  const seen = new Set<string>()
  let below = entries.map((entry) => ({ entry, contents: [entry.content] }))
  while (below.length > 0) {
    const wanted = below.flatMap(({ entry }) => entry.supersededBy ?? [])
    const newer = await getAll(store, scope, wanted)
    below = newer
      .filter(({ id }) => !seen.has(id))
      .map((entry) => ({
        entry,
        contents: below.flatMap((each) => {
          return each.entry.supersededBy === entry.id ? each.contents : []
        }),
      }))
    for (const { entry, contents } of below) {
      seen.add(entry.id)
      if (fingerprintRecalled(contents).covers(entry.content)) same.push(entry)
    }
  }
  return same
}

async function copiesOf(
  store: MemoryStore,
  scope: Scope,
  entries: readonly StoredEntry[],
  sessions: Map<string, readonly StoredEntry[]>,
): Promise<readonly StoredEntry[]> {
  const copies: StoredEntry[] = []
  const bySession = Map.groupBy(entries, ({ sequence }) => sequence?.sessionId)
  for (const [sessionId, there] of bySession) {
    if (sessionId === undefined) continue
    const known = sessions.get(sessionId) ?? (await listAll(store, scope, { sessionId }))
    sessions.set(sessionId, known)
    const alike = isCopyOf(there)
    copies.push(...known.filter(alike))
  }
  return copies
}

/** What says the same as the entries. Recall shows one of them, and would show the next when that is gone. */
async function saidAgain(
  store: MemoryStore,
  scope: Scope,
  entries: readonly StoredEntry[],
  known: Set<string>,
): Promise<readonly StoredEntry[]> {
  const news = entries.filter((entry) => !known.has(sayingOf(entry)))
  if (news.length === 0) return []
  const sayings = new Set(news.map(sayingOf))
  for (const saying of sayings) known.add(saying)
  const layers = [...new Set(news.map(({ layer }) => layer))]
  const same: StoredEntry[] = []
  for await (const page of listPages(store, scope, { layers })) {
    // Whoever noted the words of the identity, and had that forgotten, would else take the identity away.
    const others = page.filter(({ kind }) => kind !== identityKind)
    same.push(...others.filter((entry) => sayings.has(sayingOf(entry))))
  }
  return same
}

/** Takes the words of what goes out of what was said after it. @returns false when others changed it meanwhile. */
async function rewrite(
  store: MemoryStore,
  scope: Scope,
  gone: ReadonlyMap<string, StoredEntry>,
  sessions: ReadonlyMap<string, readonly StoredEntry[]>,
): Promise<boolean> {
  const puts = [...sessions.values()].flatMap((session) => {
    const texts = session.filter(({ id }) => gone.has(id)).map(({ content }) => content)
    const left = session.filter(({ id }) => !gone.has(id))
    return withoutTexts(left, texts)
  })
  for (const put of pagesOf(puts)) {
    if (!(await store.write(scope, { put })).committed) return false
  }
  return true
}

async function getAll(
  store: MemoryStore,
  scope: Scope,
  ids: readonly string[],
): Promise<readonly StoredEntry[]> {
  const entries: StoredEntry[] = []
  for (const page of pagesOf([...new Set(ids)])) entries.push(...(await store.get(scope, page)))
  return entries
}

function pagesOf<Item>(items: readonly Item[]): readonly Item[][] {
  const pages: Item[][] = []
  for (let from = 0; from < items.length; from += memoryLimits.batch) {
    pages.push(items.slice(from, from + memoryLimits.batch))
  }
  return pages
}

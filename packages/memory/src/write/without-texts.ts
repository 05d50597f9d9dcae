import type { StoredEntry } from '../entry.ts'
import { parseEntry } from '../parse-entry.ts'
import type { EntryPut } from '../store.ts'
import { contextOf, earlierText, contextSeparator as separator } from './turn-entries.ts'

/**
 * Makes the contexts of a conversation anew where they hold texts that are no longer there, of what is
 * still said before. Pure; each change carries the version that was read.
 *
 * @param session - What is left of the conversation, superseded entries included.
 * @param texts - The contents that went.
 */
export function withoutTexts(
  session: readonly StoredEntry[],
  texts: readonly string[],
): readonly EntryPut[] {
  const gone = new Set(texts.map(earlierText))
  if (gone.size === 0) return []
  const ordered = [...session].sort((one, other) => placeOf(one) - placeOf(other))
  const said = ordered.filter(({ kind, layer, supersededBy }) => {
    return kind === 'turn' && layer === 'episodic' && supersededBy === undefined
  })
  let earlier = 0
  return ordered.flatMap((stored): EntryPut[] => {
    for (let at = said[earlier]; at !== undefined && placeOf(at) < placeOf(stored); ) {
      earlier += 1
      at = said[earlier]
    }
    const { version, context, ...entry } = stored
    if (context === undefined) return []
    const { provenance, occurredAt } = entry
    const speaker = provenance.author ?? provenance.tool ?? provenance.source
    const about = { speaker, at: occurredAt }
    if (!holdsAny(context, contextOf({ ...about, before: [] }), gone)) return []
    const before = said.slice(Math.max(0, earlier - 2), earlier).map(({ content }) => content)
    const remade = contextOf({ ...about, before })
    if (remade === context) return []
    const rewritten = parseEntry({ ...entry, context: remade }, { now: entry.createdAt })
    return [{ entry: rewritten, expectedVersion: version }]
  })
}

/** Whether one of the two texts that follow the head of a context is among these. */
function holdsAny(context: string, head: string, texts: ReadonlySet<string>): boolean {
  // What a host wrote itself may hold them anywhere.
  if (!context.startsWith(head)) return [...texts].some((text) => context.includes(text))
  const rest = context.slice(head.length + separator.length)
  if (texts.has(rest)) return true
  for (let at = rest.indexOf(separator); at !== -1; at = rest.indexOf(separator, at + 1)) {
    if (texts.has(rest.slice(0, at)) || texts.has(rest.slice(at + separator.length))) return true
  }
  return false
}

function placeOf({ sequence }: StoredEntry): number {
  return sequence?.index ?? 0
}

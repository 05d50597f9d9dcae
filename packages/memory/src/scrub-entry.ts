import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { EntryDraft } from './entry.ts'
import { memoryLimits } from './limits.ts'
import { copyPlainJson } from './plain-json.ts'
import type { Scrubber } from './scrub.ts'

/** What this package makes is a digest, and holds nothing to be found. */
const madeId = /^(?:w_)?[mr]_[0-9a-f]{32}$/

/**
 * An id that can be kept. One in which the scrubber finds a secret is replaced by `r_` and 128 bits of its
 * SHA-256: what was equal stays equal, and the secret is not kept. Every other id is returned as it is.
 */
export function scrubId(id: string, scrubber: Scrubber): string {
  if (madeId.test(id) || scrubber.text(id).kinds.length === 0) return id
  return `r_${bytesToHex(sha256(utf8ToBytes(id))).slice(0, 32)}`
}

/** A text of limited length, such as a label, without its secrets. A placeholder may be cut at the limit. */
export function scrubName(
  name: string,
  scrubber: Scrubber,
  limit: number = memoryLimits.nameChars,
): string {
  const { text } = scrubber.text(name)
  return text === name ? name : text.slice(0, limit).toWellFormed()
}

/**
 * An entry, or a draft of one, without secrets in any of its texts: content, context, names, origin, links
 * and place are searched, metadata and predicate as `Scrubber.properties` does. Ids go through `scrubId`.
 * What is malformed is left as it is, for `parseEntry` to refuse. The entry itself where nothing was found.
 *
 * @see MEM-21
 */
export function scrubEntry<Entry extends EntryDraft>(entry: Entry, scrubber: Scrubber): Entry {
  const id = (value: string) => scrubId(value, scrubber)
  const name = (value: string) => scrubName(value, scrubber)
  const within = (limit: number) => (value: string) => scrubName(value, scrubber, limit)
  const change = records({
    content: texts(within(memoryLimits.contentChars)),
    context: texts(within(memoryLimits.contextChars)),
    label: texts(name),
    kind: texts(name),
    subject: texts(name),
    id: texts(id),
    supersedes: lists(texts(id)),
    supersededBy: texts(id),
    provenance: records({
      turnId: texts(id),
      tool: texts(name),
      author: texts(name),
      sourceTag: texts(name),
    }),
    links: lists(records({ to: texts(id), relation: texts(name) })),
    sequence: records({ sessionId: texts(id) }),
    metadata: properties,
    duePredicate: properties,
  })
  return change(entry) as Entry

  function properties(value: unknown): unknown {
    if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return value
    // Scrubbing leaves out what it cannot search: what is no plain JSON would look as if it were.
    const copied = copyPlainJson(value, metadataBounds)
    return copied.ok ? scrubber.properties(copied.value) : value
  }
}

const { jsonDepth: depth, jsonValues: values, jsonChars: chars } = memoryLimits
const metadataBounds = { depth, values, chars }

/** Makes another value of one, or returns it. */
export type Change = (value: unknown) => unknown

/** Changes some fields of a record. What is no record, or has nothing to change, is returned itself. */
export function records(changes: { readonly [key: string]: Change }): Change {
  return (whole) => {
    if (typeof whole !== 'object' || whole === null) return whole
    const made: { [key: string]: unknown } = {}
    for (const [key, change] of Object.entries(changes)) {
      if (!Object.hasOwn(whole, key)) continue
      const value: unknown = Reflect.get(whole, key)
      const next = change(value)
      if (next !== value) made[key] = next
    }
    return Object.keys(made).length === 0 ? whole : { ...whole, ...made }
  }
}

/** Changes a text, and passes over what is none. */
export function texts(change: (text: string) => string): Change {
  return (value) => (typeof value === 'string' ? change(value) : value)
}

/** Changes the items of a list. */
export function lists(change: Change): Change {
  return (value) => {
    if (!Array.isArray(value)) return value
    const items: readonly unknown[] = value
    const next = items.map(change)
    return next.some((item, index) => item !== items[index]) ? next : value
  }
}

import { type PreconditionEntry, parsePrecondition } from '@symfonic/predicates'
import { copyPlainJson, type PlainJson } from '../plain-json.ts'
import type { ExtractionDirective } from './directive.ts'
import { type ExtractionFault, extractionLimits } from './faults.ts'
import { parseInstant } from './instant.ts'

/** A directive, or the first fault of the line. */
export type ParsedDirective =
  | { readonly ok: true; readonly directive: ExtractionDirective }
  | { readonly ok: false; readonly fault: ExtractionFault }

/**
 * Reads one line of an extraction block. A line is one JSON object with the keys of its `kind` and no
 * others, so that a slip in a key costs the line and not the meaning. Never throws.
 */
export function parseDirective(line: string): ParsedDirective {
  if (line.length > extractionLimits.lineChars) return fault('line-too-large')
  let source: unknown
  try {
    source = JSON.parse(line)
  } catch {
    return fault('not-json')
  }
  if (typeof source !== 'object' || source === null || Array.isArray(source)) {
    return fault('not-an-object')
  }
  const record = source as Record<string, unknown>
  const kind = Object.hasOwn(record, 'kind') ? record['kind'] : undefined
  if (typeof kind !== 'string' || !Object.hasOwn(shapes, kind)) return fault('unknown-kind')
  return readFields(record, kind as Kind)
}

/** How one value is read: undefined refuses it. */
type Reader = (value: unknown) => unknown

interface Field {
  /** The key in code. */
  readonly to: string
  readonly read: Reader
  readonly required?: true
}

type Kind = ExtractionDirective['kind']

const content: Field = {
  to: 'content',
  read: textUpTo(extractionLimits.contentChars),
  required: true,
}
const name = textUpTo(extractionLimits.nameChars)
const statement = {
  content,
  subject: { to: 'subject', read: name },
  label: { to: 'label', read: name },
  importance: { to: 'importance', read: importance },
} satisfies Record<string, Field>

/** The keys of each kind as a model writes them. The templates describe the same. */
const shapes: Readonly<Record<Kind, Readonly<Record<string, Field>>>> = {
  fact: statement,
  preference: statement,
  entity: {
    label: { to: 'label', read: name, required: true },
    type: { to: 'type', read: name, required: true },
    id: { to: 'id', read: name },
    content: { to: 'content', read: content.read },
  },
  relation: {
    from: { to: 'from', read: name, required: true },
    relation: { to: 'relation', read: name, required: true },
    to: { to: 'to', read: name, required: true },
  },
  episode: { ...statement, occurred_at: { to: 'occurredAt', read: instant } },
  intention: {
    ...statement,
    due_at: { to: 'dueAt', read: instant },
    when: { to: 'duePredicate', read: predicates },
  },
  correction: {
    ...statement,
    replaces: { to: 'replaces', read: textUpTo(extractionLimits.contentChars), required: true },
  },
}

function readFields(record: Record<string, unknown>, kind: Kind): ParsedDirective {
  const shape = shapes[kind]
  const fields: Record<string, unknown> = { kind }
  for (const key of Object.keys(record)) {
    if (key !== 'kind' && !Object.hasOwn(shape, key)) return fault('unknown-key')
  }
  for (const [key, { to, read, required }] of Object.entries(shape)) {
    // A model writes null where it has nothing to say.
    const value = Object.hasOwn(record, key) ? (record[key] ?? undefined) : undefined
    if (value === undefined) {
      if (required) return fault('missing-key')
      continue
    }
    const taken = read(value)
    if (taken === undefined) return fault('invalid-value')
    fields[to] = taken
  }
  if (kind === 'intention' && !('dueAt' in fields) && !('duePredicate' in fields)) {
    return fault('missing-key')
  }
  const directive: unknown = Object.freeze(fields)
  return { ok: true, directive: directive as ExtractionDirective }
}

/** Text that can be kept as it is: not blank, whole characters, no controls but line break and tab. */
function textUpTo(chars: number): Reader {
  return (value) => {
    if (typeof value !== 'string') return undefined
    const text = value.trim()
    const isUsable = text !== '' && text.length <= chars && text.isWellFormed()
    return isUsable && !/[^\P{Cc}\n\t]/u.test(text) ? text : undefined
  }
}

function importance(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= 10 ? value : undefined
}

function instant(value: unknown): number | undefined {
  return typeof value === 'string' ? parseInstant(value) : undefined
}

/** `{ path, op, value }` or a list of them, as entries of a precondition. */
function predicates(value: unknown): readonly PreconditionEntry[] | undefined {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (list.length === 0) return undefined
  const entries = list.map((state) => ({ state }))
  const copied = copyPlainJson(entries, predicateBounds)
  if (!copied.ok) return undefined
  try {
    parsePrecondition(copied.value)
  } catch {
    return undefined
  }
  return asEntries(copied.value)
}

/** What `parsePrecondition` has just accepted is a list of entries. */
function asEntries(value: PlainJson): readonly PreconditionEntry[] {
  return value as readonly PreconditionEntry[]
}

const predicateBounds = { depth: 8, values: 200, chars: extractionLimits.lineChars }

function fault(reason: ExtractionFault): ParsedDirective {
  return { ok: false, fault: reason }
}

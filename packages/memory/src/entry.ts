import type { PreconditionSource } from '@symfonic/predicates'
import type { MemoryLayer } from './layer.ts'
import type { PlainJson } from './plain-json.ts'

/**
 * One thing that is remembered: plain, frozen data. `parseEntry` makes it of an `EntryDraft`, and is
 * the only way to make one. Times are epoch milliseconds. An optional key is left out or present,
 * never present and `undefined`.
 */
export interface MemoryEntry {
  /** Unique within the partition. Given by the writer, or derived from what the entry says. */
  readonly id: string
  readonly layer: MemoryLayer
  /** What is remembered, as it may be shown. Not blank. */
  readonly content: string
  /** Text that finds this entry and is never shown: the turn before, the speaker, the day in words. */
  readonly context?: string
  /** The block it belongs to, or the name of a skill (SKILL-05). */
  readonly label?: string
  /** What it is, in a word: `fact`, `preference`, `entity`, `turn`, `AGENT_IDENTITY`, … */
  readonly kind?: string
  /** Whom or what it is about; what "forget everything about" goes by. */
  readonly subject?: string
  /** 0 to 10; 5 by default, 9 for an agent's identity (MEM-48). */
  readonly importance: number
  /** When it was first written. */
  readonly createdAt: number
  /** When its content, or what is said about it, was last written. Recalling it leaves this alone. */
  readonly updatedAt: number
  /** When what it tells of happened; `createdAt` unless the writer knows better. */
  readonly occurredAt: number
  /** When it was last recalled. */
  readonly lastRecalledAt?: number
  /** How often it was recalled. */
  readonly recallCount: number
  /** 0 to 1: grows when it is recalled, shrinks while it is not. 0.5 by default. */
  readonly strength: number
  /** Where it comes from. */
  readonly provenance: Provenance
  /** Ids of older entries that this one replaces. They are kept, and name this one. */
  readonly supersedes?: readonly string[]
  /** The id of the newer entry that replaces this one. Left out of recall, still to be inspected. */
  readonly supersededBy?: string
  /** Ties to other entries of the same partition. A link to what is not there is no link. */
  readonly links: readonly EntryLink[]
  /** The host's own data, frozen. */
  readonly metadata: Readonly<Record<string, PlainJson>>
  /** When an intention comes due. Only in the prospective layer. */
  readonly dueAt?: number
  /** The state in which an intention comes due, as its author wrote it; no tools. Only in the prospective layer. */
  readonly duePredicate?: PreconditionSource
  /** Where it stands in a conversation. */
  readonly sequence?: ConversationPlace
  /** The vector of an embedding model, kept as it was given. */
  readonly embedding?: Float32Array
}

/** A stored entry carries its version. */
export interface StoredEntry extends MemoryEntry {
  /** 1 when first written, one more with every change, being recalled included. */
  readonly version: number
}

/** Where an entry comes from. */
export interface Provenance {
  /**
   * `turn`: said in a conversation. `tool`: a tool's result. `author`: written by a person who
   * configures the agent. `extraction`: a model's note about a turn. `system`: this package.
   */
  readonly source: ProvenanceSource
  /** The turn it was written in. */
  readonly turnId?: string
  /** The tool, for `tool`. */
  readonly tool?: string
  /** The speaker or writer. */
  readonly author?: string
  /** The set it was authored in, such as `authored:support-team` (SKILL-04). */
  readonly sourceTag?: string
}

/** Every value of `Provenance.source`. */
export const provenanceSources = ['turn', 'tool', 'author', 'extraction', 'system'] as const

/** One of `provenanceSources`; `Provenance.source` says what each means. */
export type ProvenanceSource = (typeof provenanceSources)[number]

/** A tie from one entry to another. */
export interface EntryLink {
  /** The id of the other entry. */
  readonly to: string
  /** How they are related, in a word. */
  readonly relation: string
  /** Above 0, up to 1; 1 by default. */
  readonly weight: number
}

/** A place in a conversation: neighbours have the same session and an index nearby. */
export interface ConversationPlace {
  readonly sessionId: string
  /** A whole number from 0. */
  readonly index: number
}

/** An entry as a writer gives it: layer, content and where it comes from; the rest has defaults. */
export interface EntryDraft
  extends Omit<
    Partial<MemoryEntry>,
    'layer' | 'content' | 'provenance' | 'links' | 'metadata' | 'embedding'
  > {
  layer: MemoryLayer
  content: string
  provenance: Provenance
  links?: readonly (Omit<EntryLink, 'weight'> & { weight?: number })[]
  /** Anything that survives as plain JSON; checked, bounded and copied. */
  metadata?: Readonly<Record<string, unknown>>
  /** Finite numbers; a list is copied into a `Float32Array`. */
  embedding?: Float32Array | readonly number[]
}

/** What kind an agent's identity is stored as. It neither decays nor merges. @see MEM-46, MEM-48 */
export const identityKind = 'AGENT_IDENTITY'

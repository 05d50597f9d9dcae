import type { ConversationPlace, MemoryEntry, ProvenanceSource, StoredEntry } from './entry.ts'
import type { JobClaim, JobQueue } from './job-queue.ts'
import type { MemoryLayer } from './layer.ts'
import type { Scope } from './scope.ts'

/**
 * Where entries are kept. Three ship with the package; `describeMemoryStore` of
 * `@symfonic/memory/testing` checks any other.
 *
 * Evolution: a method is never made optional and never removed within a major version. A new one
 * arrives with a flag in `capabilities`, false meaning that callers do without.
 *
 * What holds for every method:
 *
 * INVARIANT: the scope is the first argument, and `partitionKey(scope)` is the first thing computed.
 * A missing scope rejects with `MEMORY_SCOPE_REQUIRED`.
 * INVARIANT: one scope is one partition. Nothing written under one scope is seen, counted, ranked,
 * changed or removed under another, wider and narrower ones included. Inheritance is the caller's.
 * INVARIANT: what is answered is frozen, or a copy: writing on it changes nothing stored.
 * INVARIANT: a write that resolved is seen by every later call, of this process and of any other that
 * shares the database.
 * INVARIANT: filter, limits, entries and ids are checked with `parseWrite`, `parseFilter`, … before anything is
 * read or written; what is malformed rejects with a `MemoryError` and changes nothing.
 * INVARIANT: what the database throws is rejected as `MEMORY_STORE_FAILED` with `cause`; after
 * `close`, everything rejects with `MEMORY_STORE_CLOSED`.
 */
export interface MemoryStore {
  /** What this store can do. Callers read it and infer nothing. */
  readonly capabilities: StoreCapabilities

  /**
   * Puts and removes entries, and completes a job, in one transaction.
   *
   * INVARIANT: all or nothing, also when the process is killed. `committed: false` means that
   * nothing was written.
   * INVARIANT: two writers never lose an update: `expectedVersion` is compared in the transaction.
   * INVARIANT: a put that replaces keeps `createdAt` of what it replaces.
   * INVARIANT: with `completes`, the write commits only while that claim still holds, and the job is
   * done with it. So a job takes effect at most once, however often it is claimed.
   */
  write(scope: Scope, write: StoreWrite): Promise<WriteOutcome>

  /** Entries by id, in the order asked, superseded ones included. Ids that are not there are left out. */
  get(scope: Scope, ids: readonly string[]): Promise<readonly StoredEntry[]>

  /** One page of the entries a filter lets through, in a stable order. */
  list(scope: Scope, options?: ListOptions): Promise<EntryPage>

  /**
   * Ids ranked by how well their text matches, best first; `score` is above 0 and comparable within
   * one answer only. The words are those of `searchTerms`, any of them may match, and content counts
   * for more than context. A text without words finds nothing. Equal scores: by id.
   *
   * @throws MemoryError - `MEMORY_STORE_UNSUPPORTED` where `ranksByText` is false.
   */
  search(scope: Scope, text: string, options: SearchOptions): Promise<readonly Ranked[]>

  /**
   * Ids ranked by cosine similarity, best first; `score` is the similarity, -1 to 1. Entries without an
   * embedding, and with one of other dimensions, are not considered.
   *
   * @throws MemoryError - `MEMORY_STORE_UNSUPPORTED` where `ranksByVector` is false.
   */
  searchVector(
    scope: Scope,
    embedding: Float32Array,
    options: SearchOptions,
  ): Promise<readonly Ranked[]>

  /**
   * Entries of the same conversation, up to `radius` steps to either side of any of the places, those
   * at the places included. Each once, by session and index; superseded ones are left out.
   */
  neighbours(
    scope: Scope,
    places: readonly ConversationPlace[],
    options: { radius: number },
  ): Promise<readonly StoredEntry[]>

  /**
   * The links that begin or end at any of these ids and whose two ends exist in the partition and are
   * not superseded, each once. Strongest first, then by ids; at most `limit`.
   */
  linked(
    scope: Scope,
    ids: readonly string[],
    options: { limit: number },
  ): Promise<readonly StoredLink[]>

  /**
   * Records that entries were recalled: adds 1 to `recallCount`, sets `lastRecalledAt` to the later of
   * the two times, adds `gain` to `strength` (kept within 0 and 1), adds 1 to `version`. Ids that are
   * not there are passed over; an id given twice counts once.
   *
   * @returns how many entries were touched.
   */
  touch(
    scope: Scope,
    ids: readonly string[],
    options: { at: number; gain?: number },
  ): Promise<number>

  /**
   * Removes entries for good: from the text index, the vectors and the links as well.
   *
   * INVARIANT: afterwards nothing of them is found by any method, and the database is told to overwrite
   * their text where it can. What other entries say stays: `Memory.forget` looks after copies and contexts.
   *
   * @returns how many entries were removed.
   */
  remove(scope: Scope, selector: RemoveSelector): Promise<number>

  /** What there is, one line a layer and label, by layer and label; superseded entries are not counted. At most 1,000. */
  describe(scope: Scope): Promise<readonly StoredBlock[]>

  /** Every entry of the scope, superseded ones included, by id. What is written meanwhile may be missed. */
  export(scope: Scope): AsyncIterable<StoredEntry>

  /** Work to be done later, kept in the same database as the entries. */
  readonly jobs: JobQueue

  /** Lets go of what the store opened itself. Calling it again does nothing. */
  close(): Promise<void>
}

/** What a store declares about itself. */
export interface StoreCapabilities {
  /** `search` works. */
  readonly ranksByText: boolean
  /** `searchVector` works. */
  readonly ranksByVector: boolean
  /** Entries outlive the process. */
  readonly isDurable: boolean
}

/** One change of a store, applied as a whole. */
export interface StoreWrite {
  readonly put?: readonly EntryPut[]
  /** Ids to remove. Those that are not there are passed over. */
  readonly remove?: readonly string[]
  /** The claim of the job this write is the effect of. */
  readonly completes?: JobClaim
}

/** An entry to be put, and what must be true of the one that is there. */
export interface EntryPut {
  readonly entry: MemoryEntry
  /**
   * The version that must be there, 0 for none. Another one is a conflict: nothing of the write is
   * done. By default whatever is there is replaced.
   */
  readonly expectedVersion?: number
  /** `keep`: an entry that is there already stays as it is, and that is a success. So a turn can be written again. */
  readonly ifExists?: 'replace' | 'keep'
}

/** What became of a write. */
export type WriteOutcome =
  | {
      readonly committed: true
      /** One per put, in order. */
      readonly entries: readonly PutOutcome[]
      /** How many of `remove` were there. */
      readonly removed: number
    }
  | {
      readonly committed: false
      /** `version`: another version was there. `job-lost`: the claim no longer holds, or the job is done. */
      readonly reason: 'version' | 'job-lost'
      /** The ids whose version was another one; empty for `job-lost`. */
      readonly conflicts: readonly string[]
    }

/** What became of one put. */
export interface PutOutcome {
  readonly id: string
  readonly status: 'created' | 'replaced' | 'kept'
  /** The version that is there now. */
  readonly version: number
}

/** Which entries are meant. Every key narrows; an absent key does not. */
export interface EntryFilter {
  readonly layers?: readonly MemoryLayer[]
  readonly label?: string
  readonly kind?: string
  readonly subject?: string
  readonly source?: ProvenanceSource
  readonly sourceTag?: string
  readonly turnId?: string
  readonly sessionId?: string
  /** Happened at or after this time. */
  readonly occurredFrom?: number
  /** Happened before this time. */
  readonly occurredBefore?: number
  /** Has a `dueAt` at or before this time. */
  readonly dueUntil?: number
  /** `current` (the default): not superseded. `superseded`: only those that are. `all`: both. */
  readonly status?: 'current' | 'superseded' | 'all'
}

/** What `MemoryStore.list` is asked for. */
export interface ListOptions {
  readonly filter?: EntryFilter
  /**
   * `oldest` and `newest` go by `occurredAt`, then, in the same direction, by the index in the
   * conversation (0 without one) and by id. `due` goes by `dueAt`, then id, earliest first, and leaves
   * out entries without one. `newest` by default. How ids compare is the store's own, and stable.
   */
  readonly order?: 'newest' | 'oldest' | 'due'
  /** Entries in a page, 1 to 1,000; 100 by default. */
  readonly limit?: number
  /** `next` of the page before, with the same filter and order. */
  readonly cursor?: string
}

/** A page that `MemoryStore.list` answers. */
export interface EntryPage {
  readonly entries: readonly StoredEntry[]
  /** Where the next page begins. Absent after the last one. */
  readonly next?: string
}

/** What both searches of a store are asked for. */
export interface SearchOptions {
  /** Results wanted at most, 1 to 1,000. */
  readonly limit: number
  readonly filter?: EntryFilter
}

/** One result of a search. */
export interface Ranked {
  readonly id: string
  readonly score: number
}

/** A link with both its ends, as `MemoryStore.linked` answers it. */
export interface StoredLink {
  readonly from: string
  readonly to: string
  readonly relation: string
  readonly weight: number
}

/** What to remove: entries by id, by where they come from, by whom they are about, or all of the scope. */
export type RemoveSelector =
  | { readonly ids: readonly string[] }
  | {
      /** At least one of its keys; an entry must match all that are given. */
      readonly source: {
        readonly source?: ProvenanceSource
        readonly turnId?: string
        readonly tool?: string
        readonly author?: string
        readonly sourceTag?: string
        readonly sessionId?: string
      }
    }
  | { readonly subject: string }
  | {
      /** Everything of exactly this scope, its jobs included. */
      readonly everything: true
    }

/** One line of what there is. @see MEM-50, OPEN-MEM-8 */
export interface StoredBlock {
  readonly layer: MemoryLayer
  /** Absent for the entries without one. */
  readonly label?: string
  readonly count: number
  /** The latest `updatedAt`. */
  readonly lastUpdatedAt: number
  /** The greatest importance. */
  readonly maxImportance: number
}

import type { PreconditionEntry } from '@symfonic/predicates'

/** What a model noted for memory: plain, frozen data, checked. Times are epoch milliseconds. */
export type ExtractionDirective =
  | StatementDirective
  | EpisodeDirective
  | EntityDirective
  | RelationDirective
  | IntentionDirective
  | CorrectionDirective

/** Something that holds (`fact`), or that a person likes to have a certain way (`preference`). */
export interface StatementDirective {
  readonly kind: 'fact' | 'preference'
  /** One sentence that can be understood alone. */
  readonly content: string
  /** Whom or what it is about. */
  readonly subject?: string
  /** The block it belongs to. */
  readonly label?: string
  /** 0 to 10. */
  readonly importance?: number
}

/** Something that happened. */
export interface EpisodeDirective {
  readonly kind: 'episode'
  readonly content: string
  readonly subject?: string
  readonly label?: string
  readonly importance?: number
  /** When it happened; the turn's own time where it is absent. */
  readonly occurredAt?: number
}

/** A person, a place, a thing. */
export interface EntityDirective {
  readonly kind: 'entity'
  readonly label: string
  readonly type: string
  /** Its id among the known entities, where it is one. */
  readonly id?: string
  /** What it is, in a sentence. */
  readonly content?: string
}

/** How two entities are related. Either is named by its label or by its known id. */
export interface RelationDirective {
  readonly kind: 'relation'
  readonly from: string
  readonly relation: string
  readonly to: string
}

/** Something yet to be done. It has a time, a state, or both. */
export interface IntentionDirective {
  readonly kind: 'intention'
  readonly content: string
  readonly subject?: string
  readonly label?: string
  readonly importance?: number
  readonly dueAt?: number
  /** State predicates that must all hold; no tools. Parsed once already, so they are well-formed. */
  readonly duePredicate?: readonly PreconditionEntry[]
}

/** Something that was remembered and is no longer so. */
export interface CorrectionDirective {
  readonly kind: 'correction'
  /** What holds now. */
  readonly content: string
  /** What held before, as it is remembered, or its id. */
  readonly replaces: string
  readonly subject?: string
  readonly label?: string
  readonly importance?: number
}

/** Every `kind` a directive may have, in the order in which the prompt lists them. */
export const directiveKinds = Object.freeze([
  'fact',
  'preference',
  'entity',
  'relation',
  'episode',
  'intention',
  'correction',
] as const)

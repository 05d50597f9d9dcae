import type { YamlFaultCode } from './fault.ts'

/** A document as written: aliases not followed, merge keys not applied. Offsets count UTF-16 units. */
export type SyntaxNode = SyntaxScalar | SyntaxList | SyntaxMapping | SyntaxAlias

interface Written {
  /** Where the node begins, after its anchor and tag. */
  readonly offset: number
  readonly anchor?: string
  /** Where the node's tag stands, when it makes something else of the node than JSON can hold. */
  readonly refusedTagAt?: number
}

/** A text, number, boolean or null. */
export interface SyntaxScalar extends Written {
  readonly kind: 'scalar'
  readonly value: unknown
  /** As written, without quotes; `''` for a value that was left out. */
  readonly source: string
}

/** A list, in block or flow style. */
export interface SyntaxList extends Written {
  readonly kind: 'list'
  readonly items: readonly SyntaxNode[]
}

/** A mapping, in block or flow style. */
export interface SyntaxMapping extends Written {
  readonly kind: 'mapping'
  readonly pairs: readonly SyntaxPair[]
}

/** A key with its value. */
export interface SyntaxPair {
  readonly key: string
  readonly keyOffset: number
  /** True for a bare `<<`; in quotes it is a key like any other. */
  readonly isMerge: boolean
  readonly value: SyntaxNode
}

/** A reference to an anchored node. */
export interface SyntaxAlias extends Written {
  readonly kind: 'alias'
  readonly name: string
}

/** A fault that was found in the text alone. */
export interface SyntaxFault {
  readonly offset: number
  readonly code: YamlFaultCode
  readonly message: string
}

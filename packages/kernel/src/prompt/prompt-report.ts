import type { CacheTtl, ContextStrategy, PromptLayer, SectionPiece } from '../capability.ts'

/** `stratigraphic`: a region for each layer. `legacy`: one flat text without L1 and L2 (PROMPT-02). */
export type PromptLayerMode = 'stratigraphic' | 'legacy'

/**
 * Where volatile text goes. `system`: it is the last of the system messages. `user`: it stands behind
 * what the user said last, so that the history in front keeps its place in the cache when it changes.
 */
export type VolatilePosition = 'system' | 'user'

/**
 * What a prompt holds and weighs: plain data, frozen. Sizes are in characters, tokens are estimates,
 * hashes are SHA-256 in hexadecimal.
 */
export interface PromptReport {
  readonly contextStrategy: ContextStrategy
  /** A `jit` prompt is flat whatever is asked for. */
  readonly layerMode: PromptLayerMode
  /** Version of L0; undefined in a flat prompt, so that none of an earlier turn can leak (PROMPT-03). */
  readonly kernelVersion: string | undefined
  /** Hash of L1: the same as long as the cached prefix keeps its bytes; undefined in a flat prompt. */
  readonly prefixHash: string | undefined
  /** The tool definitions, which providers put in front of the layers. */
  readonly tools: ToolsReport
  readonly layers: readonly LayerReport[]
  /** What failed to render and was left out: whole sections, and authors within one. */
  readonly failed: readonly RenderFailure[]
}

/** Text that is missing in a prompt. */
export interface RenderFailure {
  readonly layer: PromptLayer
  readonly section: string
  readonly capability: string
  /** Whose part of the section is missing, such as a plugin's; undefined where it is the whole. */
  readonly origin: string | undefined
  readonly reason: string
}

/** The tool definitions as they are offered. */
export interface ToolsReport {
  readonly names: readonly string[]
  readonly chars: number
  readonly tokens: number
  readonly hash: string
  /** One by one, in the order of the request. */
  readonly definitions: readonly ToolReport[]
  /** Lifetime of the marker behind them; undefined for none. */
  readonly marker: CacheTtl | undefined
}

/** One tool as it is offered. */
export interface ToolReport {
  readonly name: string
  /** The capability it came from; `kernel` for what the options declare. */
  readonly capability: string
  /** What is sent of it, as JSON. */
  readonly text: string
  readonly hash: string
}

/** One layer as it was sent. */
export interface LayerReport {
  readonly layer: PromptLayer
  readonly sections: readonly SectionReport[]
  /** Length of the layer's text, separators included. */
  readonly chars: number
  readonly tokens: number
  /** Made of the hashes of its sections, so that it changes when one of them does. */
  readonly hash: string
  /** Does a cache marker end it? */
  readonly cached: boolean
}

/** One section as it was sent. */
export interface SectionReport {
  readonly name: string
  /** The capability it came from; `kernel` for what the options declare. */
  readonly capability: string
  readonly text: string
  readonly chars: number
  readonly hash: string
  /** Its parts, where it names their authors; else empty. Joined by a blank line they are the text. */
  readonly pieces: readonly SectionPiece[]
  /** Lifetime of the cache marker behind it; undefined for none. */
  readonly marker: CacheTtl | undefined
}

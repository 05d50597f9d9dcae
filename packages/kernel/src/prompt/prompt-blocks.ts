import type { BlockSource, Capability, PromptSection } from '../capability.ts'
import { KernelError } from '../errors.ts'
import type { OwnedSection } from './render-sections.ts'

/** A piece of prompt that a host declares as data: a text, or what a source makes of it. */
export interface PromptBlock {
  /** Unique among the blocks; shown in the report and in errors. */
  readonly name: string
  /** Default `cached`: L1. `volatile` is L2. */
  readonly position?: 'cached' | 'volatile'
  /** As a section's. Default 50. */
  readonly priority?: number
  /** The text itself. Give this or `source`. */
  readonly text?: string
  /** Name of a source that some capability brings (`blockSources`). */
  readonly source?: string
  /** Handed to the source as it is. */
  readonly options?: unknown
}

/** What turns declared blocks into sections. */
export interface BlockInjector {
  readonly sections: readonly OwnedSection[]
}

/**
 * Wires the declared blocks when a kernel is composed, so that a block without a source fails there
 * and not on the first turn (PROMPT-24). Without blocks there is no injector (PROMPT-23).
 *
 * @throws KernelError `KERNEL_CONFIGURATION_INVALID` for a block that cannot be wired, by its name.
 */
export function createBlockInjector(
  blocks: readonly PromptBlock[],
  capabilities: readonly Capability[],
): BlockInjector | undefined {
  if (blocks.length === 0) return undefined
  const sources = new Map<string, { readonly owner: string; readonly source: BlockSource }>()
  for (const { name: owner, blockSources = {} } of capabilities) {
    for (const [name, source] of Object.entries(blockSources)) {
      if (!sources.has(name)) sources.set(name, { owner, source })
    }
  }
  // One latch for all blocks of a kernel: the report is about the scope and not about a block.
  const warned = { scope: false }
  const names = new Set<string>()
  const sections = blocks.map((block): OwnedSection => {
    if (names.has(block.name)) throw invalid(block.name, 'has the name of another one. Rename it.')
    names.add(block.name)
    const about = sectionOf(block)
    if (typeof block.text === 'string' && block.source === undefined) {
      const { text } = block
      return { capability: 'kernel', section: { ...about, render: () => text } }
    }
    if (typeof block.source !== 'string' || block.text !== undefined) {
      throw invalid(block.name, 'has not exactly one of text and source. Give it one of them.')
    }
    const found = sources.get(block.source)
    if (found === undefined) {
      const known = [...sources.keys()].join(', ') || 'none'
      throw invalid(
        block.name,
        `draws from "${block.source}", which no capability brings. Known: ${known}. Add the capability, or remove the block.`,
      )
    }
    const { owner, source } = found
    return { capability: owner, section: { ...about, render: drawFrom(source, block, warned) } }
  })
  return Object.freeze({ sections: Object.freeze(sections) })
}

function drawFrom(
  source: BlockSource,
  { name, source: sourceName, options }: PromptBlock,
  warned: { scope: boolean },
): PromptSection['render'] {
  return (view) => {
    if (!source.needsScope || view.scope !== undefined) return source.render(options, view)
    if (!warned.scope) {
      warned.scope = true
      view.logger.warn(
        `prompt block "${name}" was left out: its source "${sourceName}" needs a scope and the turn has none`,
      )
    }
    return ''
  }
}

function sectionOf({ name, position, priority }: PromptBlock) {
  return {
    name,
    layer: position === 'volatile' ? ('L2' as const) : ('L1' as const),
    ...(priority !== undefined && { priority }),
  }
}

function invalid(block: string, what: string): KernelError {
  return new KernelError('KERNEL_CONFIGURATION_INVALID', `The prompt block "${block}" ${what}`, {
    details: { option: 'prompt', block },
  })
}

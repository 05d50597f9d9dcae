import type { MemoryLayer } from './layer.ts'
import type { StoredBlock } from './store.ts'

/** One block of memory, for people who look at it. @see MEM-50 */
export interface MemoryBlock {
  /** The name of the layer where entries have no label. */
  readonly label: string
  readonly layer: MemoryLayer
  /** False for a required block that nothing was written to. */
  readonly exists: boolean
  readonly entryCount: number
  /** Epoch milliseconds; absent where nothing exists. */
  readonly lastUpdatedAt?: number
  /** The greatest of its entries; 0 where nothing exists. */
  readonly importance: number
  /** Whether its layer is enabled. */
  readonly enabled: boolean
  /** Whether its label is one of those required. */
  readonly required: boolean
}

/**
 * What is there, and what is required and missing, which is listed last, in the semantic layer. An empty
 * list of required labels is none (MEM-51).
 */
export function describeBlocks(
  blocks: readonly StoredBlock[],
  {
    layers,
    requiredLabels = [],
  }: {
    layers: readonly MemoryLayer[]
    requiredLabels?: readonly string[]
  },
): readonly MemoryBlock[] {
  const there = blocks.map(
    ({ layer, label, count, lastUpdatedAt, maxImportance }): MemoryBlock => ({
      label: label ?? layer,
      layer,
      exists: true,
      entryCount: count,
      lastUpdatedAt,
      importance: maxImportance,
      enabled: layers.includes(layer),
      required: label !== undefined && requiredLabels.includes(label),
    }),
  )
  const missing = [...new Set(requiredLabels)]
    .filter((required) => !blocks.some(({ label }) => label === required))
    .map(
      (label): MemoryBlock => ({
        label,
        layer: 'semantic',
        exists: false,
        entryCount: 0,
        importance: 0,
        enabled: layers.includes('semantic'),
        required: true,
      }),
    )
  return Object.freeze([...there, ...missing])
}

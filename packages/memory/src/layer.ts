import { MemoryError } from './errors.ts'

/**
 * The layers of memory, in the order in which they are shown (MEM-07):
 * `working` is the tail of the running conversation, `episodic` what happened, `semantic` what is
 * known, `procedural` how things are done, `prospective` what is yet to be done.
 */
export const memoryLayers = [
  'working',
  'episodic',
  'semantic',
  'procedural',
  'prospective',
] as const

/** One layer by name. @see OPEN-MEM-1 */
export type MemoryLayer = (typeof memoryLayers)[number]

/** Whether a value from outside names a layer. */
export function isMemoryLayer(value: unknown): value is MemoryLayer {
  return memoryLayers.some((layer) => layer === value)
}

/**
 * A list of layers from outside, frozen, each once, in the order of `memoryLayers`.
 *
 * @throws MemoryError - `MEMORY_OPTION_INVALID` when it is no list or holds anything but layers.
 */
export function parseLayers(value: unknown, option = 'layers'): readonly MemoryLayer[] {
  if (!Array.isArray(value) || !value.every(isMemoryLayer)) {
    throw new MemoryError(
      'MEMORY_OPTION_INVALID',
      `Option "${option}" is no list of layers. Write some of: ${memoryLayers.join(', ')}.`,
      { details: { option } },
    )
  }
  return Object.freeze(memoryLayers.filter((layer) => value.includes(layer)))
}

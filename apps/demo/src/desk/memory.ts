import { createInMemoryStore, createMemory, type Memory, type MemoryStore } from '@symfonic/memory'

/**
 * The memory of the desk. It keeps no working layer: the desk sends the conversation itself, and the one
 * of a channel holds what other people said.
 *
 * @param options.store - Default: one that is gone with the process.
 * @param options.now - Default: the clock.
 */
export function createDeskMemory(
  options: { readonly store?: MemoryStore; readonly now?: (() => Date) | undefined } = {},
): Memory {
  const { store = createInMemoryStore(), now } = options
  return createMemory({
    store,
    layers: ['episodic', 'semantic', 'procedural', 'prospective'],
    ...(now && { now: () => now().getTime() }),
  })
}

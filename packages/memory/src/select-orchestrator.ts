/** What a host may bring along for memory. Anything but `undefined`, `null` and `false` counts as given. */
export interface MemoryParts {
  readonly orchestrator?: unknown
  readonly embeddingProvider?: unknown
  readonly graphBackend?: unknown
  readonly vectorBackend?: unknown
}

/**
 * Which memory a host gets: the one it gave; one over its backends; one in process memory; or an empty
 * one, with which an agent works and remembers nothing.
 *
 * @see MEM-02, MEM-03, MEM-04
 */
export function selectOrchestrator(
  parts: MemoryParts,
): 'given' | 'backends' | 'inMemory' | 'empty' {
  const isGiven = (part: unknown): boolean => part !== undefined && part !== null && part !== false
  if (isGiven(parts.orchestrator)) return 'given'
  if (!isGiven(parts.embeddingProvider)) return 'empty'
  return isGiven(parts.graphBackend) && isGiven(parts.vectorBackend) ? 'backends' : 'inMemory'
}

/**
 * Whether a consolidator of our own is built: when none was given, and naps or merging were asked for.
 * Otherwise those two would be silently dead.
 *
 * @see MEM-43
 */
export function needsConsolidator({
  injected,
  quickNapInterval,
  enableSemanticMerge,
}: {
  readonly injected: boolean
  readonly quickNapInterval: number
  readonly enableSemanticMerge: boolean
}): boolean {
  return !injected && (quickNapInterval > 0 || enableSemanticMerge)
}

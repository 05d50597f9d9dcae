import { identityKind, type MemoryEntry } from './entry.ts'

/**
 * How strong a memory is now, 0 to 1: the stored strength, halved for every half-life since it was last
 * written or recalled. Forgetting is computed and not written, so it happens once however often, and
 * by how many processes, it is looked at. An agent's identity does not decay (MEM-48).
 */
export function effectiveStrength(
  entry: MemoryEntry,
  { now, halfLifeMs }: { now: number; halfLifeMs: number },
): number {
  if (entry.kind === identityKind) return entry.strength
  const last = Math.max(entry.updatedAt, entry.lastRecalledAt ?? entry.updatedAt)
  return entry.strength * 2 ** (-Math.max(0, now - last) / halfLifeMs)
}

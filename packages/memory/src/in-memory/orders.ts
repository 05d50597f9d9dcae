import type { StoredEntry } from '../entry.ts'
import { type MemoryLayer, memoryLayers } from '../layer.ts'
import type { ListPosition } from '../parse-query.ts'
import type { StoredBlock, StoredLink } from '../store.ts'
import { compareText } from '../top-list.ts'

/** Orders positions of a list, the earliest first. */
export function comparePositions(one: ListPosition, other: ListPosition): number {
  return one.time - other.time || one.index - other.index || compareText(one.id, other.id)
}

/** Orders entries by conversation and place, then id. */
export function byPlace(one: StoredEntry, other: StoredEntry): number {
  return (
    compareText(one.sequence?.sessionId ?? '', other.sequence?.sessionId ?? '') ||
    (one.sequence?.index ?? 0) - (other.sequence?.index ?? 0) ||
    compareText(one.id, other.id)
  )
}

/** Orders links, the strongest first, then by ends and relation. */
export function byLink(one: StoredLink, other: StoredLink): number {
  return (
    other.weight - one.weight ||
    compareText(one.from, other.from) ||
    compareText(one.to, other.to) ||
    compareText(one.relation, other.relation)
  )
}

const rankOfLayer = new Map<MemoryLayer, number>(memoryLayers.map((layer, index) => [layer, index]))

/** Orders blocks by layer and label. */
export function byBlock(one: StoredBlock, other: StoredBlock): number {
  return (
    (rankOfLayer.get(one.layer) ?? 0) - (rankOfLayer.get(other.layer) ?? 0) ||
    compareText(one.label ?? '', other.label ?? '')
  )
}

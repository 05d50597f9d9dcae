import type { Ranked } from './store.ts'

/** Collects the best of many without sorting them all. */
export interface TopList {
  offer(id: string, score: number): void
  /** What a score must at least be to get in; `-Infinity` while there is room. */
  least(): number
  /** What was kept, best first; equal scores by id. */
  ranked(): readonly Ranked[]
}

/** Creates a list that keeps the `limit` best, as a heap with the worst of them on top. */
export function createTopList(limit: number): TopList {
  const heap: Ranked[] = []

  return {
    offer(id, score) {
      const offered = { id, score }
      if (heap.length < limit) {
        heap.push(offered)
        rise(heap)
      } else if (heap[0] !== undefined && byRank(offered, heap[0]) < 0) {
        heap[0] = offered
        sink(heap)
      }
    },
    least: () => (heap.length < limit ? Number.NEGATIVE_INFINITY : (heap[0]?.score ?? 0)),
    ranked: () => [...heap].sort(byRank),
  }
}

/** Orders by score, highest first, then by id. */
export function byRank(one: Ranked, other: Ranked): number {
  return other.score - one.score || compareText(one.id, other.id)
}

/** Compares by code unit, the same in every place and version. */
export function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

function rise(heap: Ranked[]): void {
  let at = heap.length - 1
  while (at > 0) {
    const parent = (at - 1) >>> 1
    if (!swapIfWorse(heap, parent, at)) return
    at = parent
  }
}

function sink(heap: Ranked[]): void {
  let at = 0
  while (true) {
    const left = 2 * at + 1
    if (left >= heap.length) return
    const right = left + 1
    const [l, r] = [heap[left], heap[right]]
    const worst = l !== undefined && r !== undefined && byRank(r, l) > 0 ? right : left
    if (!swapIfWorse(heap, at, worst)) return
    at = worst
  }
}

/** Puts the worse of a parent and its child on top. */
function swapIfWorse(heap: Ranked[], parent: number, child: number): boolean {
  const [above, below] = [heap[parent], heap[child]]
  if (above === undefined || below === undefined || byRank(below, above) <= 0) return false
  heap[parent] = below
  heap[child] = above
  return true
}

/**
 * The first of many in an order, without sorting them all.
 *
 * @param options.count - How many are wanted at most, at least 1.
 * @param options.compare - As for `Array.sort`; equal ones are kept in any order.
 */
export function firstOf<Item>(
  items: Iterable<Item>,
  { count, compare }: { count: number; compare: (one: Item, other: Item) => number },
): Item[] {
  let found: Item[] = []
  let last: Item | undefined
  for (const item of items) {
    if (last !== undefined && compare(item, last) >= 0) continue
    found.push(item)
    if (found.length < 2 * count) continue
    found = found.sort(compare).slice(0, count)
    last = found.at(-1)
  }
  return found.sort(compare).slice(0, count)
}

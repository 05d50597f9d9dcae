/** A list without its repetitions, in the order given; the same list when it is too short for any. */
export function distinct(list: readonly string[]): readonly string[] {
  return list.length < 2 ? list : [...new Set(list)]
}

/** Keys and list positions, from the outside in. */
export type KeyPath = readonly (string | number)[]

/** Writes a path as in `precondition[1].state.op`; a key that is no plain word goes into `["…"]`. */
export function writeKeyPath(path: KeyPath): string {
  return path.map(segmentText).join('').replace(/^\./, '')
}

function segmentText(key: string | number): string {
  if (typeof key === 'number') return `[${key}]`
  return /^\w+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`
}

/** Reads a path that was written by `writeKeyPath` or stands in the fault of a skill. */
export function readKeyPath(text: string): KeyPath {
  const segments = text.matchAll(/\.?(\w+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/gu)
  return [...segments].map(({ 1: word, 2: position, 3: quoted }) => {
    if (position !== undefined) return Number(position)
    return quoted === undefined ? (word ?? '') : String(JSON.parse(quoted))
  })
}

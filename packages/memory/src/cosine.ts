/**
 * The cosine of the angle between two vectors of the same length, -1 to 1. `undefined` when their
 * lengths differ: they come from different models and cannot be compared.
 */
export function cosine(one: Float32Array, other: Float32Array): number | undefined {
  if (one.length !== other.length) return undefined
  let product = 0
  let ones = 0
  let others = 0
  for (let index = 0; index < one.length; index += 1) {
    const a = one[index] ?? 0
    const b = other[index] ?? 0
    product += a * b
    ones += a * a
    others += b * b
  }
  return Math.max(-1, Math.min(1, product / Math.sqrt(ones * others)))
}

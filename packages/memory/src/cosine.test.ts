import { expect, it } from 'vitest'
import { cosine } from './cosine.ts'

it.each([
  [[1, 0], [2, 0], 1],
  [[1, 0], [0, 3], 0],
  [[1, 1], [-1, -1], -1],
  [[1, 0], [1, 0, 0], undefined],
])('of %o and %o is %s', (one, other, expected) => {
  const found = cosine(new Float32Array(one), new Float32Array(other))
  if (expected === undefined) expect(found).toBeUndefined()
  else expect(found).toBeCloseTo(expected)
})

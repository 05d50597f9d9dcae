import { expect, it } from 'vitest'
import { stretchesAround } from './stretches.ts'

it.each([
  [[], 2, []],
  [[['s', 5]], 0, [['s', 5, 5]]],
  [[['s', 1]], 3, [['s', 0, 4]]],
  [
    [
      ['s', 9],
      ['s', 1],
      ['s', 3],
    ],
    1,
    [
      ['s', 0, 4],
      ['s', 8, 10],
    ],
  ],
  [
    [
      ['b', 1],
      ['a', 1],
    ],
    1,
    [
      ['a', 0, 2],
      ['b', 0, 2],
    ],
  ],
] as [[string, number][], number, [string, number, number][]][])(
  'around %j within %i are %j',
  (places, reach, stretches) => {
    const found = stretchesAround(
      places.map(([sessionId, index]) => ({ sessionId, index })),
      reach,
    )
    expect(found.map(({ sessionId, from, to }) => [sessionId, from, to])).toEqual(stretches)
  },
)

import { describe, expect, it } from 'vitest'
import { parseText } from './parse-text.ts'
import { placeOf } from './place-of.ts'
import { positionsIn } from './position.ts'
import { resolveTree } from './resolve-tree.ts'

describe('the place of a key path', () => {
  const text = 'a: &a {b: [1, 2], c: }\nd: *a\ne: {<<: *a, f: *a}\n'

  it.each([
    ['itself', [], 'value', 0, undefined],
    ['a value', ['a', 'b'], 'value', 10, undefined],
    ['a key', ['a', 'b'], 'key', 7, undefined],
    ['an item of a list', ['a', 'b', 1], 'value', 14, undefined],
    ['an item of a list, pointed at as a key', ['a', 'b', 1], 'key', 14, undefined],
    ['the key of a value that was left out', ['a', 'c'], 'value', 18, undefined],
    ['an alias, for the aliased value itself', ['d'], 'value', 26, undefined],
    ['the anchored value, for what is inside', ['d', 'b', 0], 'value', 11, 26],
    ['the merged value, for what was merged', ['e', 'b'], 'value', 10, 37],
    ['the merged key, for what was merged', ['e', 'b'], 'key', 7, 37],
    ['the first alias on the way', ['e', 'f', 'b', 1], 'value', 14, 44],
    ['what is nearest, when there is no such key', ['a', 'x', 'y'], 'value', 6, undefined],
    ['what is nearest, in an aliased value', ['d', 'b', 7], 'value', 10, 26],
    ['what is nearest, when it has no keys', ['a', 'b', 0, 'z'], 'key', 11, undefined],
  ] as const)('is that of %s', (_, path, pointAt, offset, usedAt) => {
    const { root: tree } = parseText(text)
    const { root } = tree === undefined ? {} : resolveTree(tree, positionsIn(text))
    if (root === undefined) throw new Error('expected a tree')
    const place = placeOf(root, path, pointAt)
    expect([place.offset, place.usedAt]).toEqual([offset, usedAt])
  })
})

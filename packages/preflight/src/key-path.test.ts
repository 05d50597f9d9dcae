import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readKeyPath, writeKeyPath } from './key-path.ts'

describe('key paths', () => {
  it.each([
    [[], ''],
    [['label'], 'label'],
    [['precondition', 1, 'state', 'op'], 'precondition[1].state.op'],
    [['skills', 0], 'skills[0]'],
    [[2, 'a'], '[2].a'],
    [['.helper', 'a b', '"'], '[".helper"]["a b"]["\\""]'],
    [['', '0', 0], '[""].0[0]'],
  ])('of %j are written %s', (path, text) => {
    expect(writeKeyPath(path)).toBe(text)
    expect(readKeyPath(text)).toEqual(path)
  })

  it('come back as they were written, whatever the keys', () => {
    const key = fc.oneof(
      fc.nat(100),
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('"', '\\', ']', '[', '.', 'a', '\n') }),
    )
    fc.assert(
      fc.property(fc.array(key, { maxLength: 5 }), (path) => {
        expect(readKeyPath(writeKeyPath(path))).toEqual(path)
      }),
    )
  })
})

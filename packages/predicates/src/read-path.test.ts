import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MISSING } from './key-sites.ts'
import { compilePath, resolvePath } from './path.ts'
import { readPath } from './read-path.ts'

const read = (path: string, state: unknown) => readPath(compilePath(path, { keyPath: [] }), state)

/** A state in which a value lies `depth` records down, under keys spelled by `spell`. */
const nested = (depth: number, spell: (level: number) => string, value: unknown): unknown => {
  let state = value
  for (let level = depth - 1; level >= 0; level -= 1) state = { [spell(level)]: state }
  return state
}

const depths = [1, 2, 3, 4, 5, 32]

describe('readPath', () => {
  describe.each(depths)('at depth %i', (depth) => {
    const path = Array.from({ length: depth }, (_, level) => `keyNo${level}`).join('.')

    it.each<[string, (level: number) => string]>([
      ['UPPER_SNAKE', (level) => `KEY_NO${level}`],
      ['snake_case', (level) => `key_no${level}`],
      ['written', (level) => `keyNo${level}`],
    ])('finds %s keys', (_, spell) => {
      expect(read(path, nested(depth, spell, 'here'))).toBe('here')
      expect(read(path, nested(depth, spell, null))).toBe(null)
    })

    it('answers the private sentinel for what is missing, not null or undefined', () => {
      const spell = (level: number) => `key_no${level}`
      expect(read(path, nested(depth, spell, undefined))).toBe(MISSING)
      expect(read(`${path.slice(0, -1)}x`, nested(depth, spell, 1))).toBe(MISSING)
      expect(read(path, nested(depth - 1, spell, []))).toBe(MISSING)
      expect(read(path, nested(depth - 1, spell, null))).toBe(MISSING)
      expect(read(path, nested(depth - 1, spell, 'text'))).toBe(MISSING)
    })

    it('never sees what is inherited, not even from a polluted Object.prototype', () => {
      const parts = Array.from({ length: depth }, () => 'polluted')
      const polluted = parts.join('.')
      const inner = (value: unknown) => nested(depth - 1, () => 'polluted', value)
      for (const key of ['polluted', 'POLLUTED_UPPER']) {
        Object.defineProperty(Object.prototype, key, { value: 'bad', configurable: true })
      }
      try {
        expect(read(polluted, inner({}))).toBe(MISSING)
        expect(read(polluted, inner(Object.create(null)))).toBe(MISSING)
        expect(read(polluted, inner(Object.create({ polluted: 1 })))).toBe(MISSING)
        expect(read(polluted, inner({ polluted: 'own' }))).toBe('own')
        expect(read('pollutedUpper', { polluted_upper: 'own' })).toBe('own')
        expect(read('pollutedUpper', {})).toBe(MISSING)
      } finally {
        Reflect.deleteProperty(Object.prototype, 'polluted')
        Reflect.deleteProperty(Object.prototype, 'POLLUTED_UPPER')
      }
      for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
        const last = [...parts.slice(1), name].join('.')
        expect(read(last, inner({}))).toBe(MISSING)
        expect(read(last, inner(Object.fromEntries([[name, 'own']])))).toBe('own')
      }
    })

    it('goes through records without a prototype, and not through anything else', () => {
      const path = [...new Array(depth - 1).fill('a'), 'size'].join('.')
      const inner = (value: unknown) => nested(depth - 1, () => 'a', value)
      expect(read(path, inner(Object.assign(Object.create(null), { size: 1 })))).toBe(1)
      expect(read(path, inner(new Map()))).toBe(MISSING)
      expect(read(path, inner(Object.assign(new Map(), { SIZE: 1 })))).toBe(MISSING)
      expect(read(path, inner(Object.assign(new Date(), { size: 1 })))).toBe(MISSING)
    })
  })

  it('decides as resolvePath does, for any state', () => {
    const key = fc.constantFrom('aB', 'a_b', 'A_B', 'a', 'A', '0', 'constructor', '__proto__')
    const { state } = fc.letrec((tie) => ({
      state: fc.oneof(
        { maxDepth: 6 },
        fc.constantFrom(null, undefined, 1, 'text', [{ a: 1 }], new Map([['a', 1]])),
        fc
          .array(fc.tuple(key, tie('state')), { maxLength: 4 })
          .map((entries) => Object.fromEntries(entries)),
      ),
    }))
    fc.assert(
      fc.property(fc.array(key, { minLength: 1, maxLength: 6 }), state, (segments, anyState) => {
        const path = segments.join('.')
        const { found, value } = resolvePath(path, anyState)
        expect(read(path, anyState)).toBe(found ? value : MISSING)
      }),
      { numRuns: 1_000 },
    )
  })
})

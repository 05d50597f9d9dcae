import { describe, expect, it } from 'vitest'
import { yamlLimits } from './limits.ts'
import { parseText } from './parse-text.ts'
import { positionsIn } from './position.ts'
import { resolveTree } from './resolve-tree.ts'

function resolve(text: string) {
  const { root, faults } = parseText(text)
  if (root === undefined) throw new Error(`no tree: ${JSON.stringify(faults)}`)
  return resolveTree(root, positionsIn(text))
}

describe('resolving a tree', () => {
  it.each([
    ['plain values', 'a: [1, "1", true, ~, {}]', { a: [1, '1', true, null, {}] }],
    ['an alias', 'a: &x {b: 1}\nc: [*x, *x]', { a: { b: 1 }, c: [{ b: 1 }, { b: 1 }] }],
    ['the latest anchor of a name', 'a: &x 1\nb: *x\nc: &x 2\nd: *x', { a: 1, b: 1, c: 2, d: 2 }],
    ['an anchor given anew inside', 'a: &x [&x 1, *x]\nb: *x', { a: [1, 1], b: 1 }],
    ['an anchor on a merge source', 'a: {<<: &x {b: 1}}\nc: *x', { a: { b: 1 }, c: { b: 1 } }],
    [
      'a merge before and after',
      'a: {<<: {b: 1, c: 1}, b: 2}\nd: {b: 2, <<: {b: 1}}',
      { a: { b: 2, c: 1 }, d: { b: 2 } },
    ],
    ['a merge of merges', 'a: {<<: {<<: {b: 1}, c: 2}}', { a: { b: 1, c: 2 } }],
    ['an empty merge list', 'a: {<<: []}', { a: {} }],
    [
      'keys that are numbers or words',
      '1: a\ntrue: b\nnull: c\n"": d',
      { 1: 'a', true: 'b', null: 'c', '': 'd' },
    ],
  ])('follows %s', (_, text, plain) => {
    const { root, faults } = resolve(text)
    expect(faults).toEqual([])
    expect(root?.plain).toEqual(plain)
    expect(root?.isSound).toBe(true)
  })

  it('shares an anchored value and freezes all of it', () => {
    const { plain } = resolve('a: &x {b: [1]}\nc: *x').root ?? {}
    const { a, c } = plain as { a: { b: unknown }; c: unknown }
    expect(a).toBe(c)
    expect([plain, a, a.b].every(Object.isFrozen)).toBe(true)
  })

  it('makes ordinary keys of names of the prototype', () => {
    const text = 'a: {__proto__: {p: 1}, constructor: 2, toString: 3}\nb: {<<: {__proto__: {p: 1}}}'
    const { a, b } = (resolve(text).root?.plain ?? {}) as { a: object; b: object }
    expect(Object.keys(a)).toEqual(['__proto__', 'constructor', 'toString'])
    expect(Object.keys(b)).toEqual(['__proto__'])
    for (const record of [a, b, {}]) {
      expect(Object.getPrototypeOf(record)).toBe(Object.prototype)
      expect('p' in record).toBe(false)
    }
  })

  it('keeps the first of two values, and says where it stands', () => {
    const { root, faults } = resolve('x:\n  a: 1\n  a: 2\n')
    expect(root?.plain).toEqual({ x: { a: 1 } })
    expect(root?.isSound).toBe(false)
    expect(faults).toEqual([
      {
        offset: 12,
        path: ['x', 'a'],
        code: 'PREFLIGHT_YAML_DUPLICATE_KEY',
        message: 'Key a is already given at 2:3. Keep one of them.',
      },
    ])
  })

  it('reads a mapping of nearly as many keys as a file may have', () => {
    const keys = Array.from({ length: 57_000 }, (_, n) => `k${n}: ${n}`)
    expect(resolve(keys.join('\n')).root?.size).toBe(57_001)
  })
})

describe('limits', () => {
  it('refuse a billion laughs without expanding them', () => {
    const lines = Array.from({ length: 40 }, (_, n) =>
      n === 0
        ? 'a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]'
        : `a${n}: &a${n} [${Array(9).fill(`*a${n - 1}`)}]`,
    )
    const { root, faults } = resolve(lines.join('\n'))
    expect(root).toBeUndefined()
    expect(faults).toMatchObject([
      {
        path: ['a4', 1],
        code: 'PREFLIGHT_YAML_TOO_LARGE',
        message: expect.stringContaining('stand for more than 20000 values'),
      },
    ])
  })

  it('refuse a bomb of merge keys', () => {
    const lines = Array.from({ length: 40 }, (_, n) =>
      n === 0
        ? 'a0: &a0 {x: [1, 2, 3, 4]}'
        : `a${n}: &a${n} {<<: *a${n - 1}, l${n}: *a${n - 1}, r${n}: *a${n - 1}}`,
    )
    expect(resolve(lines.join('\n')).faults).toMatchObject([{ code: 'PREFLIGHT_YAML_TOO_LARGE' }])
  })

  // A list of a hundred values, and as many plain ones and aliases of it as are asked for.
  const sharing = (uses: number, plain: number) =>
    `[&x [${Array(99).fill(0)}], ${[...Array(plain).fill(0), ...Array(uses).fill('*x')]}]`

  it.each([
    ['in a small file as often as copies allows', 200, 0, 'stand for more than 20000 values'],
    // 101 + 5,000 + 567 values are written, and ten times as many may be copies.
    ['in a larger one in proportion to it', 566, 5_000, 'stand for more than 56680 values'],
    ['and in any not beyond all values', 2_258, 24_000, 'holds more than 250000 values'],
  ])('let one value be shared %s, to the last', (_, uses, plain, message) => {
    expect(resolve(sharing(uses, plain)).root?.size).toBe(101 + plain + 100 * uses)
    expect(resolve(sharing(uses + 1, plain)).faults).toMatchObject([
      { code: 'PREFLIGHT_YAML_TOO_LARGE', message: expect.stringContaining(message) },
    ])
  })

  it('refuse what only aliases nest deeply', () => {
    const chain = (length: number) =>
      Array.from({ length }, (_, n) => `a${n}: &a${n} [${n === 0 ? '' : `*a${n - 1}`}]`).join('\n')
    expect(resolve(chain(yamlLimits.depth - 1)).faults).toEqual([])
    expect(resolve(chain(yamlLimits.depth)).faults).toMatchObject([
      { code: 'PREFLIGHT_YAML_TOO_LARGE', message: expect.stringContaining('64 levels') },
    ])
  })

  it('stop looking when there are more faults than are reported', () => {
    const { root, faults } = resolve('- *gone\n'.repeat(2_000))
    expect(faults).toHaveLength(yamlLimits.faults + 1)
    expect(root).toBeUndefined()
  })
})

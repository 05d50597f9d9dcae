import { describe, expect, it } from 'vitest'
import { harnesses } from './harness.ts'
import { overruled } from './overruled.ts'
import { runVectors } from './run-vectors.ts'
import { groupOf, loadVectors, type Vector } from './vectors.ts'

const vectors = loadVectors()
const built = (vectors ?? []).filter(({ kind }) => Object.hasOwn(harnesses, kind))

describe.skipIf(vectors === undefined)('the specification vectors', () => {
  it('are 293, each with its own id', () => {
    expect(new Set(vectors?.map(({ id }) => id)).size).toBe(293)
  })

  it('give every harness something to run', () => {
    const kinds = new Set(vectors?.map(({ kind }) => kind))
    expect(Object.keys(harnesses).filter((kind) => !kinds.has(kind))).toEqual([])
  })

  it.each(built)('$id $title', async (vector) => {
    const entry = Object.entries(overruled).filter(([id]) => id === vector.id)
    const [result] = await runVectors([vector], {
      harnesses,
      overruled: Object.fromEntries(entry),
    })
    expect(result?.reason ?? result?.outcome).toBe(entry[0]?.[1] ?? 'passed')
  })
})

// A harness that asserts too little would pass anything: spoil each expectation and see it fail.
describe.skipIf(vectors === undefined)('a spoiled expectation', () => {
  const spoiled = built.filter(({ id }) => !Object.hasOwn(overruled, id)).flatMap(spoilEach)

  it.each(spoiled)('is noticed in $id, $key', async ({ vector }) => {
    const [result] = await runVectors([vector], { harnesses, overruled: {} })
    expect(result?.outcome).toBe('failed')
  })
})

/** One copy per key of the expectation, with that key alone made wrong. */
function spoilEach(vector: Vector): { id: string; key: string; vector: Vector }[] {
  return Object.entries(vector.expected as Record<string, unknown>)
    .filter(([key]) => !saysWhatIsAbsent.includes(key))
    .map(([key, value]) => ({
      id: vector.id,
      key,
      vector: { ...vector, expected: { ...(vector.expected as object), [key]: spoil(value) } },
    }))
}

/** Keys under which another text is absent, too: they cannot be spoiled without knowing the kind. */
const saysWhatIsAbsent = ['notContains', 'excludes', 'volatileNotStartsWith']

function spoil(value: unknown): unknown {
  if (typeof value === 'boolean') return !value
  if (typeof value === 'number') return value + 1
  if (typeof value === 'string') return `${value} spoiled`
  if (Array.isArray(value)) return [...value, 'spoiled']
  return 'spoiled'
}

describe('groupOf', () => {
  it.each([
    { id: 'V-PRED-001', group: 'PRED' },
    { id: 'V-STREAM-011', group: 'STREAM' },
  ])('reads $group out of $id', ({ id, group }) => {
    expect(groupOf({ id })).toBe(group)
  })
})

import { describe, expect, it } from 'vitest'
import { type Harnesses, runVectors } from './run-vectors.ts'
import type { Vector } from './vectors.ts'

const vector = (id: string, kind: string): Vector => ({
  id,
  kind,
  title: `title of ${id}`,
  requirements: [],
  profile: 'any',
  input: {},
  expected: {},
})

const harnesses: Harnesses = {
  holds: () => {},
  breaks: () => {
    throw new Error('expected true, got false')
  },
  'breaks late': async () => {
    throw new Error('expected later')
  },
}

describe('runVectors', () => {
  it.each([
    { kind: 'holds', overruled: {}, outcome: 'passed' },
    { kind: 'breaks', overruled: {}, outcome: 'failed', reason: 'expected true, got false' },
    { kind: 'breaks late', overruled: {}, outcome: 'failed', reason: 'expected later' },
    { kind: 'unknown', overruled: {}, outcome: 'not built yet' },
    { kind: 'constructor', overruled: {}, outcome: 'not built yet' },
    {
      kind: 'breaks',
      overruled: { 'V-X-001': 'decision 4' },
      outcome: 'overruled',
      reason: 'decision 4',
    },
    {
      kind: 'unknown',
      overruled: { 'V-X-001': 'decision 4' },
      outcome: 'overruled',
      reason: 'decision 4',
    },
  ])('calls a vector of kind "$kind" $outcome given $overruled', async (row) => {
    const { kind, overruled, outcome, reason } = row
    const results = await runVectors([vector('V-X-001', kind)], { harnesses, overruled })
    const about = { id: 'V-X-001', group: 'X', kind, title: 'title of V-X-001', outcome }
    expect(results).toEqual([reason === undefined ? about : { ...about, reason }])
  })

  it('fails an overruled vector that holds after all', async () => {
    const overruled = { 'V-X-001': 'decision 4' }
    const [result] = await runVectors([vector('V-X-001', 'holds')], { harnesses, overruled })
    expect(result).toMatchObject({ outcome: 'failed', reason: expect.stringContaining('drop') })
  })

  it('refuses an overruling of a vector that does not exist', async () => {
    const overruled = { 'V-X-002': 'decision 4' }
    await expect(
      runVectors([vector('V-X-001', 'holds')], { harnesses, overruled }),
    ).rejects.toThrow('No vector is called V-X-002.')
  })
})

import { describe, expect, it } from 'vitest'
import {
  parseClaim,
  parseClaimOptions,
  parseFilter,
  parseJob,
  parseListOptions,
  parsePlaces,
  parseSearchOptions,
  parseSelector,
  parseTouch,
  parseWrite,
  writeCursor,
} from './parse-query.ts'
import { sample } from './testing/sample.ts'

const invalid = (field: string) =>
  expect.objectContaining({ code: 'MEMORY_QUERY_INVALID', details: { field } })
const entry = sample('a')

describe('what a store is asked', () => {
  it.each([
    ['write', () => parseWrite(null as never)],
    ['write', () => parseWrite({ puts: [] } as never)],
    ['put', () => parseWrite({ put: 'a' as never })],
    ['put', () => parseWrite({ put: Array(1_001).fill({ entry }) })],
    ['put', () => parseWrite({ put: [{ entry }, { entry }] })],
    ['put', () => parseWrite({ put: [{ entry }], remove: ['a'] })],
    ['ifExists', () => parseWrite({ put: [{ entry, ifExists: 'merge' as never }] })],
    ['expectedVersion', () => parseWrite({ put: [{ entry, expectedVersion: -1 }] })],
    ['claim', () => parseWrite({ completes: { jobId: 'x' } as never })],
    ['filter', () => parseFilter({ tenantId: 'x' })],
    ['layers', () => parseFilter({ layers: ['dreams'] })],
    ['source', () => parseFilter({ source: 'rumour' })],
    ['status', () => parseFilter({ status: 'gone' })],
    ['label', () => parseFilter({ label: 5 })],
    ['occurredFrom', () => parseFilter({ occurredFrom: 0.5 })],
    ['order', () => parseListOptions({ order: 'random' as never })],
    ['limit', () => parseListOptions({ limit: 1_001 })],
    ['cursor', () => parseListOptions({ cursor: 'x' })],
    ['cursor', () => parseListOptions({ order: 'due', cursor: '["newest",1,0,"a"]' })],
    ['cursor', () => parseListOptions({ cursor: '["newest","1",0,"a"]' })],
    ['limit', () => parseSearchOptions({ limit: Number.POSITIVE_INFINITY })],
    ['places', () => parsePlaces({ sessionId: 's', index: 1 })],
    ['at', () => parseTouch({ at: Number.NaN })],
    ['gain', () => parseTouch({ at: 0, gain: 2 })],
    ['selector', () => parseSelector({} as never)],
    ['selector', () => parseSelector({ subject: '' })],
    ['selector', () => parseSelector({ everything: false } as never)],
    ['selector', () => parseSelector({ ids: ['a'], subject: 'b' } as never)],
    ['source', () => parseSelector({ source: {} })],
    ['source', () => parseSelector({ source: { layer: 'x' } as never })],
    ['turnId', () => parseSelector({ source: { turnId: '' } })],
    ['kind', () => parseJob({ kind: '', runAt: 0 })],
    ['kind', () => parseJob({ kind: 'a\u0000', runAt: 0 })],
    ['key', () => parseJob({ kind: 'a', key: 'x'.repeat(201), runAt: 0 })],
    ['payload', () => parseJob({ kind: 'a', payload: Number.NaN, runAt: 0 })],
    ['runAt', () => parseJob({ kind: 'a' } as never)],
    ['leaseMs', () => parseClaimOptions({ now: 0, leaseMs: 0 })],
    ['limit', () => parseClaimOptions({ now: 0, leaseMs: 1, limit: 101 })],
    ['claim', () => parseClaim({ token: 'x' } as never)],
  ])('is refused for a malformed %s (%#)', (field, parse) => {
    expect(parse).toThrow(invalid(field))
  })

  it('never takes a draft for an entry, whose times a store would have to invent', () => {
    const draft = { layer: 'semantic', content: 'x', provenance: { source: 'turn' } }
    expect(() => parseWrite({ put: [{ entry: draft as never }] })).toThrow(
      expect.objectContaining({ code: 'MEMORY_ENTRY_INVALID', details: { field: 'createdAt' } }),
    )
  })

  it('has its defaults filled in', () => {
    expect(parseWrite({ put: [{ entry }] })).toEqual({
      put: [{ entry, ifExists: 'replace' }],
      remove: [],
    })
    expect(parseListOptions()).toEqual({
      filter: { status: 'current' },
      order: 'newest',
      limit: 100,
    })
    expect(parseJob({ kind: 'a', runAt: 1 })).toEqual({
      kind: 'a',
      key: '',
      payload: null,
      runAt: 1,
    })
    expect(parseClaimOptions({ now: 1, leaseMs: 2 })).toEqual({ now: 1, leaseMs: 2, limit: 1 })
    expect(parseTouch({ at: 3 })).toEqual({ at: 3, gain: 0 })
  })

  it('may go on where a page ended', () => {
    const after = { time: -5, index: 2, id: 'ä"😀' }
    const cursor = writeCursor('oldest', after)
    expect(parseListOptions({ order: 'oldest', cursor }).after).toEqual(after)
  })
})

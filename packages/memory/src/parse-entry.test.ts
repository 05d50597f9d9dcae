import { describe, expect, it } from 'vitest'
import type { EntryDraft } from './entry.ts'
import { memoryLimits } from './limits.ts'
import { parseEntry } from './parse-entry.ts'

const now = 1_000
const draft: EntryDraft = {
  layer: 'semantic',
  content: 'Ann likes tea.',
  provenance: { source: 'turn', turnId: 't1' },
}
const parse = (more: object) => parseEntry({ ...draft, ...more } as EntryDraft, { now })

describe('parseEntry', () => {
  it('fills in every default', () => {
    expect(parseEntry(draft, { now })).toEqual({
      id: expect.stringMatching(/^m_[0-9a-f]{32}$/),
      layer: 'semantic',
      content: 'Ann likes tea.',
      importance: 5,
      createdAt: now,
      updatedAt: now,
      occurredAt: now,
      recallCount: 0,
      strength: 0.5,
      provenance: { source: 'turn', turnId: 't1' },
      links: [],
      metadata: {},
    })
  })

  it('gives an entry back as it was', () => {
    const entry = parse({ label: 'x', links: [{ to: 'y', relation: 'r' }], embedding: [1, 2] })
    expect(parseEntry(entry, { now: 9 })).toEqual(entry)
  })

  it('derives the id from what is said and where it comes from, not from the time', () => {
    const { id } = parse({})
    expect(parseEntry(draft, { now: 77 }).id).toBe(id)
    expect(parse({ importance: 9, metadata: { a: 1 } }).id).toBe(id)
    const others = [
      parse({ content: 'Ann likes tea' }),
      parse({ layer: 'episodic' }),
      parse({ subject: 'Ann' }),
      parse({ label: 'Ann' }),
      parse({ provenance: { source: 'turn', turnId: 't2' } }),
      parse({ sequence: { sessionId: 's', index: 0 } }),
    ].map((entry) => entry.id)
    expect(new Set([id, ...others]).size).toBe(7)
  })

  it('is frozen through and through, and shares nothing with the draft', () => {
    const metadata = { list: [{ a: 1 }] }
    const entry = parse({ metadata, links: [{ to: 'y', relation: 'r' }] })
    metadata.list.push({ a: 2 })
    expect(entry.metadata).toEqual({ list: [{ a: 1 }] })
    for (const each of [
      entry,
      entry.metadata,
      entry.metadata['list'],
      entry.links,
      entry.links[0],
    ]) {
      expect(Object.isFrozen(each)).toBe(true)
    }
  })

  it('cleans texts of what some database would change', () => {
    const entry = parse({ content: 'a\u0000b\ud800c', metadata: { 'k\u0000': 'v\udc00' } })
    expect(entry.content).toBe('a\ufffdb\ufffdc')
    expect(entry.metadata).toEqual({ 'k\ufffd': 'v\ufffd' })
  })

  it('keeps a key named __proto__ as a key', () => {
    const metadata: object = JSON.parse('{"__proto__":{"isAdmin":true},"constructor":1}')
    const entry = parse({ metadata })
    expect(JSON.stringify(entry.metadata)).toBe('{"__proto__":{"isAdmin":true},"constructor":1}')
    expect(Reflect.get(entry.metadata, 'isAdmin')).toBeUndefined()
  })

  const cyclic: Record<string, unknown> = {}
  cyclic['self'] = cyclic
  const deep = JSON.parse(`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`)

  it.each([
    ['layer', { layer: 'dreams' }],
    ['content', { content: ' \n' }],
    ['content', { content: undefined }],
    ['content', { content: 5 }],
    ['id', { id: '' }],
    ['id', { id: 'a\u0000' }],
    ['id', { id: 'a\ud800' }],
    ['importance', { importance: 11 }],
    ['importance', { importance: Number.NaN }],
    ['strength', { strength: -0.1 }],
    ['createdAt', { createdAt: 1.5 }],
    ['occurredAt', { occurredAt: '2026' }],
    ['recallCount', { recallCount: -1 }],
    ['provenance', { provenance: undefined }],
    ['provenance', { provenance: { source: 'turn', tenantId: 'x' } }],
    ['provenance.source', { provenance: { source: 'rumour' } }],
    ['links', { links: 'x' }],
    ['links.relation', { links: [{ to: 'x' }] }],
    ['links.weight', { links: [{ to: 'x', relation: 'r', weight: 0 }] }],
    ['metadata', { metadata: [1] }],
    ['metadata', { metadata: { a: () => {} } }],
    ['metadata', { metadata: { a: Number.POSITIVE_INFINITY } }],
    ['metadata', { metadata: { a: new Date(0) } }],
    ['dueAt', { dueAt: 5 }],
    ['duePredicate', { duePredicate: [{ state: { path: 'a', op: 'exists' } }] }],
    ['duePredicate', { layer: 'prospective', duePredicate: ['some_tool'] }],
    ['duePredicate', { layer: 'prospective', duePredicate: [] }],
    ['duePredicate', { layer: 'prospective', duePredicate: [{ state: { path: 'a', op: 'gt' } }] }],
    ['sequence.index', { sequence: { sessionId: 's' } }],
    ['sequence.sessionId', { sequence: { index: 1 } }],
    ['embedding', { embedding: [] }],
    ['embedding', { embedding: [0, 0] }],
    ['embedding', { embedding: [1, Number.NaN] }],
    ['embedding', { embedding: ['1'] }],
    ['entry', { importnace: 3 }],
  ])('refuses a malformed %s: %o', (field, more) => {
    expect(() => parse(more)).toThrow(
      expect.objectContaining({
        code: 'MEMORY_ENTRY_INVALID',
        details: { field },
        message: expect.stringMatching(/Mend "/),
      }),
    )
  })

  it.each([
    ['content', { content: 'x'.repeat(memoryLimits.contentChars + 1) }],
    ['context', { context: 'x'.repeat(memoryLimits.contextChars + 1) }],
    ['label', { label: 'x'.repeat(memoryLimits.nameChars + 1) }],
    ['id', { id: 'x'.repeat(memoryLimits.idChars + 1) }],
    ['links', { links: Array(memoryLimits.links + 1).fill({ to: 'x', relation: 'r' }) }],
    ['supersedes', { supersedes: Array(memoryLimits.supersedes + 1).fill('x') }],
    ['metadata', { metadata: { a: 'x'.repeat(memoryLimits.jsonChars + 1) } }],
    ['metadata', { metadata: { a: Array(memoryLimits.jsonValues + 1).fill(0) } }],
    ['metadata', { metadata: cyclic }],
    ['metadata', { metadata: deep }],
    ['embedding', { embedding: Array(memoryLimits.embeddingDimensions + 1).fill(1) }],
  ])('refuses a %s over its bound', (field, more) => {
    expect(() => parse(more)).toThrow(
      expect.objectContaining({
        code: 'MEMORY_ENTRY_TOO_LARGE',
        details: expect.objectContaining({ field }),
      }),
    )
  })

  it.each([null, undefined, 'text', [draft]])('refuses %o, which is no entry', (value) => {
    expect(() => parseEntry(value as never, { now })).toThrow(
      expect.objectContaining({ code: 'MEMORY_ENTRY_INVALID' }),
    )
  })

  it('survives metadata that throw while they are read', () => {
    const metadata = {
      get trap(): never {
        throw new Error('no')
      },
    }
    expect(() => parse({ metadata })).toThrow(
      expect.objectContaining({ code: 'MEMORY_ENTRY_INVALID' }),
    )
  })
})

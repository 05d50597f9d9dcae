import { describe, expect, it } from 'vitest'
import { createMemory, type Memory } from './create-memory.ts'
import type { EntryDraft, StoredEntry } from './entry.ts'
import { createInMemoryStore } from './in-memory-store.ts'
import { createScrubber } from './scrub.ts'
import { scrubEntry, scrubId } from './scrub-entry.ts'
import { scrubStore } from './scrub-store.ts'

// Put together here, so that no text of this repository looks like a secret.
const secret = ['sk', '-ant-', 'api03-', 'AbCdEfGhIjKlMnOpQrStUvWxYz0123456789'].join('')
const ann = { tenantId: 'acme', userId: 'ann' }
const tenant = { tenantId: 'acme' }
const hello: EntryDraft = { layer: 'semantic', content: 'hello', provenance: { source: 'author' } }
const said = (speaker: string) => [{ role: 'user', text: 'hello', speaker } as const]

async function everythingIn(memory: Memory): Promise<StoredEntry[]> {
  await memory.flush()
  const entries: StoredEntry[] = []
  for (const scope of [ann, tenant]) {
    for await (const entry of memory.exportAll(scope)) entries.push(entry)
  }
  return entries
}

const doors: Record<string, (memory: Memory) => Promise<unknown>> = {
  content: (memory) => memory.remember(ann, { ...hello, content: secret }),
  context: (memory) => memory.remember(ann, { ...hello, context: secret }),
  label: (memory) => memory.remember(ann, { ...hello, label: secret }),
  kind: (memory) => memory.remember(ann, { ...hello, kind: secret }),
  subject: (memory) => memory.remember(ann, { ...hello, subject: secret }),
  id: (memory) => memory.remember(ann, { ...hello, id: secret }),
  supersedes: (memory) => memory.remember(ann, { ...hello, supersedes: [secret] }),
  supersededBy: (memory) => memory.remember(ann, { ...hello, supersededBy: secret }),
  provenance: (memory) => {
    const provenance = { turnId: secret, tool: secret, author: secret, sourceTag: secret }
    return memory.remember(ann, { ...hello, provenance: { source: 'author', ...provenance } })
  },
  'links.relation': (memory) =>
    memory.remember(ann, { ...hello, links: [{ to: 'x', relation: secret }] }),
  'links.to': (memory) =>
    memory.remember(ann, { ...hello, links: [{ to: secret, relation: 'r' }] }),
  metadata: (memory) =>
    memory.remember(ann, { ...hello, metadata: { a: [secret, { [secret]: 1 }] } }),
  duePredicate: (memory) => {
    const duePredicate = [{ state: { path: 'x', op: 'eq', value: secret } }] as const
    return memory.remember(ann, { ...hello, layer: 'prospective', duePredicate })
  },
  sequence: (memory) =>
    memory.remember(ann, { ...hello, sequence: { sessionId: secret, index: 0 } }),
  'the handle of a layer': (memory) =>
    memory.getLayer('semantic').remember(ann, { ...hello, kind: secret }),
  'the tag of a skill': (memory) =>
    memory.seedAuthoredSkill(
      ann,
      { label: secret, content: secret, actionTool: secret, steps: [secret] },
      { sourceTag: secret },
    ),
  'the domain of an identity': (memory) =>
    memory.seedIdentity(ann, { domainName: secret, depth: 0 }),
  'the author of a correction': async (memory) => {
    const { id } = await memory.remember(ann, hello)
    await memory.correct(ann, { id, content: 'z', author: secret, turnId: secret })
  },
  'a speaker': (memory) =>
    memory.consolidate(ann, { turnId: 't', sessionId: 's', messages: said(secret) }),
  'the ids of a turn': (memory) =>
    memory.consolidate(ann, { turnId: secret, sessionId: secret, messages: said('Ann') }),
  'a transcript': (memory) =>
    memory.refillWorking(ann, { sessionId: secret, messages: said(secret) }),
}

describe('a memory keeps no secret', () => {
  it.each(Object.entries(doors))('that comes in by %s', async (_, enter) => {
    const memory = createMemory({ store: createInMemoryStore() })
    await enter(memory)
    const entries = await everythingIn(memory)
    expect(entries.length).toBeGreaterThan(0)
    expect(JSON.stringify(entries)).not.toContain(secret.slice(14))
  })

  it('and finds by the id, the names and the place that held one', async () => {
    const memory = createMemory({ store: createInMemoryStore() })
    const { id } = await memory.remember(ann, {
      ...hello,
      id: secret,
      subject: secret,
      sequence: { sessionId: secret, index: 3 },
    })
    expect(id).toMatch(/^r_[0-9a-f]{32}$/)
    await expect(memory.remember(ann, { ...hello, id: secret })).resolves.toEqual({
      id,
      created: false,
    })
    await memory.remember(ann, { ...hello, id: 'other', content: 'other', subject: secret })
    const filter = { subject: secret }
    expect((await memory.list(ann, { filter })).entries.map((entry) => entry.id)).toEqual(['other'])
    expect(await memory.forget(ann, { ids: [secret] })).toBe(1)
    expect(await memory.forget(ann, { subject: secret })).toBe(1)
  })

  it.each([secret, 'run_live_0123456789abcdef01234567'])(
    'and writes a turn once that is told twice by the name %s',
    async (turnId) => {
      const memory = createMemory({ store: createInMemoryStore() })
      const turn = { turnId, sessionId: 's', messages: said('Ann') }
      await memory.consolidate(ann, turn)
      expect(await memory.consolidate(ann, turn)).toMatchObject({ created: 0, failed: false })
      expect((await memory.getLayer('episodic').list(ann)).entries).toHaveLength(1)
    },
  )

  it('and goes on with a conversation whose id looks like one', async () => {
    const memory = createMemory({ store: createInMemoryStore() })
    for (const turnId of ['t1', 't2', 't2']) {
      await memory.consolidate(ann, {
        turnId,
        sessionId: secret,
        messages: [{ role: 'user', text: `hello ${turnId}` }],
      })
    }
    const { entries } = await memory.list(ann, {
      filter: { sessionId: secret, layers: ['episodic'] },
      order: 'oldest',
    })
    expect(entries.map(({ sequence }) => sequence?.index)).toEqual([0, 1])
    const { working } = await memory.hydrate(ann, { query: 'hello', sessionId: secret })
    expect(working).toHaveLength(2)
    expect(await memory.forget(ann, { source: { sessionId: secret } })).toBe(4)
  })
})

describe('scrubEntry', () => {
  const scrubber = createScrubber()

  it('returns an entry without secrets itself, and what is malformed for others to refuse', () => {
    const entry = { ...hello, links: [{ to: 'x', relation: 'knows' }], metadata: {} }
    expect(scrubEntry(entry, scrubber)).toBe(entry)
    for (const odd of [undefined, null, 7, { content: 3, links: [null], provenance: 'x' }]) {
      expect(scrubEntry(odd as never, scrubber)).toBe(odd)
    }
  })

  it('keeps names within their limit', () => {
    const label = `${'a'.repeat(155)} password=hunter22 and so on until the end`
    const { label: kept = '' } = scrubEntry({ ...hello, label }, scrubber)
    expect(kept).toContain('[removed:password]')
    expect(kept.length).toBeLessThanOrEqual(200)
  })

  it('derives the same id again, and leaves one that it derived', () => {
    const derived = scrubId(secret, scrubber)
    expect(scrubId(secret, scrubber)).toBe(derived)
    expect(scrubId(derived, scrubber)).toBe(derived)
    expect(scrubId('chat-1', scrubber)).toBe('chat-1')
    expect(scrubId(secret, createScrubber({ secretsInText: false }))).toBe(secret)
  })
})

describe('scrubStore', () => {
  it('passes on what it does not understand, so that the store refuses it', async () => {
    const store = scrubStore(createInMemoryStore(), createScrubber())
    for (const odd of [undefined, null, 'x']) {
      for (const call of ['write', 'get', 'neighbours', 'remove'] as const) {
        const run = async () => (store[call] as (...given: unknown[]) => unknown)(ann, odd, {})
        await expect(run()).rejects.toMatchObject({ name: 'MemoryError' })
      }
    }
  })
})

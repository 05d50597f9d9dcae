import { describe, expect, it } from 'vitest'
import { conversationKey } from './conversation-key.ts'
import { all, ann, setUp } from './testing-fixtures/told-memory.ts'

const long = 'S'.repeat(250)
const turn = (sessionId: string, text: string) => ({
  turnId: `turn-${text}`,
  sessionId,
  messages: [{ role: 'user' as const, text }],
})

describe('the key of a conversation', () => {
  it.each(['', 's', 'S'.repeat(200)])('is the id itself where it is no longer than an id', (id) => {
    expect(conversationKey(id)).toBe(id)
  })

  it('is of a fixed length and its own for every longer id', () => {
    const ids = [long, `${long}x`, `${long}\ud800`, `${long}\udbff`, `${long}\ufffd`]
    const keys = ids.map(conversationKey)
    expect(new Set(keys).size).toBe(ids.length)
    for (const key of keys) expect(key).toMatch(/^c_[0-9a-f]{64}$/u)
  })

  it('lets a memory learn, show, find and forget a conversation with a long id', async () => {
    const { memory } = setUp()
    for (const sessionId of [`${long}a`, `${long}b`]) {
      const outcome = await memory.consolidate(ann, turn(sessionId, `told in ${sessionId.at(-1)}`))
      expect(outcome).toMatchObject({ created: 1, failed: false })
    }
    const sessionId = `${long}a`
    const { working } = await memory.hydrate(ann, { query: 'told', sessionId })
    expect(working.map(({ content }) => content)).toEqual(['told in a'])
    const { entries } = await memory.list(ann, { filter: { sessionId, layers: ['episodic'] } })
    expect(entries.map(({ content }) => content)).toEqual(['told in a'])
    expect(await memory.forget(ann, { source: { sessionId } })).toBe(2)
    expect((await all(memory, ann)).map(({ content }) => content)).toEqual([
      'told in b',
      'told in b',
    ])
  })

  it('counts an empty id as no session: each turn is a conversation of its own', async () => {
    const { memory } = setUp()
    expect(await memory.consolidate(ann, turn('', 'one'))).toMatchObject({ failed: false })
    expect(await memory.consolidate(ann, turn('', 'two'))).toMatchObject({ failed: false })
    const { working, failed } = await memory.hydrate(ann, { query: 'one', sessionId: '' })
    expect([working, failed]).toEqual([[], false])
    const messages = [{ role: 'user' as const, text: 'earlier' }]
    expect(await memory.refillWorking(ann, { sessionId: '', messages })).toBe(0)
    const { entries } = await memory.list(ann, { filter: { layers: ['episodic'] } })
    expect(entries.map(({ sequence }) => sequence?.sessionId).sort()).toEqual([
      'turn-one',
      'turn-two',
    ])
  })
})

import { createInMemoryStore, defaultRecallSettings } from '@symfonic/memory'
import { createSqliteStore } from '@symfonic/memory/sqlite'
import { describe, expect, it } from 'vitest'
import { askAll, askPlainBm25, compareRecall, rememberAll } from './compare-recall.ts'
import { type Conversation, readConversations } from './conversations.ts'
import { recallOf, type Trial } from './recall-at.ts'

const locomo = readConversations('locomo')
const bfcl = readConversations('bfcl-memory')
const answerable = (trials: readonly Trial[]) =>
  trials.filter(({ category }) => category !== 'adversarial')

const small: Conversation = {
  id: 'small',
  sessions: [
    {
      id: 'one',
      at: Date.UTC(2026, 0, 5),
      turns: [
        { id: 't1', speaker: 'Ann', text: 'Where did you buy the telescope?' },
        { id: 't2', speaker: 'Ben', text: 'In a small shop.' },
        { id: 't3', speaker: 'Ann', text: 'My sister sells cheese.' },
      ],
    },
  ],
  questions: [
    { text: 'Where does the telescope come from?', category: 'plain', evidence: ['t2'] },
    { text: 'What did Ben say of cheese?', category: 'odd', evidence: ['t3'] },
  ],
  leftOut: 1,
}

describe('the comparison of recall', () => {
  it('tells a category apart, and what was left out', async () => {
    const { text, ratios } = await compareRecall([small], { factor: 1, apart: 'odd' })
    expect(text).toContain('1 conversations, 3 turns, 2 questions (1 without evidence left out)')
    expect(text).toMatch(/^all but odd +1 +0\.000 0\.000 0\.000 +1\.000 1\.000 1\.000/m)
    expect(text).toMatch(/^odd +1 /m)
    expect(ratios.map(({ ratio, bound }) => [ratio, bound])).toEqual([
      [0, 1],
      [0, 1],
    ])
  })

  it('refuses a question whose evidence is not in the conversation', async () => {
    const question = { text: 'Who?', category: 'plain', evidence: ['t9'] }
    const wrong = { ...small, questions: [question] }
    await expect(compareRecall([wrong], { factor: 1 })).rejects.toThrow('"Who?"')
  })

  // Floors, a little below what is reached: .802 at 10, where plain BM25 has .605. Over SQLite one
  // conversation has to do, because a test should be quick.
  it.skipIf(locomo === undefined).each([
    ['in memory', () => createInMemoryStore(), 6, 0.795],
    ['over SQLite', () => createSqliteStore(':memory:'), 1, 0.77],
  ] as const)(
    'finds at least 1.25 times the evidence of plain BM25 on LoCoMo at 10, %s',
    async (_, create, count, floor) => {
      const conversations = (locomo ?? []).slice(0, count)
      const remembered = await rememberAll(conversations, create())
      const plain = recallOf(answerable(conversations.flatMap((each) => askPlainBm25(each))))
      const ours = recallOf(answerable(await askAll(remembered, defaultRecallSettings)))
      expect(ours[1]).toBeGreaterThan(floor)
      expect(ours[1]).toBeGreaterThan(1.25 * (plain[1] ?? 0))
      for (const [at, value] of plain.entries()) expect(ours[at]).toBeGreaterThan(1.2 * value)
    },
  )

  it.skipIf(bfcl === undefined)(
    'finds .95 of the evidence at 10 where plain words suffice',
    async () => {
      const remembered = await rememberAll(bfcl ?? [], createInMemoryStore())
      expect(recallOf(await askAll(remembered, defaultRecallSettings))[1]).toBeGreaterThan(0.95)
    },
  )
})

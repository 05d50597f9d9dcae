import { describe, expect, it } from 'vitest'
import { identityKind, type StoredEntry } from '../entry.ts'
import { noon, sample } from '../testing/sample.ts'
import { planMerge } from './plan-merge.ts'

const stored = (id: string, content: string, more: object = {}): StoredEntry => ({
  ...sample(id, { content, ...more }),
  version: 3,
})
const plan = (...entries: StoredEntry[]) => planMerge(entries, { now: noon + 1 })

describe('planMerge', () => {
  it('keeps the oldest, with the best of all, and supersedes the others', async () => {
    const puts = await plan(
      stored('new', 'Ann likes green tea!', {
        createdAt: noon + 5,
        importance: 9,
        recallCount: 2,
        links: [
          { to: 'old', relation: 'same' },
          { to: 'x', relation: 'near' },
        ],
      }),
      stored('old', 'Ann likes green tea', { recallCount: 1, strength: 0.9 }),
      stored('other', 'Ann likes black tea'),
    )
    expect(puts).toMatchObject([
      { entry: { id: 'new', supersededBy: 'old' }, expectedVersion: 3 },
      {
        entry: {
          id: 'old',
          importance: 9,
          strength: 0.9,
          recallCount: 3,
          supersedes: ['new'],
          links: [{ to: 'x', relation: 'near' }],
        },
        expectedVersion: 3,
      },
    ])
  })

  it.each([
    [
      'a number differs',
      stored('a', 'The code of the door is 1234 at home'),
      stored('b', 'The code of the door is 1235 at home'),
    ],
    [
      'the subject differs',
      stored('a', 'likes tea', { subject: 'Ann' }),
      stored('b', 'likes tea', { subject: 'Bob' }),
    ],
    ['the label differs', stored('a', 'tea', { label: 'x' }), stored('b', 'tea')],
    ['one is an episode', stored('a', 'tea', { layer: 'episodic' }), stored('b', 'tea')],
    ['one is superseded', stored('a', 'tea', { supersededBy: 'c' }), stored('b', 'tea')],
    [
      'they are an identity',
      stored('a', 'desk', { kind: identityKind }),
      stored('b', 'desk', { kind: identityKind }),
    ],
    ['they have no words', stored('a', '!!!'), stored('b', '???')],
    ['much differs', stored('a', 'Ann flew to Rome'), stored('b', 'Ann flew to Oslo')],
  ] as [string, StoredEntry, StoredEntry][])('merges nothing where %s', async (_, one, other) => {
    expect(await plan(one, other)).toEqual([])
  })

  it('lets others have their turn within a page of long texts, and stops when it is told to', async () => {
    const entries = Array.from({ length: 20 }, (_, index) =>
      stored(`e${index}`, 'tea '.repeat(5_000)),
    )
    let pauses = 0
    const puts = await planMerge(entries, {
      now: noon,
      pause: async () => {
        pauses += 1
        return true
      },
    })
    expect(puts).toHaveLength(20)
    expect(pauses).toBeGreaterThan(4)
    expect(await planMerge(entries, { now: noon, pause: async () => false })).toBeUndefined()
  })
})

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
  it('keeps the newest, with the best of all, and supersedes the others', async () => {
    const puts = await plan(
      stored('new', 'Ann likes green tea!', { createdAt: noon + 5, recallCount: 2 }),
      stored('old', '“ann likes  green tea.”', { recallCount: 1 }),
      stored('best', 'Ann likes green tea', {
        createdAt: noon + 2,
        importance: 9,
        strength: 0.9,
        links: [
          { to: 'old', relation: 'same' },
          { to: 'x', relation: 'near' },
        ],
      }),
      stored('other', 'Ann likes black tea'),
    )
    expect(puts).toMatchObject([
      { entry: { id: 'best', supersededBy: 'new' }, expectedVersion: 3 },
      { entry: { id: 'old', supersededBy: 'new' }, expectedVersion: 3 },
      {
        entry: {
          id: 'new',
          content: 'Ann likes green tea!',
          importance: 9,
          strength: 0.9,
          recallCount: 3,
          supersedes: ['best', 'old'],
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
    [
      'one was written by a person',
      stored('a', 'tea', { provenance: { source: 'author' } }),
      stored('b', 'tea', { provenance: { source: 'extraction' } }),
    ],
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

  const journey =
    'Ann travels every summer by night train from Lisbon through Madrid and Barcelona towards Marseille with her sister Clara, two bicycles, a tent and her old violin to visit'
  it.each([
    ['Ann is allergic to peanuts', 'Ann is not allergic to peanuts'],
    ['Ann is allergic to peanuts', 'Ann is no longer allergic to peanuts'],
    ['He may share my data', 'He may not share my data'],
    ['Ann can swim', 'Ann can’t swim'],
    ['Ann is here', "Ann isn't here"],
    ['The dog of Ann bit Ben', 'Ben bit the dog of Ann'],
    ['Ann sells the house', 'Ann sold the house'],
    ['Ann found a cat', 'Ann founded a cat'],
    ['Ann bought the flat last year', 'Ann will buy the flat next year'],
    ['Ann was in Ulm before Ben', 'Ben was in Ulm before Ann'],
    ['Ann, says Ben, is late', 'Ann says Ben is late'],
    ['Ann eats meat.', 'Ann eats meat?'],
    ['Ann writes C', 'Ann writes C++'],
    ['It is 5 degrees', 'It is -5 degrees'],
    ['The lens is 1.5', 'The lens is 15'],
    ['Ann likes 🍕', 'Ann likes 🍔'],
    [`${journey} Omar`, `${journey} Wei`],
    ['Ann isst Fleisch', 'Ann isst kein Fleisch'],
    ['Ann mange de la viande', 'Ann ne mange plus de viande'],
    ['Ana come carne', 'Ana no come carne'],
    ['Анна ест мясо', 'Анна не ест мясо'],
    ['Ayşe et yiyor', 'Ayşe et yemiyor'],
    ['آن تأكل اللحم', 'آن لا تأكل اللحم'],
    ['ऐन मांस खाती है', 'ऐन मांस नहीं खाती है'],
    ['เขากินเนื้อ', 'เขาไม่กินเนื้อ'],
    ['他早上喝不加糖的咖啡，晚上会吃肉', '他早上喝不加糖的咖啡，晚上不会吃肉'],
    ['田中さんは肉を食べる', '田中さんは肉を食べない'],
    ['민수는 고기를 먹는다', '민수는 고기를 안 먹는다'],
  ])('keeps both of "%s" and "%s"', async (one, other) => {
    expect(await plan(stored('a', one), stored('b', other, { createdAt: noon + 5 }))).toEqual([])
    expect(await plan(stored('a', other), stored('b', one, { createdAt: noon + 5 }))).toEqual([])
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

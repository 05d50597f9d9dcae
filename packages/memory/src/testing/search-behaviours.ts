import { defineBehaviours } from './behaviour.ts'
import { holds, same } from './expect.ts'
import { filterRows, filterSamples } from './filter-rows.ts'
import { here, idsOf, noon, put, sample } from './sample.ts'

/** What is found by words and by vectors. */
export const searchBehaviours = defineBehaviours([
  {
    name: 'ranks-by-text',
    title: 'ranks by how well words match, best first',
    needs: 'ranksByText',
    async check(store) {
      await put(store, here, [
        sample('both', { content: 'The saffron risotto was a success.' }),
        sample('one', { content: 'We bought saffron, and then a great many other things too.' }),
        sample('beside', { content: 'It was lovely.', context: 'risotto with saffron' }),
        sample('none', { content: 'Nothing to do with it.' }),
      ])
      const ranked = await store.search(here, 'saffron risotto?', { limit: 10 })
      same(ranked[0]?.id, 'both', 'the best')
      same(idsOf(ranked).sort(), ['beside', 'both', 'one'], 'all that match')
      holds(
        ranked.every(
          ({ score }, index) => score > 0 && score <= (ranked[index - 1]?.score ?? score),
        ),
        'Scores are not above 0 and falling.',
      )
      same(idsOf(await store.search(here, 'saffron risotto', { limit: 1 })), ['both'], 'limit')
      for (const nothing of [
        '',
        '   ',
        '?!',
        '"',
        "'; --",
        'AND OR NOT',
        'zebra',
        '*',
        '"a NEAR b"',
      ]) {
        const found = await store.search(here, nothing, { limit: 10 })
        same(found, [], `search for ${JSON.stringify(nothing)}`)
      }
    },
  },
  {
    name: 'levels-words',
    title: 'finds words in another case, width, accent or ending',
    needs: 'ranksByText',
    async check(store) {
      await put(store, here, [
        sample('a', { content: 'Caroline’s CAFÉS are running' }),
        sample('b', { content: 'the unrelated' }),
      ])
      for (const text of ['caroline', 'cafe', 'Café', 'run', 'ｃａｆｅ', "Caroline's"]) {
        same(idsOf(await store.search(here, text, { limit: 5 })), ['a'], text)
      }
    },
  },
  {
    name: 'finds-any-script',
    title: 'finds words of any script, with and without blanks between them',
    needs: 'ranksByText',
    async check(store) {
      const rows: [id: string, content: string, asked: string][] = [
        ['chinese', '我昨天在北京的图书馆借了一本书', '图书馆'],
        ['japanese', '京都で抹茶を飲みました', '抹茶'],
        ['kana', 'ラーメンがすきです', 'ラーメン'],
        ['korean', '서울에서 김치를 먹었다', '김치를'],
        ['thai', 'ฉันชอบกินข้าวผัด', 'ข้าวผัด'],
        ['arabic', 'زرت مكتبة المدينة أمس', 'مكتبة'],
        ['hebrew', 'קניתי ספר בירושלים', 'ספר'],
        ['russian', 'Вчера мы ходили в Эрмитаж', 'эрмитаж'],
        ['greek', 'Πήγαμε στη θάλασσα', 'θάλασσα'],
        ['hindi', 'मैंने दिल्ली में चाय पी', 'दिल्ली'],
        ['german', 'Die Straßenbahn fährt über die Brücke', 'straßenbahn'],
      ]
      await put(
        store,
        here,
        rows.map(([id, content]) => sample(id, { content })),
      )
      for (const [id, , asked] of rows) {
        same(idsOf(await store.search(here, asked, { limit: 5 }))[0], id, asked)
      }
    },
  },
  {
    name: 'follows-changes-of-text',
    title: 'finds what an entry says now, and not what it said before',
    needs: 'ranksByText',
    async check(store) {
      await put(store, here, [sample('a', { content: 'a walnut', context: 'and a hazelnut' })])
      await put(store, here, [sample('a', { content: 'an almond' })])
      await store.touch(here, ['a'], { at: noon })
      for (const [text, wanted] of [
        ['almond', ['a']],
        ['walnut', []],
        ['hazelnut', []],
      ] as const) {
        same(idsOf(await store.search(here, text, { limit: 5 })), wanted, text)
      }
    },
  },
  {
    name: 'filters-searches',
    title: 'searches among what the filter lets through, to the full limit',
    needs: 'ranksByText',
    async check(store) {
      await put(store, here, [
        ...Array.from({ length: 40 }, (_, index) =>
          sample(`n${index}`, { content: 'melon melon' }),
        ),
        ...Array.from({ length: 3 }, (_, index) =>
          sample(`e${index}`, { layer: 'episodic', content: 'one melon among many other things' }),
        ),
        sample('old', { content: 'melon', supersededBy: 'n1' }),
      ])
      const wanted = { limit: 3, filter: { layers: ['episodic'] } } as const
      same(idsOf(await store.search(here, 'melon', wanted)).sort(), ['e0', 'e1', 'e2'], 'by layer')
      const old = { limit: 9, filter: { status: 'superseded' } } as const
      same(idsOf(await store.search(here, 'melon', old)), ['old'], 'superseded')
    },
  },
  {
    name: 'filters-text-searches',
    title:
      'finds by words what every key of a filter lets through, and only what is current by default',
    needs: 'ranksByText',
    async check(store) {
      await put(store, here, filterSamples())
      for (const [filter, wanted] of filterRows) {
        const found = await store.search(here, 'says', { limit: 20, filter })
        same(idsOf(found).sort(), wanted, JSON.stringify(filter))
      }
      const found = await store.search(here, 'says', { limit: 20 })
      same(idsOf(found).sort(), filterRows[0]?.[1], 'without a filter')
    },
  },
  {
    name: 'filters-vector-searches',
    title:
      'finds by vectors what every key of a filter lets through, and only what is current by default',
    needs: 'ranksByVector',
    async check(store) {
      await put(store, here, filterSamples())
      const asked = new Float32Array([1, 0])
      for (const [filter, wanted] of filterRows) {
        const found = await store.searchVector(here, asked, { limit: 20, filter })
        same(idsOf(found).sort(), wanted, JSON.stringify(filter))
      }
      const found = await store.searchVector(here, asked, { limit: 20 })
      same(idsOf(found).sort(), filterRows[0]?.[1], 'without a filter')
    },
  },
  {
    name: 'ranks-what-is-there-now',
    title: 'ranks by what is there now, whatever was there when it was asked before',
    needs: 'ranksByText',
    async check(store) {
      const ask = async (tenantId: string) =>
        idsOf(await store.search({ tenantId }, 'cello vienna opera', { limit: 20 }))
      const talk = (name: string, count: number, content: string) =>
        Array.from({ length: count }, (_, at) =>
          sample(`${name}${at}`, { content: `${content} about day ${name} ${at}` }),
        )
      const steps = [
        [sample('first', { content: 'the opera was long and I do not remember much of it' })],
        talk('chat', 300, 'some more or less idle talk'),
        [...talk('best', 12, 'cello in vienna'), ...talk('one', 3, 'opera')],
      ]
      for (const step of steps) {
        await put(store, { tenantId: 'asked' }, step)
        await ask('asked')
      }
      await put(store, { tenantId: 'fresh' }, steps.flat())
      const wanted = await ask('fresh')
      same(await ask('asked'), wanted, 'ranking of a scope that was asked as it grew')
      const gone = { ids: wanted.slice(0, 5) }
      for (const tenantId of ['asked', 'fresh']) await store.remove({ tenantId }, gone)
      same(await ask('asked'), wanted.slice(5), 'ranking after the best were removed')
    },
  },
  {
    name: 'ranks-by-vector',
    title: 'ranks by cosine similarity among vectors of the same dimensions',
    needs: 'ranksByVector',
    async check(store) {
      await put(store, here, [
        sample('same', { embedding: [2, 0] }),
        sample('near', { embedding: [1, 0.5] }),
        sample('far', { embedding: [-1, 0] }),
        sample('other', { embedding: [1, 0, 0] }),
        sample('none'),
        sample('old', { embedding: [1, 0], supersededBy: 'same' }),
        sample('episode', { layer: 'episodic', embedding: [1, 0] }),
      ])
      const filter = { layers: ['semantic'] } as const
      const asked = new Float32Array([1, 0])
      const ranked = await store.searchVector(here, asked, { limit: 10, filter })
      same(idsOf(ranked), ['same', 'near', 'far'], 'ranking')
      const [first, , last] = ranked
      holds(Math.abs((first?.score ?? 0) - 1) < 1e-5, 'The score of a parallel vector is not 1.')
      holds(Math.abs((last?.score ?? 0) + 1) < 1e-5, 'The score of an opposite vector is not -1.')
      same(idsOf(await store.searchVector(here, asked, { limit: 1, filter })), ['same'], 'limit')
      await put(store, here, [sample('same', { embedding: [0, 1] }), sample('near')])
      const after = await store.searchVector(here, asked, { limit: 10, filter })
      same(idsOf(after), ['same', 'far'], 'after one was replaced and one lost its vector')
    },
  },
])

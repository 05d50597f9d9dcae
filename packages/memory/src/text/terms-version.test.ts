import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { plainStems } from './irregular-forms.ts'
import { querySearchTerms, searchTerms, termsVersion } from './search-terms.ts'
import { stopWords } from './stop-words.ts'

/** Sentences that go through every rule there is, in many scripts. */
const sentences = [
  'Caroline’s cousins went hiking, bought 3 boats & won’t be flying until October 2024.',
  "don't the children's wolves' o'clock rock'n'roll re-entry e-mail a_b x.y",
  'nationalization relational hopping ponies agreed happily conditional sky skies',
  'Straße STRASSE Ægir Łódź İstanbul ıspanak ﬁnal Ⅻ ½ x² Å ＡＢＣ１２３',
  'naïve façade Österreich piñata Đà Nẵng Ελλάδα θάλασσα ΣΊΣΥΦΟΣ Ёлка Київ',
  '昨天我在北京的图书馆借了一本书。東京タワーでラーメンを食べた、㍿々〆 ｶﾞｷﾞ',
  '서울에서 김치를 먹었다. K팝을 집 한국어 ㄱㄴ',
  'ฉันชอบกินข้าวผัด ຂ້ອຍມັກ ខ្ញុំចូលចិត្ត ကျွန်တော်',
  'زرت المكتبة وبالقهوة للمدينة قَهْوَةٌ قهــوة آل کتاب ی ١٢٣ ﷺ',
  'קניתי ספר בירושלים שָׁלוֹם मैंने दिल्ली में चाय पी বাংলা தமிழ் ქართული አማርኛ',
  'I ❤️ 🍕 in 🇫🇷 👍🏽 👩‍👩‍👧 © ® ™ 7️⃣ 𝒳𐐷 \u0000 \ud800',
  `${'supercalifragilistic'.repeat(4)} ${'𝒳'.repeat(60)} the of and`,
  'the of and',
  Array.from({ length: 20_000 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join(''),
]

/** What each version gives for them, by number. A version that was published is never edited. */
const published = ['43a6994cbd80abd14562cc2c954b931e9493e7c9965e9a63adf853cdaad3356b']

it('gives the terms of its version: who changes one raises termsVersion and adds a line', () => {
  const corpus = [...sentences, ...stopWords, ...plainStems.keys(), ...plainStems.values()]
  const terms = corpus.map((text) => [searchTerms(text), querySearchTerms(text)])
  const hash = createHash('sha256').update(JSON.stringify(terms)).digest('hex')
  expect([termsVersion, hash]).toEqual([published.length, published.at(-1)])
})

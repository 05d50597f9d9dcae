/** Ranks documents for a question: indices, best first, of those that share a word with it. */
export type Ranker = (question: string) => readonly number[]

/** How texts become words. */
export type Tokenizer = (text: string) => readonly string[]

const k1 = 1.2
const b = 0.75

/**
 * BM25 as the textbooks have it, over whole turns: what a memory has to beat. It shares no code with the
 * package.
 */
export function plainBm25(documents: readonly string[], tokenize: Tokenizer): Ranker {
  const words = documents.map(tokenize)
  const meanLength = words.reduce((sum, { length }) => sum + length, 0) / words.length
  const postings = new Map<string, Map<number, number>>()
  for (const [document, found] of words.entries()) {
    for (const word of found) {
      const counts = postings.get(word) ?? new Map<number, number>()
      postings.set(word, counts.set(document, (counts.get(document) ?? 0) + 1))
    }
  }
  return (question) => {
    const scores = new Map<number, number>()
    for (const word of tokenize(question)) {
      const counts = postings.get(word) ?? new Map<number, number>()
      const rarity = Math.log(1 + (words.length - counts.size + 0.5) / (counts.size + 0.5))
      for (const [document, count] of counts) {
        const length = words[document]?.length ?? 0
        const damped = count + k1 * (1 - b + (b * length) / meanLength)
        const score = (rarity * count * (k1 + 1)) / damped
        scores.set(document, (scores.get(document) ?? 0) + score)
      }
    }
    return [...scores]
      .sort((one, other) => other[1] - one[1] || one[0] - other[0])
      .map(([at]) => at)
  }
}

/** Lower case, letters and digits. */
export const bareWords: Tokenizer = (text) => text.toLowerCase().match(/[a-z0-9]+/g) ?? []

/** The same without stop words and with the commonest endings cut off. */
export const lightWords: Tokenizer = (text) =>
  bareWords(text)
    .filter((word) => !stopWords.has(word))
    .map(withoutEnding)

function withoutEnding(word: string): string {
  for (const [ending, rest, instead] of endings) {
    if (word.length - ending.length >= rest && word.endsWith(ending)) {
      return word.slice(0, word.length - ending.length) + instead
    }
  }
  return word
}

/** An ending, how many letters must stand before it, and what comes in its place. */
const endings = [
  ['ies', 2, 'y'],
  ['ing', 3, ''],
  ['ed', 3, ''],
  ['ss', 1, 'ss'],
  ['s', 3, ''],
] as const

const stopWords = new Set(
  `i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers
  herself it its itself they them their theirs themselves what which who whom this that these those am is are
  was were be been being have has had having do does did doing a an the and but if or because as until while of
  at by for with about against between into through during before after above below to from up down in out on
  off over under again further then once here there when where why how all any both each few more most other
  some such no nor not only own same so than too very s t can will just don should now`.split(
    /\s+/,
  ),
)

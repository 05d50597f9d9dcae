/** Made-up text of which as much can be had as is wanted, the same on every machine. */
export interface WrittenText {
  /** Words drawn as language draws them: few often, many seldom. */
  words(count: number): string
}

const vocabulary = 20_000

/** So that the commonest word is in one of fifteen messages of twenty words, as it is without stop words. */
const flatness = 50

const consonants = ['b', 'd', 'f', 'g', 'k', 'l', 'm', 'n', 'p', 'r', 's', 't', 'v', 'z']
const vowels = ['a', 'e', 'i', 'o', 'u']

/** Starts a text. The same seed gives the same one. */
export function writeText(seed: number): WrittenText {
  let state = seed >>> 0
  const next = (): number => {
    // A linear congruence is random enough for words.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  return {
    words: (count) =>
      Array.from({ length: count }, () => {
        const rank = flatness * ((vocabulary / flatness + 1) ** next() - 1)
        return wordAt(Math.floor(rank))
      }).join(' '),
  }
}

/** Three syllables, different for each rank. */
function wordAt(rank: number): string {
  let rest = rank
  let word = ''
  for (let syllable = 0; syllable < 3; syllable += 1) {
    word += consonants[rest % consonants.length]
    rest = Math.floor(rest / consonants.length)
    word += vowels[rest % vowels.length]
    rest = Math.floor(rest / vowels.length)
  }
  return word
}

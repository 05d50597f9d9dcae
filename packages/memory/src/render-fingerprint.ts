/** What tells whether a text only repeats what was recalled. */
export interface RecalledFingerprint {
  /**
   * True when the text says nothing that one of the recalled texts does not say: its words occur
   * there as often, and mostly in the same order. A new word, name, number or "not" makes it news, and so does
   * a "not" that is left out.
   */
  readonly covers: (text: string) => boolean
}

/**
 * Pairs of neighbouring words that need not stand side by side in the recalled text: a word left out
 * breaks one or two. Two names that change places break four, and change what is said.
 */
const fewPairs = { most: 3, share: 0.25 }

/** Words of one text that are compared. */
const mostWords = 2_000

/**
 * Remembers what a turn was shown from memory, so that consolidation does not learn it again, whether
 * the model repeats it word for word or nearly so. Letter case, punctuation, the form of unicode and
 * the escapes of `inertText` make no difference. A text without words is never covered.
 *
 * @param recalled - The contents that were recalled.
 */
export function fingerprintRecalled(recalled: readonly string[]): RecalledFingerprint {
  const prints = recalled.map(printOf).filter(({ words }) => words.size > 0)
  return Object.freeze({
    covers: (text: string) => {
      const words = wordsOf(text)
      if (words.length === 0) return false
      const counts = countsOf(words)
      const pairs = pairsOf(words)
      return prints.some((print) => isCovered(counts, pairs, print))
    },
  })
}

interface Print {
  /** How often each word occurs. */
  readonly words: ReadonlyMap<string, number>
  readonly pairs: ReadonlySet<string>
}

function printOf(text: string): Print {
  const words = wordsOf(text)
  return { words: countsOf(words), pairs: new Set(pairsOf(words)) }
}

function countsOf(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

/** Words that turn what is said into its opposite, so that leaving one out is news. Endings that do are new words anyway. */
const negations = new Set(
  `no not never none nor without t nicht kein keine keinen keinem keiner nie niemals ne n pas plus jamais nunca jamás sin
  não nem non mai senza niet geen nooit nigdy inte ingen aldrig không tidak bukan değil не нет никогда لا ليس لم لن
  नहीं मत 안 못 不 没 沒 無 无 未 勿`.split(/\s+/u),
)

function isCovered(
  counts: ReadonlyMap<string, number>,
  pairs: readonly string[],
  print: Print,
): boolean {
  for (const [word, count] of counts) if (count > (print.words.get(word) ?? 0)) return false
  for (const word of negations) if (print.words.get(word) !== counts.get(word)) return false
  const broken = pairs.filter((pair) => !print.pairs.has(pair)).length
  return broken <= Math.min(fewPairs.most, pairs.length * fewPairs.share)
}

function pairsOf(words: readonly string[]): string[] {
  return words.slice(1).map((word, index) => `${words[index]} ${word}`)
}

/** Scripts that write no blanks are compared character by character. */
const unspaced =
  '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}]'
const word = new RegExp(`${unspaced}|(?:(?!${unspaced})[\\p{L}\\p{N}\\p{M}])+`, 'gu')

function wordsOf(text: string): string[] {
  const plain = unescaped(text).normalize('NFKC').toLowerCase()
  return (plain.match(word) ?? []).slice(0, mostWords)
}

/** Undoes what `inertText` writes out, for a model that copies it. */
function unescaped(text: string): string {
  return text.replace(/\\(?:u\{([0-9a-f]{1,6})\}|([nrt"\\]))/g, (written, code?: string) => {
    if (code === undefined) return ' '
    const point = Number.parseInt(code, 16)
    return point > 0x10ffff ? written : String.fromCodePoint(point)
  })
}

/** Characters of a content that are looked at. */
const readChars = 2_000

const sentence = /[^.!?…。！？؟]+[.!?…。！？؟]*/gu

/**
 * How much of a text asks and does not tell, 0 to 1, by the length of its sentences. Who looks something up
 * wants the answer, and the answer is found by the words of its question.
 */
export function questionShare(text: string): number {
  const read = text.slice(0, readChars)
  // Most texts do not ask, and are not cut into sentences.
  if (!/[?？؟]/u.test(read)) return 0
  let all = 0
  let asking = 0
  for (const [found] of read.matchAll(sentence)) {
    all += found.length
    if (/[?？؟]$/u.test(found)) asking += found.length
  }
  return all === 0 ? 0 : asking / all
}

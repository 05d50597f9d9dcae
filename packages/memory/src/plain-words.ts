const quotes = new Set(' "“”„«»')
const endings = new Set([...quotes, ...'.!…。！'])

/**
 * A text without what makes no difference to what it says: case, how unicode spells a letter, the width of blanks,
 * quotation marks around it, and the full stop or exclamation mark at its end. Everything else may change what is said,
 * the order of the words and a comma included, and stays. A text that is nothing else stays as it is.
 */
export function plainWords(text: string): string {
  const level = text.normalize('NFC').toLowerCase().replaceAll('’', "'").replace(/\s+/gu, ' ')
  // Not by a pattern: one that is bound to the end takes long for a text of many marks.
  let end = level.length
  while (end > 0 && endings.has(level[end - 1] ?? '')) end -= 1
  let start = 0
  while (start < end && quotes.has(level[start] ?? '')) start += 1
  return level.slice(start, end) || text
}

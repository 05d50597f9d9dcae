/**
 * What to do about an error of the YAML library, which says what is wrong and leaves it at that.
 *
 * @param code - The library's code for the error.
 * @returns `advice` is a sentence that ends the message; `what` replaces the library's own words
 * where they are about its settings.
 */
export function syntaxAdvice(code: string): { what?: string; advice: string } {
  const advice = adviceByCode.get(code) ?? 'Check the quotes, brackets and indentation here.'
  return code === 'NON_STRING_KEY' ? { what: 'A key must be a plain text', advice } : { advice }
}

/** What to do about a tag such as `!!binary`. */
export const tagMessage =
  'This tag makes something of the value that JSON cannot hold. Remove it, and put a text into quotes.'

const adviceByCode = new Map([
  ['TAB_AS_INDENT', 'Indent with spaces.'],
  ['BAD_INDENT', 'Begin it in the same column as its neighbours.'],
  ['MISSING_CHAR', 'Add what is missing.'],
  ['BAD_DQ_ESCAPE', 'Double the backslash, or use single quotes.'],
  ['BAD_SCALAR_START', 'Put the text into quotes.'],
  ['BLOCK_AS_IMPLICIT_KEY', 'Put a text that holds a colon into quotes, or begin a new line.'],
  ['BLOCK_IN_FLOW', 'Write what is inside brackets with brackets.'],
  ['MULTILINE_IMPLICIT_KEY', 'Look for a missing colon or quote in the lines above.'],
  ['KEY_OVER_1024_CHARS', 'Shorten the key, or look for a missing quote.'],
  ['NON_STRING_KEY', 'Write a plain name before the colon.'],
  ['BAD_ALIAS', 'Write a name, and a space before the colon.'],
  ['ALIAS_PROPS', 'Give anchors and tags to the value that the alias names.'],
  ['MULTIPLE_ANCHORS', 'Keep one of them.'],
  ['MULTIPLE_TAGS', 'Keep one of them.'],
  ['RESOURCE_EXHAUSTION', 'Nest the lists and mappings less deeply.'],
])

/**
 * The tags around what a model writes for memory. The extraction templates tell the model to write
 * them and the stripper removes them, so both read them here.
 *
 * INVARIANT: ASCII, lower case, and `<` stands at the start of a tag and nowhere else in it: the
 * stripper relies on it when it starts over.
 *
 * @see OPEN-MEM-2, MEM-38
 */
export const extractionDelimiter = Object.freeze({
  open: '<memory_extraction>',
  close: '</memory_extraction>',
})

/** The tags without what closes them: enough to know that a block begins or ends. */
export const tagNames = Object.freeze({
  open: extractionDelimiter.open.slice(0, -1),
  close: extractionDelimiter.close.slice(0, -1),
})

/** Whether a character would make a longer name of a tag, as in `<memory_extraction_notes>`. */
export function continuesName(character: string): boolean {
  return /[\w-]/.test(character)
}

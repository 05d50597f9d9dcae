import type { Domain, PromptSection } from '../capability.ts'

/** Longest description that is rendered, in characters; what is behind it is cut off. */
export const longestDescriptionChars = 4_000

/**
 * What the agent is about, at the head of L1. One that is too long is cut at a word, with one warning
 * for each kernel (PROMPT-15).
 */
export function domainSection({ description }: Domain): PromptSection {
  const text = shorten(description)
  let warned = false
  return {
    name: 'domain',
    layer: 'L1',
    priority: 5,
    render: ({ logger }) => {
      if (text !== description && !warned) {
        warned = true
        logger.warn(
          `the domain description has ${description.length} characters and was cut after ${text.length}; shorten it, or give the rest as instructions`,
        )
      }
      return text
    },
  }
}

function shorten(text: string): string {
  if (text.length <= longestDescriptionChars) return text
  let end = longestDescriptionChars
  while (end > 0 && !/\s/.test(text.charAt(end))) end -= 1
  if (end > 0) return text.slice(0, end).trimEnd()
  // One long word. Half a surrogate pair would not survive the wire.
  return text.slice(0, longestDescriptionChars).replace(/[\uD800-\uDBFF]$/, '')
}

import type { Details } from './details.ts'
import type { Property } from './input-schema.ts'

/** Words that give a topic away. */
const signs: readonly (readonly [topic: string, signs: RegExp])[] = [
  ['seat', /\b(?:seats?|aisle|window|legroom|row)\b/],
  ['meal', /\b(?:meals?|eat|food|vegetarian|vegan|halal|kosher|gluten)/],
  ['hotel', /\b(?:hotels?|rooms?|floor)\b/],
  ['airline', /\b(?:airlines?|fly with|carrier)\b/],
]

/** The topic that a word in a sentence gives away. @param words - Lower case. */
export function topicIn(words: string): string | undefined {
  return signs.find(([, pattern]) => pattern.test(words))?.[0]
}

/**
 * The topic of a sentence, as the tool's schema spells its topics. A topic nobody may leave out, and
 * that no word gives away, is `other` where there is such a topic, else the last one.
 */
export function chooseTopic(
  { values, required }: Pick<Property, 'values' | 'required'>,
  { words }: Pick<Details, 'words'>,
): string | undefined {
  const guess = topicIn(words)
  if (values === undefined) return guess ?? (required ? 'other' : undefined)
  const spelled = values.find((value) => words.includes(value.toLowerCase()))
  const fitting = spelled ?? values.find((value) => value === guess)
  if (fitting !== undefined || !required) return fitting
  return values.find((value) => value === 'other') ?? values.at(-1)
}

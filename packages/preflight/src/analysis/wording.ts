import { inertText, toolText } from '../inert-text.ts'
import { canonicalJson } from './canonical-json.ts'

/** Skills in a message, by label, at most four of them. */
export function skillsText(skills: readonly { readonly label: string }[]): string {
  return `${skills.length === 1 ? 'Skill' : 'Skills'} ${listText(skills.map(labelText), 4)}`
}

/** A label in a message: in quotes, and shortened. */
export function labelText({ label }: { readonly label: string }): string {
  const text = inertText(label, 80)
  // Those that were quoted for safety have their quotes already.
  return text.startsWith('"') ? text : `"${text}"`
}

/** A path in a message: in back-ticks, and shortened. */
export function pathText(path: string): string {
  return `\`${inertText(path, 120)}\``
}

/** A value in a message: JSON, on one line, and shortened. */
export function valueText(value: unknown): string {
  const text = canonicalJson(value).replace(
    unprintable,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  )
  return text.length > maxValueChars ? `${[...text].slice(0, maxValueChars).join('')}…` : text
}

const maxValueChars = 80
const unprintable = /[`\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

/** Tools that wait for each other, the first repeated at the end. */
export function circleText(tools: readonly string[]): string {
  return listText([...tools, ...tools.slice(0, 1)].map(toolText), 12, ' needs ')
}

/** Items side by side, ending with how many more there are. */
export function listText(items: readonly string[], max: number, separator = ', '): string {
  const more = items.length - max
  return items.slice(0, max).join(separator) + (more > 0 ? ` and ${more} more` : '')
}

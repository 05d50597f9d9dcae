import type { PredicateExplanation } from './explain.ts'
import { plainText, valueText } from './value-text.ts'

/**
 * A drop as the one line that belongs in a debug log, such as
 *
 * ```
 * skill `slack_only` dropped this turn: state predicate `page_context.platform` eq `'slack'` -> False (state value: 'web')
 * ```
 *
 * Strings stand in single quotes, everything else is JSON, and a path that did not resolve reads
 * `<missing>`. `exists` expects no value and shows none. Each part is cut at 200 characters (a path
 * at 400) and escaped, so the line stays one line of at most about 1,100 characters whatever the
 * state holds. Never throws.
 *
 * @param name - The skill, or whatever was dropped.
 * @see PRE-05, OPEN-PRE-3, OPEN-PRE-4
 */
export function describeDrop(name: string, explanation: PredicateExplanation): string {
  const { path, op, expected, seen, found } = explanation
  const predicate = `\`${plainText(path, 400)}\` ${op}`
  const wanted = op === 'exists' ? '' : ` \`${valueText(expected, { quote: "'" })}\``
  const actual = found ? valueText(seen, { quote: "'" }) : '<missing>'
  return `skill \`${plainText(name)}\` dropped this turn: state predicate ${predicate}${wanted} -> False (state value: ${actual})`
}

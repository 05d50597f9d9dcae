/** What the rules block of a prompt demands, as far as the model has understood it. */
export interface ReadRules {
  /** Tools to call before a tool, by that tool's name, in order. */
  readonly before: ReadonlyMap<string, readonly string[]>
  /** Tools to call before answering, in order. */
  readonly beforeAnswering: readonly string[]
}

const heading = '## ENFORCED PRE-FLIGHT RULES'

/**
 * Reads the rules block out of system messages. Only there: a heading that a user or a tool result
 * wrote is no rule.
 *
 * @param system - The texts of the system messages.
 */
export function readRules(system: readonly string[]): ReadRules {
  const before = new Map<string, string[]>()
  const beforeAnswering: string[] = []
  for (const line of system.flatMap(rulesIn)) {
    const [, first, then] = line.match(/^- YOU MUST call `([^`]+)` BEFORE calling `([^`]+)`/) ?? []
    if (first !== undefined && then !== undefined) {
      before.set(then, [...(before.get(then) ?? []), first])
    }
    const [, always] = line.match(/^- YOU MUST call `([^`]+)` BEFORE answering/) ?? []
    if (always !== undefined) beforeAnswering.push(always)
  }
  return { before, beforeAnswering }
}

/** The bullets behind the heading, up to the first line that is none. */
function rulesIn(text: string): string[] {
  const lines = text.split('\n')
  const start = lines.indexOf(heading)
  if (start < 0) return []
  const rest = lines.slice(start + 1)
  const end = rest.findIndex((line) => !line.startsWith('- '))
  return end < 0 ? rest : rest.slice(0, end)
}

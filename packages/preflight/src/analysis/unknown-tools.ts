import { toolText } from '../inert-text.ts'
import { finding, type SkillFinding } from './finding.ts'
import type { Subject } from './subject.ts'
import { skillsText } from './wording.ts'

/**
 * Finds names of tools that are not among the tools there are, with the name that was most likely
 * meant when there is one that differs little.
 */
export function unknownToolFindings(
  subjects: readonly Subject[],
  tools: ReadonlySet<string>,
): readonly SkillFinding[] {
  const findings: SkillFinding[] = []
  const meant = nearest(tools)
  for (const subject of subjects) {
    const { skill, rule } = subject
    const report = (code: SkillFinding['code'], toolName: string, consequence: string) =>
      findings.push(
        finding(code, {
          skills: [subject],
          tools: [toolName],
          message:
            `${skillsText([subject])} ${consequence} ${meant(toolName)}, or add the tool to the ` +
            'tools there are.',
        }),
      )
    if (rule !== undefined && !tools.has(rule.actionTool)) {
      report(
        'UNKNOWN_ACTION_TOOL',
        rule.actionTool,
        `is about ${toolText(rule.actionTool)}, and there is no such tool: the rule guards nothing.`,
      )
    }
    for (const required of new Set(skill.precondition.tools)) {
      if (tools.has(required)) continue
      const blocked =
        rule === undefined ? '' : `: ${toolText(rule.actionTool)} can never be called by this rule`
      report(
        'UNKNOWN_REQUIRED_TOOL',
        required,
        `requires ${toolText(required)}, and there is no such tool${blocked}.`,
      )
    }
  }
  return findings
}

/** What to write instead of an unknown name. Answers are remembered: a slip tends to be repeated. */
function nearest(tools: ReadonlySet<string>): (unknown: string) => string {
  const advice = new Map<string, string>()
  const plain = new Map<string, string>()
  for (const tool of tools) if (!plain.has(bare(tool))) plain.set(bare(tool), tool)
  let oneOff: ((unknown: string) => string | undefined) | undefined
  return (unknown) => {
    const known = advice.get(unknown)
    if (known !== undefined) return known
    oneOff ??= differingByOne(tools)
    const found = plain.get(bare(unknown)) ?? oneOff(unknown)
    const text =
      found === undefined ? 'Correct the name' : `Write ${toolText(found)} if that is meant`
    advice.set(unknown, text)
    return text
  }
}

/**
 * Finds the first tool whose name differs by one slip. Two such names are equal, or become so when
 * at most one character is taken out of each, so tools are filed by what is left of them then.
 */
function differingByOne(tools: ReadonlySet<string>): (unknown: string) => string | undefined {
  const names = [...tools]
  const filed = new Map<string, number[]>()
  // Of a long name too much would have to be kept; there are few, and these are tried in turn.
  const long: number[] = []
  for (const [position, tool] of names.entries()) {
    if (tool.length > maxFiledChars) {
      long.push(position)
      continue
    }
    for (const rest of withoutOne(tool)) {
      const others = filed.get(rest)
      if (others === undefined) filed.set(rest, [position])
      else others.push(position)
    }
  }
  return (unknown) => {
    let first = Number.POSITIVE_INFINITY
    const consider = (position: number) => {
      if (position < first && differsByOne(unknown, names[position] ?? '')) first = position
    }
    if (unknown.length <= maxFiledChars + 1) {
      for (const rest of withoutOne(unknown)) filed.get(rest)?.forEach(consider)
    }
    if (unknown.length >= maxFiledChars) long.forEach(consider)
    return names[first]
  }
}

const maxFiledChars = 48

/** A name, and what is left of it without each of its characters. */
function withoutOne(name: string): ReadonlySet<string> {
  const rests = new Set([name])
  for (let at = 0; at < name.length; at += 1) rests.add(name.slice(0, at) + name.slice(at + 1))
  return rests
}

function bare(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}

/** One character added, left out or replaced, or two neighbours swapped. */
function differsByOne(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false
  let start = 0
  while (start < one.length && one[start] === other[start]) start += 1
  const rest = [one.slice(start), other.slice(start)] as const
  const [shorter, longer] = rest[0].length <= rest[1].length ? rest : [rest[1], rest[0]]
  if (shorter.length < longer.length) return longer.slice(1) === shorter
  if (shorter.slice(1) === longer.slice(1)) return true
  return (
    shorter.slice(2) === longer.slice(2) && shorter[0] === longer[1] && shorter[1] === longer[0]
  )
}

import type { Skill, SkillSelection } from '@symfonic/preflight'
import { printableLine } from './printable.ts'
import { valueLine } from './value-line.ts'

/** A rule in force: its label, and what comes before what. */
export function describeRule({ label, actionTool, precondition }: Skill): string {
  if (actionTool === undefined) return printableLine(label)
  const { tools } = precondition
  const order = tools.length === 0 ? [actionTool, 'answer'] : [...tools, actionTool]
  return printableLine(`${label}: ${order.join(' → ')}`)
}

/** A rule that is not in force in this turn, with the first of its conditions that failed. */
export function describeDropped({ item, explanation }: SkillSelection['dropped'][number]): string {
  const { path, seen, found } = explanation
  const actual = found ? `is ${valueLine(seen)}` : 'is missing'
  return printableLine(`${item.label}: ${path} ${actual}${wish(explanation)}`)
}

function wish({
  op,
  expected,
}: Pick<SkillSelection['dropped'][number]['explanation'], 'op' | 'expected'>): string {
  switch (op) {
    case 'eq':
      return `, not ${valueLine(expected)}`
    case 'neq':
      return `, must be other than ${valueLine(expected)}`
    case 'in':
      return `, not one of ${valueLine(expected)}`
    case 'exists':
      return ''
  }
}

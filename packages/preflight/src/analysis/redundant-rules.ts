import { grouped } from '../grouped.ts'
import { toolText } from '../inert-text.ts'
import { type ConditionIndex, indexByCondition } from './condition-index.ts'
import type { Condition, Conditions } from './conditions.ts'
import { finding, type SkillFinding } from './finding.ts'
import { isImplied } from './implied.ts'
import type { PathKeys } from './path-keys.ts'
import type { Subject } from './subject.ts'
import { labelText, skillsText } from './wording.ts'

/**
 * Finds skills that change nothing, because another does all that they do: whenever they take part
 * it does too, and it wants at least the same tools before the same action tool. It must matter no
 * less, since the most important skill decides what is forced; and a skill that requires nothing
 * (its action tool comes before the answer) is only made redundant by another such skill.
 *
 * Each redundant skill is named with one that makes it so; skills that do so for each other are
 * duplicates and named together.
 *
 * @param subjects - Skills that can take part.
 */
export function redundantRuleFindings(
  subjects: readonly Subject[],
  conditions: Conditions,
  pathKeys: PathKeys,
): readonly SkillFinding[] {
  const implies = (one: Condition, other: Condition) => {
    const top = conditions.placeOf(one)
    return conditions.predicatesOf(other).every((predicate) => isImplied(predicate, top, pathKeys))
  }
  const bound = subjects.filter(({ rule }) => rule !== undefined)
  return [...grouped(bound, rivalry).values()].flatMap((rivals) => {
    const classes = [...grouped(rivals, sameness).values()].map(asOne)
    const index = indexByCondition(classes, ({ first }) => first.condition, {
      conditions,
      pathKeys,
    })
    return findingsAmong(classes, index, implies)
  })
}

/** Only skills on the same action tool compare, and of these only such as require alike. */
function rivalry({ rule }: Subject): string {
  return `${rule?.required.length === 0 ? 'answer' : 'call'} ${rule?.actionTool}`
}

/** Skills that are alike to the letter, compared with others as one. */
interface Candidate {
  readonly first: Subject
  readonly members: readonly Subject[]
  readonly required: ReadonlySet<string>
  readonly importance: number
}

function sameness({ rule, condition }: Subject): string {
  return JSON.stringify([condition, rule?.importance, [...(rule?.required ?? [])].sort()])
}

function asOne(members: readonly Subject[]): Candidate {
  const [first] = members as [Subject]
  const required = new Set(first.rule?.required)
  return { first, members, required, importance: first.rule?.importance ?? 0 }
}

function findingsAmong(
  classes: readonly Candidate[],
  index: ConditionIndex<Candidate>,
  implies: (one: Condition, other: Condition) => boolean,
): SkillFinding[] {
  const covers = (one: Candidate, other: Candidate) =>
    other.importance <= one.importance &&
    isSubset(other.required, one.required) &&
    implies(other.first.condition, one.first.condition)
  const findings: SkillFinding[] = []
  const told = new Set<Candidate>()
  for (const one of classes) {
    const covering = [...index.maybeImpliedBy(one.first.condition)].filter(
      (other) => other !== one && covers(other, one),
    )
    const twins = covering.filter((other) => covers(one, other))
    const alike = [one, ...twins].flatMap(({ members }) => members)
    if (alike.length > 1 && !told.has(one)) findings.push(duplicates(alike))
    for (const twin of twins) told.add(twin)
    // The one that comes first in the list, whatever the order in which they were found.
    const stronger = covering
      .filter((other) => !twins.includes(other))
      .reduce<Candidate | undefined>(earlier, undefined)
    if (stronger !== undefined) findings.push(shadowed(one.first, stronger.first))
  }
  return findings
}

function earlier(one: Candidate | undefined, other: Candidate): Candidate {
  return one === undefined || other.first.index < one.first.index ? other : one
}

function duplicates(alike: readonly Subject[]): SkillFinding {
  const skills = alike.toSorted((one, other) => one.index - other.index)
  const message = `${skillsText(skills)} say the same about ${actionText(skills[0])}. Keep one of them.`
  return finding('DUPLICATE_RULE', { skills, message })
}

function shadowed(weaker: Subject, stronger: Subject): SkillFinding {
  const message =
    `${skillsText([weaker])} changes nothing: whenever it takes part, ${labelText(stronger)} demands ` +
    `at least as much before ${actionText(weaker)}. Remove it, or correct the one that is not meant.`
  return finding('SHADOWED_RULE', { skills: [weaker, stronger], message })
}

function actionText(subject: Subject | undefined): string {
  return toolText(subject?.rule?.actionTool ?? '')
}

function isSubset(few: ReadonlySet<string>, many: ReadonlySet<string>): boolean {
  if (few.size > many.size) return false
  for (const item of few) if (!many.has(item)) return false
  return true
}

import { grouped } from '../grouped.ts'
import { finding, type SkillFinding } from './finding.ts'
import type { Subject } from './subject.ts'
import { labelText } from './wording.ts'

/** Finds labels that several skills have. */
export function duplicateLabelFindings(subjects: readonly Subject[]): readonly SkillFinding[] {
  return [...grouped(subjects, ({ label }) => label).values()].flatMap((skills) => {
    const [first, second] = skills
    if (first === undefined || second === undefined) return []
    const message =
      `${skills.length} skills are labelled ${labelText(first)}. Give each a label of its ` +
      'own, so that refusals and logs say which one is meant.'
    return finding('DUPLICATE_LABEL', { skills, message })
  })
}

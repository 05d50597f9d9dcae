import { inertText, toolText } from './inert-text.ts'
import type { MissingSteps } from './missing-steps.ts'

/** What a refusal is about. */
export interface RefusedCall extends MissingSteps {
  readonly toolName: string
  /** Labels of the skills that are not satisfied. */
  readonly skills: readonly string[]
}

/**
 * Says to the model which call was refused, under which skills, and what to call first in which
 * order; or, when the requirements go in a circle, that no order will do. Names are rendered as in
 * the rules block, and shortened, and long lists end with how many more there are: the text stays
 * under 2,000 characters whatever it is about. The next refusal names what this one left out.
 *
 * @see PRE-17, OPEN-PRE-5, DESIGN decision 5
 */
export function describeRefusal({ toolName, steps, circle, skills }: RefusedCall): string {
  const tool = toolText(toolName)
  const refused = `The call to ${tool} was refused ${list(skills, maxSkills, ' ', skillOf)}.`
  if (circle.length > 0) {
    const round = list([...circle, ...circle.slice(0, 1)], maxSteps, ' after ', toolText)
    return (
      `${refused} Its requirements go in a circle (${round}), so no order of calls can satisfy ` +
      `them. Do not call ${tool} again; go on without it and report that its rules contradict.`
    )
  }
  return (
    `${refused} Missing, in the order to call them: ${list(steps, maxSteps, ', ', toolText)}. ` +
    `Earlier calls of these do not count here. Call them first, then ${tool} again.`
  )
}

const maxSteps = 16
const maxSkills = 4
const maxLabelChars = 100

function skillOf(label: string): string {
  return `(skill: ${inertText(label, maxLabelChars)})`
}

function list(
  items: readonly string[],
  max: number,
  separator: string,
  render: (item: string) => string,
): string {
  const shown = items.slice(0, max).map(render)
  const more = items.length - shown.length
  return shown.join(separator) + (more > 0 ? ` and ${more} more` : '')
}

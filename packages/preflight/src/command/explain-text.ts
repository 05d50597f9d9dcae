import type { PlanStep } from '../plan-for.ts'
import type { Explanation, ToolExplanation } from './explain.ts'
import type { CommandIo } from './io.ts'
import { printable } from './printable.ts'
import type { PlacedSkill } from './skill-files.ts'

type Painter = Pick<CommandIo, 'paint'>

/** What `explain` found out, for people. */
export function explainText(
  { active, dropped, firstAction, tool }: Explanation,
  io: Painter,
): string {
  const total = active.length + dropped.length
  return [
    io.paint('bold', `${active.length} of ${total} skills take part in this state.`),
    ...active.map((one) => `${io.paint('green', '  takes part')}  ${skillText(one)}`),
    ...dropped.map(({ line }) => `${io.paint('yellow', '  left out')}    ${printable(line)}`),
    ...(firstAction === undefined
      ? []
      : ['', `Were a first action forced, it would be ${printable(firstAction)}.`]),
    ...(tool === undefined ? [] : ['', ...toolLines(tool, io)]),
    '',
  ].join('\n')
}

function skillText({ skill }: PlacedSkill): string {
  const { label, actionTool, precondition } = skill
  if (actionTool === undefined) return `${printable(label)} (no action tool)`
  const required = precondition.tools.length === 0 ? 'the answer' : precondition.tools.join(', ')
  const order =
    precondition.tools.length === 0
      ? `${actionTool} before ${required}`
      : `${required} before ${actionTool}`
  return printable(`${label}: ${order}`)
}

function toolLines({ name, allowed, refusal, plan }: ToolExplanation, io: Painter): string[] {
  const tool = io.paint('bold', printable(name))
  if (allowed) return [`${tool} ${io.paint('green', 'is allowed')} now.`]
  const head = [
    `${tool} ${io.paint('red', 'is refused')} now. The model is told:`,
    `  ${printable(refusal ?? '')}`,
  ]
  return plan.reachable
    ? [
        ...head,
        'To have it allowed, in this order:',
        ...plan.steps.map((step, at) => `  ${at + 1}. ${stepText(step)}`),
      ]
    : [
        ...head,
        'No order of calls leads there. These wait for each other, each for the next:',
        ...plan.circle.map((step) => `  - ${stepText(step)}`),
      ]
}

function stepText({ toolName, skills }: PlanStep): string {
  return printable(`${toolName} (wanted by ${skills.join(', ')})`)
}

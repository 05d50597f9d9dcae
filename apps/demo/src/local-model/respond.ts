import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import { fillInput, type Pursuit } from './fill-input.ts'
import { understandInContext } from './in-context.ts'
import { propertiesOf } from './input-schema.ts'
import { attemptsAt, type Call, type Mind, readRequest } from './mind.ts'
import { type Note, writeNotes } from './note-down.ts'
import { pursue } from './pursue.ts'
import type { Goal } from './understand.ts'

/** What the model makes of a request: calls, or a text. */
export type Response = Exclude<Pursuit, { say: string }> | { readonly text: string }

/**
 * Answers one request. A pure function of it: the model keeps no script and no memory, what it has
 * done it reads in the transcript.
 */
export function respond(request: LanguageModelV4CallOptions): Response {
  const mind = readRequest(request)
  const goals = understandInContext(mind, mind.today)
  const choice = request.toolChoice ?? { type: 'auto' }
  if (choice.type === 'none') return { text: draft(goals, { ...mind, tools: [] }).text }
  if (choice.type === 'tool') {
    const only = mind.tools.filter(({ name }) => name === choice.toolName)
    return forced(only, goals, mind) ?? { text: `There is no tool ${choice.toolName}.` }
  }
  const { next, text, notes } = draft(goals, mind)
  if (next) return next
  const format = callBeforeAnswering(text, mind)
  if ('calls' in format) return format
  if (choice.type === 'required') return forced(mind.tools, goals, mind) ?? format
  return { text: `${format.text}${writeNotes(notes, mind)}` }
}

/** Follows the goals in order, up to the first that needs calls. */
function draft(goals: readonly Goal[], mind: Mind) {
  const says: string[] = []
  const notes: Note[] = []
  for (const goal of goals) {
    const pursuit = pursue(goal, mind)
    if ('calls' in pursuit) return { next: pursuit, text: says.join('\n\n'), notes }
    says.push(pursuit.say)
    if (pursuit.note) notes.push(pursuit.note)
  }
  return { next: undefined, text: says.join('\n\n'), notes }
}

/** Heeds the rules about answering: each of their tools gets the text and may give another. */
function callBeforeAnswering(draft: string, mind: Mind): Response {
  let text = draft
  for (const name of mind.rules.beforeAnswering) {
    const tool = mind.tools.find((each) => each.name === name)
    const input = tool && inputFor(tool, text)
    if (tool === undefined || input === undefined) continue
    const call = { tool, input }
    const last = attemptsAt(mind, call).at(-1)
    if (last === undefined) return { calls: [call] }
    if (last.ok && typeof last.value === 'string') text = last.value
  }
  return { text }
}

function inputFor(tool: LanguageModelV4FunctionTool, text: string): Call['input'] | undefined {
  const properties = propertiesOf(tool)
  const target = properties.find(({ slot }) => slot === 'text' || slot === 'note')
  if (properties.some((each) => each.required && each !== target)) return undefined
  return target ? { [target.name]: text } : {}
}

/**
 * Must call one of these: the one a goal leads to, else one that has not been called and that what
 * was said can fill, else the first, empty as it may be.
 */
function forced(
  tools: readonly LanguageModelV4FunctionTool[],
  goals: readonly Goal[],
  mind: Mind,
): Response | undefined {
  const [first] = tools
  if (first === undefined) return undefined
  const { next, text } = draft(goals, { ...mind, tools })
  if (next) return { calls: next.calls.slice(0, 1) }
  const called = new Set(mind.attempts.map(({ toolName }) => toolName))
  for (const tool of tools.filter(({ name }) => !called.has(name))) {
    const input = inputFromGoals(tool, goals, mind) ?? inputFor(tool, text)
    if (input !== undefined) return { calls: [{ tool, input }] }
  }
  return { calls: [{ tool: first, input: inputFromGoals(first, goals, mind) ?? {} }] }
}

function inputFromGoals(
  tool: LanguageModelV4FunctionTool,
  goals: readonly Goal[],
  mind: Mind,
): Call['input'] | undefined {
  for (const goal of goals) {
    if (goal.kind !== 'deed') continue
    const filled = fillInput(tool, goal.deed, goal.details, mind)
    if ('input' in filled) return filled.input
  }
  return undefined
}

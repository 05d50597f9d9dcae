import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import { correctInput } from './input-schema.ts'
import { attemptsAt, type Call, type Mind, stepsNamedIn } from './mind.ts'

/** How a wanted call stands. */
export type Progress =
  /** These calls come next. `because` is what the model thinks, if it thinks about it. */
  | { readonly state: 'calls'; readonly calls: readonly Call[]; readonly because?: string }
  /** It has been done; `value` is what the tool gave. */
  | { readonly state: 'done'; readonly value: unknown }
  /** It cannot be done. */
  | { readonly state: 'failed'; readonly error: string }

/** Fills the input of a tool that somebody else names; undefined when something is unknown. */
export type Fill = (
  tool: LanguageModelV4FunctionTool,
) => Readonly<Record<string, unknown>> | undefined

/** A call that is refused this often in a turn is given up. */
const refusalLimit = 3

/**
 * Decides what to do next about one call.
 *
 * The model is hasty: it makes the call at once, whatever the rules block says about what comes
 * first, and it sends numbers as people write them. It learns from what it reads: a refusal names the
 * missing steps, and an error about the input makes it look at the schema again. Once such a message
 * is anywhere in the transcript, it heeds the rule from the start.
 *
 * @param fill - For the steps that rules and refusals name.
 */
export function achieve(wanted: Call, mind: Mind, fill: Fill): Progress {
  const hasErred = hasReadAboutInput(wanted.tool, mind)
  const call = hasErred ? { ...wanted, input: correctInput(wanted.tool, wanted.input) } : wanted
  const attempts = attemptsAt(mind, call)
  const last = attempts.at(-1)
  if (last === undefined) {
    const calls = [...stepsLearned(call, mind, fill), call]
    const wasInvalid = call.input !== wanted.input && attemptsAt(mind, wanted).length > 0
    const because = `${call.tool.name} wants other input: ${JSON.stringify(call.input)}.`
    return { state: 'calls', calls, ...(wasInvalid && { because }) }
  }
  if (last.ok) return { state: 'done', value: last.value }

  const steps = stepsNamedIn(last.error, call.tool, mind)
  if (steps.length === 0) return { state: 'failed', error: last.error }
  if (attempts.length >= refusalLimit) {
    return { state: 'failed', error: `I was refused ${attempts.length} times. ${last.error}` }
  }
  const missing: Call[] = []
  for (const tool of steps) {
    const input = fill(tool)
    if (input === undefined) {
      return { state: 'failed', error: `${tool.name} has to come first, and I cannot fill it in.` }
    }
    const step = { tool, input }
    const tried = attemptsAt(mind, step).at(-1)
    if (tried === undefined) missing.push(step)
    else if (!tried.ok && stepsNamedIn(tried.error, tool, mind).length === 0) {
      return { state: 'failed', error: tried.error }
    }
  }
  const names = (missing.length > 0 ? missing : [call]).map(({ tool }) => tool.name).join(', then ')
  return missing.length > 0
    ? { state: 'calls', calls: missing, because: `${call.tool.name} was refused. First ${names}.` }
    : { state: 'calls', calls: [call], because: `Nothing is missing any more. Now ${names} again.` }
}

/** What the rules want first, for a tool whose refusal the model has read before. */
function stepsLearned(call: Call, mind: Mind, fill: Fill): Call[] {
  const refused = [...mind.earlier, ...mind.attempts].some(
    ({ toolName, ok, error }) =>
      toolName === call.tool.name && !ok && stepsNamedIn(error, call.tool, mind).length > 0,
  )
  if (!refused) return []
  return (mind.rules.before.get(call.tool.name) ?? []).flatMap((name) => {
    const tool = mind.tools.find((each) => each.name === name)
    const input = tool && fill(tool)
    if (tool === undefined || input === undefined) return []
    const step = { tool, input }
    return attemptsAt(mind, step).at(-1)?.ok ? [] : [step]
  })
}

/** Has an error about this tool's input been read? */
function hasReadAboutInput(tool: LanguageModelV4FunctionTool, mind: Mind): boolean {
  return [...mind.earlier, ...mind.attempts].some(
    ({ toolName, ok, error }) =>
      toolName === tool.name && !ok && /\binvalid (?:input|arguments?)\b/i.test(error),
  )
}

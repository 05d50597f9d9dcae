import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import { type Attempt, type Reading, readPrompt } from './read-prompt.ts'
import { type Recollection, readRecalled } from './read-recalled.ts'
import { type ReadRules, readRules } from './read-rules.ts'

/** Everything the model knows while it decides: all of it comes from one request. */
export interface Mind extends Reading {
  readonly tools: readonly LanguageModelV4FunctionTool[]
  readonly rules: ReadRules
  /** ISO date, if the prompt says which day it is. */
  readonly today: string | undefined
  /** What memory has brought to mind. */
  readonly recalled: readonly Recollection[]
  /** The tag to write notes for memory in; undefined when the model is not asked for any. */
  readonly noteTag: string | undefined
  /** The speaker's full name, if the prompt says who speaks. */
  readonly speaker: string | undefined
}

/** A call the model wants to make. */
export interface Call {
  readonly tool: LanguageModelV4FunctionTool
  readonly input: Readonly<Record<string, unknown>>
}

/** Reads a request. Tools that the provider runs are not for this model. */
export function readRequest({ prompt, tools = [] }: LanguageModelV4CallOptions): Mind {
  const reading = readPrompt(prompt)
  const system = reading.system.join('\n')
  return {
    ...reading,
    tools: tools.flatMap((tool) => (tool.type === 'function' ? [tool] : [])),
    rules: readRules(reading.system),
    recalled: readRecalled(system),
    noteTag: system.match(/^<(\w{1,40})>\n\{"kind":/m)?.[1],
    today: system.match(/\bToday is (\d{4}-\d{2}-\d{2})\b/)?.[1],
    speaker: system.match(/\bThe speaker is ([^\n(]{1,80}?) \(/)?.[1],
  }
}

/** The attempts of this turn at exactly this call, oldest first. */
export function attemptsAt({ attempts }: Mind, { tool, input }: Call): readonly Attempt[] {
  const wanted = canonical(input)
  return attempts.filter(
    (attempt) => attempt.toolName === tool.name && canonical(attempt.input) === wanted,
  )
}

/** The last time exactly this call succeeded, in this turn or before. */
export function everDone(mind: Mind, call: Call): Attempt | undefined {
  const attempts = [...mind.earlier, ...mind.attempts]
  return attemptsAt({ ...mind, attempts }, call).findLast(({ ok }) => ok)
}

/** The tools an error names in code spans, other than the one it is about, in order. */
export function stepsNamedIn(
  error: string,
  tool: LanguageModelV4FunctionTool,
  { tools }: Mind,
): readonly LanguageModelV4FunctionTool[] {
  const names = [...error.matchAll(/`([^`\n]{1,80})`/g)].map(([, name]) => name)
  const others = new Set(names.filter((name) => name !== tool.name))
  return [...others].flatMap((name) => tools.find((each) => each.name === name) ?? [])
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

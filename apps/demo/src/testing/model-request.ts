import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
} from '@ai-sdk/provider'
import { asSchema, type ToolSet } from 'ai'
import { createDesk } from '../desk/desk.ts'
import { createDeskMemory } from '../desk/memory.ts'
import { createPreferences } from '../desk/preferences.ts'
import { seedDesk } from '../desk/seed.ts'
import { createDeskTools } from '../desk/tools.ts'

/** The tools of the desk as a model is offered them. */
export const offeredTools: readonly LanguageModelV4FunctionTool[] = Object.entries<ToolSet[string]>(
  createDeskTools(createDesk(seedDesk('2026-11-30')), createPreferences(createDeskMemory())),
).map(([name, { description, inputSchema }]) => ({
  type: 'function',
  name,
  ...(typeof description === 'string' && { description }),
  inputSchema: asSchema(inputSchema).jsonSchema as LanguageModelV4FunctionTool['inputSchema'],
}))

/** What the prompts of these tests begin with. */
const system = 'Today is 2026-11-30.\n\nThe speaker is Mia Lindqvist (@mia) in web.'

/** A finished call in a transcript. */
export interface PastCall {
  readonly name: string
  readonly input?: object
  /** What the tool gave, or the text of an error. */
  readonly gave: { readonly value: unknown } | { readonly error: string }
}

/** Part of a transcript: what a user said, what the model answered, or a call with its result. */
export type Past = string | { readonly answer: string } | PastCall

/** A request as the kernel makes it: system messages, and a transcript that ends with `past`. */
export function requestOf(
  past: readonly Past[],
  about: Partial<LanguageModelV4CallOptions> & { readonly rules?: string } = {},
): LanguageModelV4CallOptions {
  const { rules, ...options } = about
  const messages = past.flatMap((each, index): LanguageModelV4Message[] =>
    typeof each === 'string'
      ? [{ role: 'user', content: [{ type: 'text', text: each }] }]
      : messagesOf(each, `past-${index}`),
  )
  const prompt: LanguageModelV4Message[] = [
    ...(rules === undefined ? [] : [{ role: 'system' as const, content: rules }]),
    { role: 'system', content: system },
    ...messages,
  ]
  return { prompt, tools: [...offeredTools], ...options }
}

/** What a model answered, easy to compare: its text, or its calls as `name` and input. */
export function answerOf(content: readonly LanguageModelV4Content[]) {
  const calls = content.flatMap((part) =>
    part.type === 'tool-call' ? [[part.toolName, JSON.parse(part.input)] as const] : [],
  )
  if (calls.length > 0) return calls
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
}

function messagesOf(
  past: { readonly answer: string } | PastCall,
  id: string,
): LanguageModelV4Message[] {
  if ('answer' in past) {
    return [{ role: 'assistant', content: [{ type: 'text', text: past.answer }] }]
  }
  const { name, input = {}, gave } = past
  const about = { toolCallId: id, toolName: name }
  const output =
    'error' in gave
      ? ({ type: 'error-text', value: gave.error } as const)
      : ({ type: 'json', value: gave.value as never } as const)
  return [
    { role: 'assistant', content: [{ type: 'tool-call', ...about, input }] },
    { role: 'tool', content: [{ type: 'tool-result', ...about, output }] },
  ]
}

import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'

/** A tool call the model has made, and what came of it. */
export interface Attempt {
  readonly toolName: string
  readonly input: unknown
  /** Did it succeed? Refusals, denials and errors did not. */
  readonly ok: boolean
  /** What the tool gave; undefined when it did not succeed. */
  readonly value: unknown
  /** Why it did not succeed; empty when it did. */
  readonly error: string
}

/** A prompt, taken apart. */
export interface Reading {
  /** The texts of the system messages, and behind them what the application adds to a message. */
  readonly system: readonly string[]
  /** What the user said last, without the author's name in front. */
  readonly said: string
  /** Calls since then, oldest first. */
  readonly attempts: readonly Attempt[]
  /** Calls before, oldest first. */
  readonly earlier: readonly Attempt[]
  /** Everything said by anybody before, oldest first. */
  readonly before: readonly string[]
  /** What the same person said before and how the model answered, if nobody spoke in between. */
  readonly exchange: { readonly said: string; readonly answer: string } | undefined
}

/** Reads a prompt as a model gets it. Files are not looked at. */
export function readPrompt(prompt: LanguageModelV4Prompt): Reading {
  const start = prompt.findLastIndex(({ role }) => role === 'user')
  const history = prompt.slice(0, Math.max(start, 0))
  const user = prompt[start]
  return {
    system: [
      ...prompt.flatMap(({ role, content }) => (role === 'system' ? [content] : [])),
      ...(user ? partsIn(user).filter(isContext) : []),
    ],
    said: user ? withoutAuthor(saidIn(user)) : '',
    attempts: attemptsIn(prompt.slice(start + 1)),
    earlier: attemptsIn(history),
    before: history.flatMap((message) => (message.role === 'system' ? [] : [textOf(message)])),
    exchange: user && exchangeBefore(history, authorOf(saidIn(user))),
  }
}

function exchangeBefore(
  history: LanguageModelV4Prompt,
  author: string | undefined,
): Reading['exchange'] {
  const start = history.findLastIndex(({ role }) => role === 'user')
  const asked = history[start]
  const answer = history.slice(start + 1).findLast(({ role }) => role === 'assistant')
  if (asked === undefined || answer === undefined) return undefined
  const text = textOf(asked)
  if (authorOf(text) !== author) return undefined
  return { said: withoutAuthor(text), answer: textOf(answer) }
}

/** How many calls there are in a prompt: the next one's id is made from it. */
export function countCalls(prompt: LanguageModelV4Prompt): number {
  let count = 0
  for (const { role, content } of prompt) {
    if (role === 'assistant') count += content.filter(({ type }) => type === 'tool-call').length
  }
  return count
}

function attemptsIn(messages: LanguageModelV4Prompt): Attempt[] {
  const inputs = new Map<string, unknown>()
  const attempts: Attempt[] = []
  for (const { role, content } of messages) {
    if (role === 'assistant') {
      for (const part of content) {
        if (part.type === 'tool-call') inputs.set(part.toolCallId, part.input)
      }
    } else if (role === 'tool') {
      for (const part of content) {
        if (part.type !== 'tool-result') continue
        const input = inputs.get(part.toolCallId)
        attempts.push({ toolName: part.toolName, input, ...outcomeOf(part.output) })
      }
    }
  }
  return attempts
}

type ToolOutput = Extract<
  Extract<LanguageModelV4Message, { role: 'tool' }>['content'][number],
  { type: 'tool-result' }
>['output']

function outcomeOf(output: ToolOutput): Pick<Attempt, 'ok' | 'value' | 'error'> {
  switch (output.type) {
    case 'text':
    case 'json':
      return { ok: true, value: output.value, error: '' }
    case 'content': {
      const texts = output.value.flatMap((part) => (part.type === 'text' ? [part.text] : []))
      return { ok: true, value: texts.join('\n'), error: '' }
    }
    case 'error-text':
      return { ok: false, value: undefined, error: output.value }
    case 'error-json':
      return { ok: false, value: undefined, error: JSON.stringify(output.value) }
    case 'execution-denied':
      return { ok: false, value: undefined, error: output.reason ?? 'The call was denied.' }
  }
}

function textOf(message: LanguageModelV4Message): string {
  return partsIn(message).join('\n')
}

function partsIn({ content }: LanguageModelV4Message): readonly string[] {
  if (typeof content === 'string') return [content]
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
}

/** What the user said: all but the context. */
function saidIn(message: LanguageModelV4Message): string {
  return partsIn(message)
    .filter((text, index) => !isContext(text, index))
    .join('\n')
}

/** A part of its own behind the first, which is the user's and may begin with whatever they like. */
function isContext(text: string, index: number): boolean {
  return index > 0 && text.startsWith('Context for this turn, from the application')
}

/** In a shared channel a message begins with its author: `[@mia] Hello`. */
const authorPattern = /^\[@([\w.-]{1,40})\]\s*/

function authorOf(text: string): string | undefined {
  return text.match(authorPattern)?.[1]
}

function withoutAuthor(text: string): string {
  return text.replace(authorPattern, '')
}

import type { ModelMessage } from 'ai'
import type { Conversation } from './conversation.ts'
import type { HistoryPolicy } from './history-policy.ts'
import { stubAt } from './live-through.ts'
import { wordsOf } from './lost-values.ts'
import { resultText, wireText } from './wire-text.ts'

/** A fact that one tool result shows and nothing else of the conversation does. */
export interface Fact {
  readonly value: string
  readonly messageIndex: number
  readonly partIndex: number
}

/** Whether a model could still come by a fact. */
export type Reach = 'in sight' | 'by its tool' | 'lost'

/**
 * The fact of the third result that is hardest to keep: the one nearest to its middle. undefined where the
 * conversation has no third result, that result is an error, or it shows nothing of its own.
 */
export function factOfThirdResult({ messages }: Conversation): Fact | undefined {
  const third = messages
    .flatMap(({ role, content }, messageIndex) =>
      role === 'tool' ? content.map((part, partIndex) => ({ part, messageIndex, partIndex })) : [],
    )
    .at(2)
  if (third?.part.type !== 'tool-result' || third.part.output.type === 'error-text')
    return undefined
  const { messageIndex, partIndex } = third
  const text = resultText(third.part)
  const all = messages.map(wireText).join('\n')
  const middle = text.length / 2
  const [value] = [...new Set(wordsOf(text))]
    .filter((word) => all.indexOf(word) === all.lastIndexOf(word))
    .sort((a, b) => Math.abs(text.indexOf(a) - middle) - Math.abs(text.indexOf(b) - middle))
  return value === undefined ? undefined : { value, messageIndex, partIndex }
}

/**
 * Whether a fact can be reached when the last message of a conversation is written, with the policy at work
 * from its beginning.
 */
export async function reachAtEnd(
  conversation: Conversation,
  policy: HistoryPolicy,
  { value, ...place }: Fact,
): Promise<Reach> {
  const { messages } = conversation
  const open = policy.open(conversation)
  let history: readonly ModelMessage[] = []
  let sent: readonly ModelMessage[] = []
  for (const [index, { role }] of messages.entries()) {
    if (role !== 'assistant' || index === 0) continue
    history = messages.slice(0, index)
    sent = await open.prepare(history)
  }
  if (sent.some((message) => wireText(message).includes(value))) return 'in sight'
  const recalled = await open.recall?.({ value, stub: stubAt(place, { history, sent }) })
  return recalled?.text.includes(value) ? 'by its tool' : 'lost'
}

import type { ModelMessage } from 'ai'
import type { Conversation } from './conversation.ts'
import type { HistoryPolicy, OpenHistory, Recall, Wanted } from './history-policy.ts'
import { type LostValue, lostValues } from './lost-values.ts'
import type { ModelRequest } from './prompt-cache.ts'
import { resultText, wireText } from './wire-text.ts'

/** What a conversation comes to under a policy. */
export interface LivedThrough {
  /** What was sent, and what the assistant wrote, in order. */
  readonly requests: readonly ModelRequest[]
  /** Messages of the assistant that a model wrote. */
  readonly steps: number
  readonly needs: readonly Need[]
  /** Results that no request ever showed whole, since the policy took them out before the first. */
  readonly unread: number
}

/** A message of the assistant that uses what the policy had taken out of sight. */
export interface Need {
  /** Index of the message in the conversation. */
  readonly messageIndex: number
  readonly lost: readonly LostValue[]
  /** Those of the lost values that the policy's tool did not show when it was asked for them. */
  readonly unanswered: readonly LostValue[]
}

/**
 * For what of the lost the assistant asks: the policy's tool where it has one that answers, else the tool that gave
 * the result, which gives it again. What went before anybody had read it, with no tool that would show it, the
 * assistant has made a call for and waits for: whenever it asks at all, it makes that call once more.
 */
export type Asking =
  /** It asks for nothing; it is only noted what it would have been told. */
  | 'nothing'
  /** It asks for the arguments of its calls. */
  | 'arguments'
  /** It asks for the words of what it says, too. */
  | 'everything'

/**
 * Lives a recorded conversation through again: at each message of the assistant the history up to there goes
 * through the policy, and what comes out is sent. What the assistant says before the user does is no answer of
 * a model.
 *
 * @param asking - To ask is one more request, and calls and results that stay in the history.
 * @param withTool - Whether the description of the policy's tool is sent, too.
 */
export async function liveThrough(
  { messages, ...about }: Conversation,
  policy: HistoryPolicy,
  { asking, withTool }: { readonly asking: Asking; readonly withTool: boolean },
): Promise<LivedThrough> {
  const open = policy.open({ messages, ...about })
  const tools = withTool && policy.toolText !== undefined ? [policy.toolText] : []
  const history: ModelMessage[] = []
  const requests: ModelRequest[] = []
  const needs: Need[] = []
  let [steps, unread, seen] = [0, 0, 0]
  const opening = messages.findIndex(({ role }) => role === 'user')
  for (const [messageIndex, message] of messages.entries()) {
    if (message.role === 'assistant' && messageIndex > opening) {
      steps += 1
      let sent = await open.prepare([...history])
      const lost = lostValues(message, { history, sent })
      if (lost.length > 0) {
        const { unanswered } = await askFor(lost, open.recall, { history, sent })
        needs.push({ messageIndex, lost, unanswered })
      }
      const gone = unreadResults(history, seen, sent)
      unread += gone.length
      const missed = open.recall === undefined && asking !== 'nothing' ? gone : []
      const wanted = [...missed, ...lost.filter(({ isArgument }) => asks(asking, isArgument))]
      const again = recallOrCallAgain(open, history)
      const { call, results } = await askFor(wanted, again, { history, sent })
      if (call !== undefined) {
        requests.push(requestOf([...tools, ...sent.map(wireText)], call))
        history.push(call, results)
        sent = await open.prepare([...history])
      }
      requests.push(requestOf([...tools, ...sent.map(wireText)], message))
      seen = history.length
    }
    history.push(message)
  }
  return { requests, steps, needs, unread }
}

function asks(asking: Asking, isArgument: boolean): boolean {
  return asking === 'everything' || (asking === 'arguments' && isArgument)
}

/** The results from a message on that nothing which was sent shows whole. */
function unreadResults(
  history: readonly ModelMessage[],
  from: number,
  sent: readonly ModelMessage[],
): LostValue[] {
  const shown = new Set(sent.flatMap(partsOf).map(textOfResult))
  return history.flatMap((message, messageIndex) =>
    partsOf(messageIndex < from ? undefined : message).flatMap((part, partIndex) => {
      const value = textOfResult(part)
      if (value === undefined || shown.has(value)) return []
      return [{ value, isArgument: true, messageIndex, partIndex }]
    }),
  )
}

function textOfResult(part: ReturnType<typeof partsOf>[number]): string | undefined {
  return part.type === 'tool-result' ? resultText(part) : undefined
}

function requestOf(messages: readonly string[], answer: ModelMessage): ModelRequest {
  return { messages, answer: wireText(answer) }
}

type Ask = (wanted: Wanted & LostValue) => Promise<Recall | undefined>

/** The policy's tool, or the call that the result answered, made once more. */
function recallOrCallAgain({ recall }: OpenHistory, history: readonly ModelMessage[]): Ask {
  return async (wanted) => {
    const recalled = await recall?.(wanted)
    if (recalled?.text.includes(wanted.value)) return recalled
    const part = partsOf(history[wanted.messageIndex])[wanted.partIndex]
    if (part?.type !== 'tool-result') return recalled
    const { toolCallId, toolName } = part
    const made = history
      .slice(0, wanted.messageIndex)
      .flatMap(partsOf)
      .findLast((one) => one.type === 'tool-call' && one.toolCallId === toolCallId)
    const input = made?.type === 'tool-call' ? made.input : {}
    return { toolName, input, text: resultText(part) }
  }
}

/** The parts of a message; none where its content is a text. */
function partsOf(message: ModelMessage | undefined) {
  const content: ModelMessage['content'] = message?.content ?? []
  return typeof content === 'string' ? [] : [...content]
}

/** Asks for the values one by one, but not for what an earlier answer happens to show. */
async function askFor(
  lost: readonly LostValue[],
  ask: Ask | undefined,
  seen: { readonly history: readonly ModelMessage[]; readonly sent: readonly ModelMessage[] },
) {
  const calls: Extract<ModelMessage, { role: 'assistant' }>['content'] = []
  const results: Extract<ModelMessage, { role: 'tool' }>['content'] = []
  const answers: string[] = []
  for (const one of lost) {
    if (answers.some((text) => text.includes(one.value))) continue
    const recalled = await ask?.({ ...one, stub: stubAt(one, seen) })
    if (recalled === undefined) continue
    const { toolName, input, text } = recalled
    const toolCallId = `recall-${seen.history.length}-${calls.length}`
    calls.push({ type: 'tool-call', toolCallId, toolName, input })
    results.push({
      type: 'tool-result',
      ...{ toolCallId, toolName },
      output: { type: 'text', value: text },
    })
    answers.push(text)
  }
  const unanswered = lost.filter(({ value }) => !answers.some((text) => text.includes(value)))
  return {
    unanswered,
    call: calls.length > 0 ? ({ role: 'assistant', content: calls } as const) : undefined,
    results: { role: 'tool', content: results } as const,
  }
}

/**
 * What was sent where a value is in the history: the text of that result. A policy that removes messages leaves
 * nothing to go by, which gives `''`.
 */
export function stubAt(
  { messageIndex, partIndex }: Pick<LostValue, 'messageIndex' | 'partIndex'>,
  { history, sent }: { history: readonly ModelMessage[]; sent: readonly ModelMessage[] },
): string {
  if (sent.length !== history.length) return ''
  const content = sent[messageIndex]?.content
  const part = typeof content === 'string' ? undefined : content?.[partIndex]
  return part?.type === 'tool-result' ? resultText(part) : ''
}

import {
  isReadingOf,
  type ReadingOptions,
  type ReadMessage,
  type ReadResult,
  readMessage,
  readRepeat,
} from './read-message.ts'
import { stubWith } from './stub.ts'
import type { TrackedMessage, TrackedResult } from './tracked.ts'

/** What is needed to follow the history of one conversation. */
export interface HistoryParts<Message extends object> extends ReadingOptions<Message> {
  /** The message each rewritten one stands for, so that nothing is ever built on a stub. */
  readonly originals: WeakMap<Message, Message>
}

/** A conversation's messages as they came last, what is known of them, and what is sent for them. */
export interface History<Message extends object> {
  /** The messages without those of the system, oldest first. */
  tracked(): readonly TrackedMessage[]
  /** Length of all tracked messages in characters, with every result whole. */
  plainChars(): number
  /**
   * Takes in the next history. Only messages that are new are read; one that was rewritten before
   * counts as the one it was made from, and one that the host made anew as the one it equals.
   *
   * @returns true when it does not go on where the last one ended: everything must be decided again.
   */
  follow(messages: readonly Message[]): boolean
  /**
   * What to send for the history that was taken in.
   *
   * @param changed - Positions in `tracked` where a result was replaced since the last time.
   */
  send(messages: readonly Message[], changed: Iterable<number>): readonly Message[]
}

interface Followed<Message> extends TrackedMessage {
  message: Message
  /** What was sent last in place of the message, and how many of its results were stubs in it. */
  sent: Message
  stubs: number
}

/** Starts to follow a conversation. */
export function createHistory<Message extends object>(
  parts: HistoryParts<Message>,
): History<Message> {
  const { transcript, originals } = parts
  let tracked: Followed<Message>[] = []
  /** What was read of a message, for a host that cuts its history and gives the rest again. */
  const met = new WeakMap<Message, Followed<Message>>()
  let plainChars = 0
  /** The last result of each tool. */
  let lastOf = new Map<string, TrackedResult>()
  /** The last history as it came, what was sent for it, and where each message stands in `tracked`. */
  let given: readonly Message[] = []
  const sent: Message[] = []
  const positions: number[] = []
  /** The other way round: where in the last history each tracked message stands. */
  const places: number[] = []

  return { tracked: () => tracked, plainChars: () => plainChars, follow, send }

  function follow(messages: readonly Message[]): boolean {
    const unchanged = countUnchanged(messages)
    sent.length = unchanged
    positions.length = unchanged
    let next = (positions.findLast((position) => position !== systemPosition) ?? -1) + 1
    let goesOn = true
    for (const given of messages.slice(unchanged)) {
      const message = originals.get(given) ?? given
      if (transcript.roleOf(message) === 'system') {
        positions.push(systemPosition)
        continue
      }
      goesOn = meet(message, next) && goesOn
      places[next] = positions.push(next) - 1
      next += 1
    }
    if (next < tracked.length) {
      cut(next)
      goesOn = false
    }
    return !goesOn
  }

  function send(messages: readonly Message[], changed: Iterable<number>): readonly Message[] {
    const begun = sent.length
    try {
      for (const position of changed) {
        const at = places[position]
        if (at !== undefined && at < begun) sent[at] = sentFor(position)
      }
      for (let at = begun; at < positions.length; at += 1) {
        const position = positions[at] ?? systemPosition
        sent.push(position === systemPosition ? (messages[at] as Message) : sentFor(position))
      }
    } catch (error) {
      // Half of it may be put together: next time all of it is.
      sent.length = 0
      throw error
    }
    given = messages.slice()
    return sent.slice()
  }

  /** How many messages are, as objects, those of the last history or what was sent for them. */
  function countUnchanged(messages: readonly Message[]): number {
    const most = Math.min(messages.length, given.length, sent.length)
    let count = 0
    while (count < most && (messages[count] === given[count] || messages[count] === sent[count])) {
      count += 1
    }
    return count
  }

  /** Makes a message the one at a position. False when another one was there. */
  function meet(message: Message, position: number): boolean {
    const known = tracked[position]
    if (known?.message === message) return true
    if (known !== undefined && isReadingOf(known.reading, message, transcript)) {
      tracked[position] = { ...known, message, sent: message, stubs: 0 }
      return true
    }
    if (known !== undefined) cut(position)
    const before = met.get(message)
    add(message, before?.reading ?? readMessage(message, parts), before?.results)
    return known === undefined
  }

  function add(message: Message, reading: ReadMessage, before: readonly TrackedResult[] = []) {
    const results = reading.results.map((result, index) => {
      const tracked = track(result, before[index]?.id)
      lastOf.set(result.view.toolName, tracked)
      return tracked
    })
    const one = { message, reading, results, sent: message, stubs: 0 }
    tracked.push(one)
    met.set(message, one)
    plainChars += charsOf(reading)
  }

  function track(reading: ReadResult, id: string | undefined): TrackedResult {
    const { toolName, text } = reading.view
    const last = lastOf.get(toolName)
    const isSame = text !== undefined && last?.reading.view.text === text && isPlain(last)
    const line = isSame ? readRepeat(reading, parts) : undefined
    return {
      reading,
      repeatOf: line && (last?.repeatOf ?? last),
      replacement: line ?? reading.replacement,
      ...{ id, decision: undefined, isReplaced: false },
    }
  }
  /** Forgets all from a position on, and what was decided before it; what was measured stays. */
  function cut(end: number): void {
    sent.length = 0
    plainChars = 0
    lastOf = new Map()
    const kept = tracked.slice(0, end)
    tracked = []
    for (const { message, reading, results } of kept) add(message, reading, results)
  }

  function sentFor(position: number): Message {
    const one = tracked[position] as Followed<Message>
    if (one.results.length === 0) return one.sent
    const texts = new Map<number, string>()
    for (const [index, { isReplaced, id = '', replacement }] of one.results.entries()) {
      if (isReplaced && replacement.stub) texts.set(index, stubWith(id, replacement.stub))
    }
    if (texts.size === one.stubs) return one.sent
    one.sent = transcript.withTexts(one.message, texts)
    one.stubs = texts.size
    originals.set(one.sent, one.message)
    return one.sent
  }
}

/** Whether a result is one to point at: a text that a model reads, and no error. */
function isPlain({ reading: { view } }: TrackedResult): boolean {
  return !view.isError && !view.isViewable
}

/** Where a message of the system stands: it is no part of the history. */
const systemPosition = -1

function charsOf({ ownChars, results }: ReadMessage): number {
  return results.reduce((sum, { sizeChars }) => sum + sizeChars, ownChars)
}

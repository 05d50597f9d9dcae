import { deriveId } from '../derive-id.ts'
import type { EntryDraft, MemoryEntry } from '../entry.ts'
import { memoryLimits } from '../limits.ts'
import { parseEntry } from '../parse-entry.ts'
import { storableText } from '../plain-json.ts'
import { dayInWords } from '../recall/dates-in-query.ts'
import type { MemoryTurn, TurnMessage } from './turn.ts'

/** Messages before this one whose text helps to find it. */
const contextMessages = 2

/** Characters that are taken of each: a long answer would drown the words of what is found by it. */
const contextMessageChars = 300

/** @see turnEntries */
export interface TurnEntriesOptions {
  /** Where the first message stands in the conversation. */
  readonly index: number
  /** What was said before, oldest first. */
  readonly before: readonly string[]
  /** Epoch milliseconds. */
  readonly now: number
}

/**
 * The episodes of a turn: one entry a message, scrubbed already. What was said before, the speaker and the day
 * in words are searched with it. An answer is found by the words of its question.
 *
 * The ids come from the turn and the position in it, so a turn that is told again is the same entries.
 */
export function turnEntries(
  turn: MemoryTurn,
  { index, before, now }: TurnEntriesOptions,
): readonly MemoryEntry[] {
  const said = [...before]
  return turn.messages.flatMap((message, position) => {
    const content = message.text.slice(0, memoryLimits.contentChars)
    if (content.trim() === '') return []
    const speaker = message.speaker ?? message.role
    const at = message.at ?? now
    const context = contextOf({ speaker, at, before: said })
    said.push(content)
    const draft: EntryDraft = {
      layer: 'episodic',
      kind: 'turn',
      content,
      context,
      occurredAt: at,
      provenance: provenanceOf(message, turn.turnId, speaker),
      sequence: { sessionId: turn.sessionId, index: index + position },
    }
    const entry = parseEntry(draft, { now })
    return [{ ...entry, id: turnEntryId(entry, turn, position) }]
  })
}

/** What stands between the parts of a context. */
export const contextSeparator = '. '

/** What finds a message beside its words: who spoke, the day, and the two messages before. */
export function contextOf({
  speaker,
  at,
  before,
}: {
  speaker: string
  /** Epoch milliseconds. */
  at: number
  /** What was said before, oldest first. */
  before: readonly string[]
}): string {
  const earlier = before.slice(-contextMessages).map(earlierText)
  const name = speaker.slice(0, memoryLimits.nameChars)
  return [name, dayInWords(at), ...earlier].join(contextSeparator)
}

/** What the context of later messages holds of a content. */
export function earlierText(content: string): string {
  return storableText(content.slice(0, contextMessageChars))
}

function provenanceOf({ role }: TurnMessage, turnId: string, speaker: string) {
  const name = speaker.slice(0, memoryLimits.nameChars)
  return role === 'tool'
    ? ({ source: 'tool', turnId, tool: name } as const)
    : ({ source: 'turn', turnId, author: name } as const)
}

function turnEntryId(entry: MemoryEntry, turn: MemoryTurn, position: number): string {
  const { sequence: _, ...unplaced } = entry
  return deriveId({ ...unplaced, label: JSON.stringify([turn.sessionId, position]) })
}

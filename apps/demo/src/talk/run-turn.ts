import type { PromptComparison } from '@symfonic/kernel'
import { stripExtraction } from '@symfonic/memory'
import type { SkillSelection } from '@symfonic/preflight'
import type { ModelMessage } from 'ai'
import type { Speaker } from '../desk/speaker.ts'
import { createCallLog } from './call-log.ts'
import type { ResultsShortenedEvent } from './follow-results.ts'
import type { MemoryLearnedEvent, MemoryRecalledEvent } from './own-memory.ts'
import type { TurnEvidence } from './promises.ts'
import type { DeskEvent, Ended, Session } from './session.ts'

/** Told every event of a turn, in order. */
export type Watch = (event: DeskEvent) => void

/** Runs one turn to its end in front of somebody, and says what it came to. */
export async function runTurn(
  session: Session,
  speaker: Speaker,
  text: string,
  watch: Watch,
  signal?: AbortSignal,
): Promise<TurnEvidence & Pick<Ended, 'how'>> {
  const log = createCallLog()
  let selection: SkillSelection = { active: [], dropped: [] }
  let comparison: PromptComparison | undefined
  let results: ResultsShortenedEvent | undefined
  let recalled: MemoryRecalledEvent | undefined
  let learned: MemoryLearnedEvent | undefined
  let shown = ''
  const events = session.turn(speaker, text, signal)
  let next = await events.next()
  for (; !next.done; next = await events.next()) {
    log.note(next.value)
    if (next.value.type === 'rules-selected') selection = next.value.selection
    if (next.value.type === 'prompt-compared') comparison = next.value.comparison
    if (next.value.type === 'results-shortened') results = next.value
    if (next.value.type === 'memory-recalled') recalled = next.value
    if (next.value.type === 'memory-learned') learned = next.value
    if (next.value.type === 'text-delta') shown += next.value.text
    watch(next.value)
  }
  const ended = next.value
  const made = { calls: log.calls, selection, comparison, results, recalled, learned, shown }
  const about = { how: ended.how, speaker, ...made }
  if (ended.how !== 'done') return { ...about, ...unfinished }
  const { text: answer, cache, usage, added } = ended.result
  const { inputTokens = 0, inputTokenDetails } = usage
  const readTokens = inputTokenDetails.cacheReadTokens
  const sums = { cache, inputTokens, readTokens }
  return { ...about, ...sums, finished: true, text: answer, notes: notesIn(added) }
}

const unfinished = {
  finished: false,
  text: '',
  notes: [],
  cache: undefined,
  inputTokens: 0,
  readTokens: undefined,
}

/** What the model has written for memory, as the transcript has it. */
function notesIn(messages: readonly ModelMessage[]): readonly string[] {
  return messages.flatMap(({ role, content }) => {
    if (role !== 'assistant') return []
    const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content
    return parts.flatMap((part) => (part.type === 'text' ? stripExtraction(part.text).blocks : []))
  })
}

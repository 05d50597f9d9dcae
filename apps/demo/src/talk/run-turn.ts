import type { SkillSelection } from '@symfonic/preflight'
import type { Speaker } from '../desk/speaker.ts'
import { createCallLog } from './call-log.ts'
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
  const events = session.turn(speaker, text, signal)
  let next = await events.next()
  for (; !next.done; next = await events.next()) {
    log.note(next.value)
    if (next.value.type === 'rules-selected') selection = next.value.selection
    watch(next.value)
  }
  const ended = next.value
  const finished = ended.how === 'done'
  const answer = finished ? ended.result.text : ''
  return { how: ended.how, calls: log.calls, selection, text: answer, finished }
}

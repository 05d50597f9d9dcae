import { KernelError, type TurnEvent, type TurnResult } from '@symfonic/kernel'
import type { SkillSelection } from '@symfonic/preflight'
import type { LanguageModel, ModelMessage } from 'ai'
import { createAssistant } from '../desk/assistant.ts'
import { attribute, type Speaker, scopeOf, sessionOf, stateOf } from '../desk/speaker.ts'

/** What happens at the desk: the kernel's events, and what the kernel leaves to its host. */
export type DeskEvent = UserSaidEvent | RulesSelectedEvent | TurnEvent

/** Somebody has spoken: the first event of a turn. */
export interface UserSaidEvent {
  readonly type: 'user-said'
  readonly speaker: Speaker
  /** As typed. */
  readonly text: string
}

/** Which rules are in force in this turn; comes before `prompt-assembled`. */
export interface RulesSelectedEvent {
  readonly type: 'rules-selected'
  readonly selection: SkillSelection
}

/** The desk with its conversations. */
export interface Session {
  /**
   * One turn. Ends normally whatever happens: a turn that failed or was aborted says so in its last
   * event, and the conversation can go on.
   */
  turn(speaker: Speaker, text: string, signal?: AbortSignal): AsyncGenerator<DeskEvent, Ended, void>
  /** The transcript of the conversation that `speaker` takes part in. */
  transcriptOf(speaker: Speaker): readonly ModelMessage[]
}

/** How a turn ended. */
export type Ended =
  | { readonly how: 'done'; readonly result: TurnResult }
  | { readonly how: 'aborted' }
  | { readonly how: 'failed' }

/** Opens the desk. @param today - ISO date. */
export function openSession({
  model,
  today,
}: {
  readonly model: LanguageModel
  readonly today: string
}): Session {
  const transcripts = new Map<string, readonly ModelMessage[]>()
  const selections = new Map<string, SkillSelection>()
  const assistant = createAssistant({
    model,
    today,
    onSelection: (selection, { runId }) => selections.set(runId, selection),
  })

  const transcriptOf = (speaker: Speaker) => transcripts.get(sessionOf(speaker)) ?? []

  async function* turn(
    speaker: Speaker,
    text: string,
    signal?: AbortSignal,
  ): AsyncGenerator<DeskEvent, Ended, void> {
    yield { type: 'user-said', speaker, text }
    const sessionId = sessionOf(speaker)
    const keep = (messages: readonly ModelMessage[]) => transcripts.set(sessionId, messages)
    const events = assistant.stream({
      query: attribute(speaker, text),
      history: transcriptOf(speaker),
      scope: scopeOf(speaker),
      sessionId,
      state: stateOf(speaker),
      ...(signal && { signal }),
    })
    let runId = ''
    try {
      let next = await events.next()
      for (; !next.done; next = await events.next()) {
        const event = next.value
        if (event.type === 'turn-start') runId = event.runId
        if (event.type === 'prompt-assembled') {
          const selection = selections.get(runId) ?? { active: [], dropped: [] }
          yield { type: 'rules-selected', selection }
        }
        if (event.type === 'turn-abort' || event.type === 'turn-error') keep(event.messages)
        yield event
      }
      keep(next.value.messages)
      return { how: 'done', result: next.value }
    } catch (error) {
      // Its terminal event, with the transcript, has been told already.
      if (!(error instanceof KernelError)) throw error
      return { how: signal?.aborted ? 'aborted' : 'failed' }
    } finally {
      selections.delete(runId)
    }
  }

  return { turn, transcriptOf }
}

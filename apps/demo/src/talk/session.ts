import {
  comparePrompts,
  KernelError,
  type PlacedMarker,
  type PromptComparison,
  type PromptReport,
  type TurnEvent,
  type TurnResult,
} from '@symfonic/kernel'
import type { TurnRecall } from '@symfonic/kernel/with-memory'
import { MemoryError } from '@symfonic/memory'
import type { SkillSelection } from '@symfonic/preflight'
import type { RecallRequest, ResultDecision } from '@symfonic/result-policy'
import type { ModelMessage } from 'ai'
import { type AssistantOptions, createAssistant } from '../desk/assistant.ts'
import { createDeskMemory } from '../desk/memory.ts'
import { createShortResults } from '../desk/short-results.ts'
import { attribute, type Speaker, scopeOf, sessionOf, stateOf } from '../desk/speaker.ts'
import { followResults, type ResultsShortenedEvent } from './follow-results.ts'
import {
  createOwnMemory,
  type MemoryEvent,
  type MemoryExplainedEvent,
  type MemoryRecalledEvent,
  type OwnMemory,
  recalledFor,
} from './own-memory.ts'
import { logRequests } from './sent-results.ts'

/** What happens at the desk: the kernel's events, and what the kernel leaves to its host. */
export type DeskEvent =
  | UserSaidEvent
  | RulesSelectedEvent
  | PromptComparedEvent
  | ResultsShortenedEvent
  | DeskReopenedEvent
  | MemoryEvent
  | TurnEvent

/** Somebody has spoken: the first event of a turn. */
export interface UserSaidEvent {
  readonly type: 'user-said'
  readonly speaker: Speaker
  /** As typed. */
  readonly text: string
}

/** The desk was closed and opened again. Its conversations are gone; what it remembers is not. */
export interface DeskReopenedEvent {
  readonly type: 'desk-reopened'
}

/** Which rules are in force in this turn; comes before `prompt-assembled`. */
export interface RulesSelectedEvent {
  readonly type: 'rules-selected'
  readonly selection: SkillSelection
}

/** What the prompt has kept of the last turn's, whoever spoke in it; comes after `prompt-assembled`. */
export interface PromptComparedEvent {
  readonly type: 'prompt-compared'
  readonly comparison: PromptComparison
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
  /** The prompt of the last turn, and how it differs from the one before; undefined before any. */
  lastPrompt(): LastPrompt | undefined
  /** The results that are sent as stubs in the conversation of `speaker`, oldest first. */
  stubsOf(speaker: Speaker): readonly ResultDecision[]
  /** Reads behind a stub what the model would read. @param request.id - Its beginning is enough. */
  recall(speaker: Speaker, request: RecallRequest): Promise<string>
  /** What is remembered of people, each time of `speaker` only. */
  readonly memory: OwnMemory
  /** What was recalled for the last turn of `speaker`, and why. */
  why(speaker: Speaker): MemoryExplainedEvent
  /** Waits for what is still to be written, and closes the memory. */
  close(): Promise<void>
}

/** A prompt as it was sent. */
export interface LastPrompt {
  readonly report: PromptReport
  /** undefined for the first of a session. */
  readonly comparison: PromptComparison | undefined
  /** Markers on messages in the last call that has ended; those on layers are in the report. */
  readonly messageMarkers: readonly PlacedMarker[]
}

/** How a turn ended. */
export type Ended =
  | { readonly how: 'done'; readonly result: TurnResult }
  | { readonly how: 'aborted' }
  | { readonly how: 'failed' }

/** What a session is opened with. */
export interface SessionOptions
  extends Omit<AssistantOptions, 'onSelection' | 'shortResults' | 'onRecall'> {
  /** The model whose prices results are reckoned with. Default: the model itself. */
  readonly pricedAs?: string | undefined
}

/** Opens the desk. */
export function openSession(options: SessionOptions): Session {
  const { pricedAs, memory = createDeskMemory(), ...about } = options
  const ownMemory = createOwnMemory(memory)
  const shortResults = createShortResults(pricedAs)
  const requests = logRequests(options.model)
  const results = followResults(requests)
  const transcripts = new Map<string, readonly ModelMessage[]>()
  const selections = new Map<string, SkillSelection>()
  const recalls = new Map<string, TurnRecall>()
  const lastRecalls = new Map<string, MemoryRecalledEvent>()
  let lastPrompt: LastPrompt | undefined
  const assistant = createAssistant({
    ...about,
    model: requests.model,
    shortResults: shortResults.capability,
    memory,
    onRecall: (recalled) => recalls.set(recalled.runId, recalled),
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
    const shortening = results.startTurn(sessionId)
    try {
      let next = await events.next()
      for (; !next.done; next = await events.next()) {
        const event = next.value
        if (event.type === 'turn-start') runId = event.runId
        if (event.type === 'prompt-assembled') {
          const selection = selections.get(runId) ?? { active: [], dropped: [] }
          yield { type: 'rules-selected', selection }
          const recalled = recalls.get(runId)
          if (recalled) {
            const told = recalledFor(speaker, recalled)
            lastRecalls.set(placeOf(speaker), told)
            yield told
          }
        }
        shortening.note(event)
        if (event.type === 'step-end' && lastPrompt && event.record.cache) {
          lastPrompt = { ...lastPrompt, messageMarkers: event.record.cache.messageMarkers }
        }
        if (event.type === 'turn-end') {
          const shortened = shortening.end(event.result.messages)
          if (shortened) yield shortened
        }
        if (event.type === 'turn-abort' || event.type === 'turn-error') keep(event.messages)
        yield event
        if (event.type === 'prompt-assembled') {
          const { report } = event
          const comparison = lastPrompt && comparePrompts(lastPrompt.report, report)
          lastPrompt = { report, comparison, messageMarkers: [] }
          if (comparison) yield { type: 'prompt-compared', comparison }
        }
      }
      keep(next.value.messages)
      yield* learned(speaker, runId)
      return { how: 'done', result: next.value }
    } catch (error) {
      // Its terminal event, with the transcript, has been told already.
      if (!(error instanceof KernelError)) throw error
      return { how: signal?.aborted ? 'aborted' : 'failed' }
    } finally {
      selections.delete(runId)
      recalls.delete(runId)
    }
  }

  /** What the turn has left behind. A memory that is down costs this as well, and nothing else. */
  async function* learned(speaker: Speaker, runId: string): AsyncGenerator<DeskEvent, void, void> {
    await assistant.flush()
    await memory.flush()
    try {
      yield await ownMemory.learnedIn(speaker, runId)
    } catch (error) {
      if (!(error instanceof MemoryError)) throw error
    }
  }

  const stubsOf = (speaker: Speaker) => results.stubsOf(sessionOf(speaker))
  return {
    turn,
    transcriptOf,
    lastPrompt: () => lastPrompt,
    stubsOf,
    memory: ownMemory,
    why: (speaker) => {
      const recalled = lastRecalls.get(placeOf(speaker))
      return { type: 'memory-explained', speaker, recalled }
    },
    close: async () => {
      await assistant.flush()
      await memory.close()
    },
    recall: (speaker, request) => {
      const full = stubsOf(speaker).find(({ id }) => id?.startsWith(request.id))?.id
      const place = { scope: scopeOf(speaker), sessionId: sessionOf(speaker) }
      return shortResults.recall({ ...request, id: full ?? request.id }, place)
    },
  }
}

/** What is remembered belongs to a person in a place. */
function placeOf(speaker: Speaker): string {
  return JSON.stringify(scopeOf(speaker))
}

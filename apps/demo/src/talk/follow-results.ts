import type { TurnEvent } from '@symfonic/kernel'
import { type ResultDecision, recallToolName, type SavingsReport } from '@symfonic/result-policy'
import type { SdkMessage } from '@symfonic/result-policy/ai-sdk'
import { type ReportedCall, reportIn, type Savings, savingsOf, sumSavings } from './savings.ts'
import type { RequestLog, StubbedResult } from './sent-results.ts'

/** What became of large results in this turn; comes before `turn-end`. */
export interface ResultsShortenedEvent {
  readonly type: 'results-shortened'
  /** In the calls of this turn. */
  readonly inTurn: Savings
  /** In all calls of the conversation. */
  readonly inConversation: Savings
  /** Every result of the conversation that is a stub. */
  readonly stubs: readonly StubbedResult[]
}

/** Follows what the result policy says of its work, conversation by conversation. */
export interface ResultsFollowed {
  /** The results that are stubs in a conversation, oldest first. */
  stubsOf(sessionId: string): readonly ResultDecision[]
  startTurn(sessionId: string): TurnFollowed
}

/** One turn of it. */
export interface TurnFollowed {
  note(event: TurnEvent): void
  /** What it came to; undefined when no model was called. @param transcript - Of the conversation. */
  end(transcript: readonly SdkMessage[]): ResultsShortenedEvent | undefined
}

interface SoFar {
  /** By the id in the ledger. */
  readonly decided: ReadonlyMap<string, ResultDecision>
  /** What tools gave, by their calls. */
  readonly given: ReadonlyMap<string, string>
  readonly last: SavingsReport | undefined
  readonly total: Savings | undefined
}

const nothing: SoFar = { decided: new Map(), given: new Map(), last: undefined, total: undefined }

/** @param requests - Forgets its requests when a turn starts. */
export function followResults(requests: RequestLog): ResultsFollowed {
  const known = new Map<string, SoFar>()
  const soFar = (sessionId: string) => known.get(sessionId) ?? nothing
  return {
    stubsOf: (sessionId) => [...soFar(sessionId).decided.values()],
    startTurn: (sessionId) => {
      const before = soFar(sessionId)
      const calls: ReportedCall[] = []
      /** Tools called since the last model call. */
      let called: string[] = []
      const given = new Map(before.given)
      requests.clear()
      return {
        note: (event) => {
          if (event.type === 'tool-call') called.push(event.toolName)
          if (event.type === 'tool-result') given.set(event.toolCallId, textOf(event.output))
          const report = event.type === 'history-rewritten' ? reportIn(event) : undefined
          if (report === undefined) return
          const isAfterRecall = called.length > 0 && called.every((name) => name === recallToolName)
          calls.push({ report, isAfterRecall })
          called = []
          const decided = new Map(soFar(sessionId).decided)
          for (const decision of report.decided) decided.set(decision.id ?? '', decision)
          const total = sumSavings([before.total, savingsOf(calls, before.last)])
          known.set(sessionId, { decided, given, last: report, total })
        },
        end: (transcript) => {
          const { decided, total } = soFar(sessionId)
          const inTurn = savingsOf(calls, before.last)
          if (inTurn === undefined || total === undefined) return undefined
          const stubs = [...decided.values()].map((each) =>
            requests.look(each, { transcript, given: given.get(each.toolCallId) }),
          )
          return { type: 'results-shortened', inTurn, inConversation: total, stubs }
        },
      }
    },
  }
}

/** As a model reads it. */
function textOf(output: unknown): string {
  return typeof output === 'string' ? output : (JSON.stringify(output) ?? '')
}

import type { GuardDecision } from '@symfonic/plugins'
import { reasonOf } from './reason-of.ts'
import type { DeskEvent } from './session.ts'

/** A tool call of a turn and what came of it. */
export interface CallRecord {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
  /** From 1. */
  readonly step: number
  /** `failed` covers input that does not fit the tool's schema. */
  readonly outcome: 'open' | 'ran' | 'refused' | 'failed'
  /** What the tool gave; undefined unless it ran. */
  readonly output: unknown
  /** Steps a refusal named. */
  readonly missing: readonly string[]
  /** The rules that refused it, by label. */
  readonly rules: readonly string[]
  /** The plugins whose guards stood against it, each with its reason. */
  readonly vetoes: readonly Veto[]
  /** Why it was refused or failed. */
  readonly reason: string
}

/** A plugin's no. */
export interface Veto {
  readonly plugin: string
  readonly reason: string
}

/** The calls of one turn, in the order in which the model made them. */
export interface CallLog {
  readonly calls: readonly CallRecord[]
  /** Takes note of an event; gives the call it is about once something has come of it. */
  note(event: DeskEvent): CallRecord | undefined
}

/** An empty log. */
export function createCallLog(): CallLog {
  const calls: CallRecord[] = []
  let step = 0

  const settle = (
    about: { readonly toolCallId: string; readonly toolName: string; readonly input: unknown },
    change: Partial<CallRecord>,
  ): CallRecord => {
    // Ids are unique within a step only, so the latest of that id is meant.
    const index = calls.findLastIndex(({ toolCallId }) => toolCallId === about.toolCallId)
    const settled = { ...opened(about, step), ...calls[index], ...change }
    if (index < 0) calls.push(settled)
    else calls[index] = settled
    return settled
  }

  return {
    calls,
    note: (event) => {
      switch (event.type) {
        case 'step-start':
          step = event.step
          return undefined
        case 'tool-call':
          calls.push(opened(event, step))
          return undefined
        case 'tool-refused': {
          const { missing, skills, decisions } = event.details
          return settle(event, {
            outcome: 'refused',
            missing: texts(missing),
            rules: texts(skills),
            vetoes: vetoesIn(decisions),
            reason: event.message,
          })
        }
        case 'tool-error':
          return settle(event, { outcome: 'failed', reason: reasonOf(event.error) })
        case 'tool-result':
          if (event.preliminary) return undefined
          return settle(event, { outcome: 'ran', output: event.output })
        default:
          return undefined
      }
    },
  }
}

function opened(
  { toolCallId, toolName, input }: Pick<CallRecord, 'toolCallId' | 'toolName' | 'input'>,
  step: number,
): CallRecord {
  const about = { toolCallId, toolName, input, step }
  const why = { missing: [], rules: [], vetoes: [], reason: '' }
  return { ...about, outcome: 'open', output: undefined, ...why }
}

function texts(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.map(String) : []
}

/** The decisions of guards, as `withPlugins` gives them with a refusal. */
function vetoesIn(decisions: unknown): readonly Veto[] {
  if (!Array.isArray(decisions)) return []
  return (decisions as readonly GuardDecision[]).flatMap(({ verdict, plugin, reason }) =>
    verdict === 'allow' ? [] : [{ plugin, reason }],
  )
}

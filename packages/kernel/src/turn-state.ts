import type { ContentPart, FinishReason, LanguageModelUsage, ModelMessage, ToolSet } from 'ai'
import {
  castDraft,
  type Draft,
  enablePatches,
  type Patch,
  produce,
  produceWithPatches,
} from 'immer'
import type { CacheReport } from './cache/prefix-watch.ts'
import type { TurnCacheReport } from './cache/turn-cache-report.ts'
import { deepFreeze } from './deep-freeze.ts'
import type { ModelCallReport } from './model-caller.ts'
import type { PromptReport } from './prompt/prompt-report.ts'
import type { Scope } from './scope.ts'
import { addUsage, noUsage } from './usage.ts'

enablePatches()

/** One turn as one frozen value, advanced stage by stage (OPEN-KERN-11). */
export interface TurnState {
  readonly runId: string
  readonly sessionId: string | undefined
  readonly scope: Scope | undefined
  readonly query: string
  /** What came before this turn. */
  readonly history: readonly ModelMessage[]
  /** The user's message of this turn; none when it continues an answered tool call. */
  readonly asked: readonly ModelMessage[]
  /** What the steps added: answers and tool results. */
  readonly answered: readonly ModelMessage[]
  readonly steps: readonly StepRecord[]
  /** Sum over the steps. */
  readonly usage: LanguageModelUsage
  readonly prompt: PromptReport | undefined
  /** The answer, as far as the response pipeline has brought it. */
  readonly text: string
  readonly finishReason: TurnFinishReason | undefined
}

/** One model call with its tool calls. */
export interface StepRecord extends ModelCallReport {
  /** From 1. */
  readonly step: number
  /**
   * Text as it was shown, reasoning, tool calls, results and refusals (as tool errors), in order. A
   * result's output is what the model read of it.
   */
  readonly content: readonly ContentPart<ToolSet>[]
  /** The messages this step added to the transcript, verbatim. */
  readonly messages: readonly ModelMessage[]
  readonly refusals: readonly RefusedCall[]
  readonly forcedTool: string | undefined
  /** What the prompt cache was to give and gave; undefined where no markers are sent. */
  readonly cache: CacheReport | undefined
  /** Milliseconds until the model had answered. */
  readonly modelMs: number
  /** Milliseconds from then until all tools had. */
  readonly toolsMs: number
}

/** A call that a gate or a guard refused. It did not run; the model read `message` as its result. */
export interface RefusedCall {
  readonly step: number
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
  /** The capability that refused. */
  readonly capability: string
  readonly message: string
  /** What it had to say besides, such as the missing steps. */
  readonly details: Readonly<Record<string, unknown>>
}

/** Why the turn ended: as the last model call did, or because the step limit was reached. */
export type TurnFinishReason = FinishReason | 'step-limit'

/** What a turn comes to. */
export interface TurnResult {
  /** The answer after the response pipeline. */
  readonly text: string
  readonly runId: string
  readonly sessionId: string | undefined
  readonly finishReason: TurnFinishReason
  /** History and `added`: what to store, and to give as `history` next time. */
  readonly messages: readonly ModelMessage[]
  /** What this turn added, the user's message first. Verbatim: the pipeline does not touch it. */
  readonly added: readonly ModelMessage[]
  readonly steps: readonly StepRecord[]
  readonly refusals: readonly RefusedCall[]
  /** Calls of tools without `execute`: the caller runs them and sends results with the next turn. */
  readonly pendingCalls: readonly PendingCall[]
  /** Sum over the steps; price each step by its own `usage`. */
  readonly usage: LanguageModelUsage
  readonly prompt: PromptReport
  /** The cache over all steps; undefined where no markers are sent. */
  readonly cache: TurnCacheReport | undefined
}

/** A call the caller has to run. */
export interface PendingCall {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
}

/** How a change of the turn's state is observed: JSON patches (RFC 6902 paths as arrays). */
export type PatchListener = (patches: readonly Patch[]) => void

/** The state a turn starts from. */
export function openTurn(about: {
  runId: string
  sessionId: string | undefined
  scope: Scope | undefined
  query: string
  history: readonly ModelMessage[]
  asked: readonly ModelMessage[]
}): TurnState {
  // Frozen copies end immer's deep freeze: the caller's own objects stay as they are.
  return Object.freeze({
    ...about,
    scope: about.scope && Object.freeze({ ...about.scope }),
    history: Object.freeze([...about.history]),
    asked: Object.freeze([...about.asked]),
    answered: Object.freeze([]),
    steps: Object.freeze([]),
    usage: noUsage,
    prompt: undefined,
    text: '',
    finishReason: undefined,
  })
}

/** The state after a step. */
export function afterStep(state: TurnState, record: StepRecord, listen?: PatchListener): TurnState {
  for (const message of record.messages) ours.add(deepFreeze(message))
  const usage = addUsage(state.usage, record.usage)
  if (listen) {
    return advance(
      state,
      (draft) => {
        draft.answered.push(...castDraft([...record.messages]))
        draft.steps.push(castDraft(record))
        draft.usage = castDraft(usage)
        draft.text = textOf(record)
      },
      listen,
    )
  }
  // Drafting the growing lists costs a third of a step, which only a listener to patches needs.
  return Object.freeze({
    ...state,
    answered: Object.freeze([...state.answered, ...record.messages]),
    steps: Object.freeze([...state.steps, deepFreeze(record)]),
    usage: deepFreeze(usage),
    text: textOf(record),
  })
}

const ours = new WeakSet<object>()

/**
 * Is this a message that a turn of ours made? It is valid and cannot have changed since, so a history
 * that goes on in one process need not be checked again and again.
 */
export function isOurs(message: unknown): boolean {
  return typeof message === 'object' && message !== null && ours.has(message)
}

/**
 * The state after any other change. Patches are computed only for somebody who listens, as they
 * cost about as much again.
 */
export function advance(
  state: TurnState,
  change: (draft: Draft<TurnState>) => void,
  listen?: PatchListener,
): TurnState {
  if (!listen) return produce(state, change)
  const [next, patches] = produceWithPatches(state, change)
  listen(patches)
  return next
}

/** The whole transcript of a turn so far. */
export function transcriptOf(state: TurnState): readonly ModelMessage[] {
  return [...state.history, ...state.asked, ...state.answered]
}

/** What the model wrote, verbatim: the response pipeline begins with it. */
function textOf({ messages }: StepRecord): string {
  let text = ''
  for (const { role, content } of messages) {
    if (role !== 'assistant' || typeof content === 'string') continue
    for (const part of content) if (part.type === 'text') text += part.text
  }
  return text
}

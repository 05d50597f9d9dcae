import type { DecisionReason } from './decision.ts'
import { placeholderId } from './ledger.ts'
import { recallToolName } from './recall.ts'
import { type PolicySettings, ruleOf } from './settings.ts'
import { type Stub, stubOpening, stubWith, writeRepeatStub, writeStub } from './stub.ts'
import type { TokenEstimator } from './token-estimate.ts'
import type { ToolResultView, Transcript } from './transcript.ts'

/** One message as the policy knows it: measured once, whatever happens to it later. */
export interface ReadMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  /** Tokens of everything but tool results. */
  readonly ownTokens: number
  /** Length of the same in characters. */
  readonly ownChars: number
  readonly results: readonly ReadResult[]
  /** Ids that the message asks to recall. */
  readonly recalledIds: readonly string[]
  /** The message does nothing but recall, or is nothing but what a recall answered. */
  readonly isRecall: boolean
}

/** One tool result, measured. */
export interface ReadResult {
  readonly view: ToolResultView
  readonly sizeChars: number
  readonly sizeTokens: number
  /** What may stand in its place, or why nothing may. */
  readonly replacement: Replacement
}

/** What may stand in place of a result. */
export interface Replacement {
  /** Why it is never replaced; undefined for a candidate. */
  readonly fixed: DecisionReason | undefined
  /** undefined for what is never replaced. */
  readonly stub: Stub | undefined
  /** Size of the stub. 0 for what is never replaced. */
  readonly stubChars: number
  readonly stubTokens: number
}

/** What measuring depends on beside the message. */
export interface ReadingOptions<Message> {
  readonly transcript: Transcript<Message>
  readonly settings: PolicySettings
  readonly estimate: TokenEstimator
}

/** Measures a message. Its text is looked at here, and never again. */
export function readMessage<Message>(
  message: Message,
  options: ReadingOptions<Message>,
): ReadMessage {
  const { transcript, estimate } = options
  const text = transcript.textOf(message)
  const calls = transcript.callsOf(message)
  const recalls = calls.filter(({ toolName }) => toolName === recallToolName)
  const results = transcript.resultsOf(message).map((view) => readResult(view, options))
  const answers = results.filter(({ view }) => view.toolName === recallToolName)
  return {
    role: transcript.roleOf(message),
    ownTokens: estimate(text),
    ownChars: text.length,
    results,
    recalledIds: recalls.flatMap(({ input }) => idIn(input)),
    isRecall:
      (calls.length > 0 && recalls.length === calls.length) ||
      (results.length > 0 && answers.length === results.length),
  }
}

/**
 * Whether a message is the one that was read, though it may be another object. Its results are
 * compared byte for byte; of the rest only the size matters.
 */
export function isReadingOf<Message>(
  reading: ReadMessage,
  message: Message,
  transcript: Transcript<Message>,
): boolean {
  if (reading.role !== transcript.roleOf(message)) return false
  const views = transcript.resultsOf(message)
  if (views.length !== reading.results.length) return false
  const isSame = reading.results.every(({ view }, index) => {
    const twin = views[index]
    return (
      twin?.toolCallId === view.toolCallId &&
      twin.toolName === view.toolName &&
      twin.isError === view.isError &&
      twin.isViewable === view.isViewable &&
      twin.text === view.text
    )
  })
  return isSame && transcript.textOf(message).length === reading.ownChars
}

/**
 * What may stand in place of a result that is, character for character, the last one of its tool;
 * undefined where that is worth nothing, or its tool or what it says forbids it. A text that looks
 * like a stub is left alone, so that none is ever made of a stub.
 */
export function readRepeat<Message>(
  { view, sizeTokens }: ReadResult,
  { settings, estimate }: ReadingOptions<Message>,
): Replacement | undefined {
  const { text = '', toolName, isError, isViewable } = view
  if (isError || isViewable || isKeptByName(toolName, settings)) return undefined
  if (text.startsWith(stubOpening)) return undefined
  const replacement = measured(writeRepeatStub({ toolName, text }), estimate)
  const { stubChars, stubTokens } = replacement
  return stubChars * 2 <= text.length && stubTokens < sizeTokens ? replacement : undefined
}

function readResult<Message>(
  view: ToolResultView,
  { settings, estimate }: ReadingOptions<Message>,
): ReadResult {
  const { text = '', toolName, isError } = view
  const sizeTokens = estimate(text)
  const fixed = fixedReason(view, settings)
  const replacement =
    fixed === undefined
      ? measured(writeStub({ toolName, isError, text }, settings.stubMaxChars), estimate)
      : never(fixed)
  const isShorter = replacement.stubChars < text.length && replacement.stubTokens < sizeTokens
  return {
    view,
    sizeChars: text.length,
    sizeTokens,
    replacement: fixed === undefined && !isShorter ? never('no-shorter') : replacement,
  }
}

function measured(stub: Stub, estimate: TokenEstimator): Replacement {
  const text = stubWith(placeholderId, stub)
  return { fixed: undefined, stub, stubChars: text.length, stubTokens: estimate(text) }
}

function never(fixed: DecisionReason): Replacement {
  return { fixed, stub: undefined, stubChars: 0, stubTokens: 0 }
}

function fixedReason(view: ToolResultView, settings: PolicySettings): DecisionReason | undefined {
  const { toolName, text, isViewable, isError } = view
  if (isViewable) return 'viewable'
  if (text === undefined) return 'unreadable'
  if (text.length < settings.minChars) return 'small'
  if (isKeptByName(toolName, settings)) return 'never'
  if (isError && text.length < settings.largeOffloadThresholdChars) return 'error'
  return undefined
}

function isKeptByName(toolName: string, settings: PolicySettings): boolean {
  return toolName === recallToolName || ruleOf(settings, toolName) === 'never'
}

function idIn(input: unknown): string[] {
  if (typeof input !== 'object' || input === null || !Object.hasOwn(input, 'id')) return []
  const id: unknown = Reflect.get(input, 'id')
  return typeof id === 'string' ? [id] : []
}

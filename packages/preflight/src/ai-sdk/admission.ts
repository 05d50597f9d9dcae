import type { Judge, Judgement } from './judge.ts'
import type { ProposedCall } from './options.ts'
import type { ModelMessage } from './sdk.ts'
import {
  callsBefore,
  giveUpOn,
  resultOf,
  type Step,
  type StepCall,
  withResults,
} from './step-calls.ts'
import type { ToolOutput } from './tool-output.ts'

/** A call that has been entered in its step and wants to run. */
export interface Applicant {
  readonly call: StepCall
  readonly step: Step
  /** The history the model saw for the step. */
  readonly messages: readonly ModelMessage[]
}

/**
 * Judges a call on what is known at this moment.
 *
 * @returns undefined when the judgement has to wait for earlier calls of the step.
 */
export function judgeNow(judge: Judge, applicant: Applicant): Judgement | undefined {
  const earlier = callsBefore(applicant.step, applicant.call.toolCall)
  const settled = earlier.filter(isSettled)
  const outputs = settled.map(resultOf)
  if (!areKnown(outputs)) return undefined
  const judgement = judgeWith(judge, applicant, settled, outputs)
  if (!earlier.some((call) => isAwaited(judge, call, judgement))) return judgement
  return isOfStep(applicant) ? undefined : judgement
}

/**
 * Judges a call after the earlier calls of its step as far as they are needed: judged again whenever
 * one of them ends, it is let through or refused when nothing is left that could change the answer
 * (DESIGN decision 6). An answer that the app's functions have a part in stands only when every
 * earlier call is over. Without such functions, a call that the rules allow is let through at once;
 * with them, once the earlier calls have been judged, lest it change what they are judged on.
 *
 * A call waits only for calls that the model made before it, so no two can wait for each other.
 *
 * @throws The reason of `abortSignal` when that aborts.
 */
export async function judgeInTurn(
  judge: Judge,
  applicant: Applicant,
  abortSignal: AbortSignal | undefined,
): Promise<Judgement> {
  const { step, call } = applicant
  while (true) {
    const { version } = step
    const earlier = callsBefore(step, call.toolCall)
    const settled = earlier.filter(isSettled)
    const outputs = await Promise.all(settled.map(resultOf))
    // From here on nothing is awaited until there is a listener: no abort is missed.
    abortSignal?.throwIfAborted()
    const judgement = judgeWith(judge, applicant, settled, outputs)
    if ((judgement.allowed && !judge.asksApp) || !isOfStep(applicant)) return judgement
    if (step.version !== version) continue
    const open = earlier.filter((other) => isAwaited(judge, other, judgement))
    if (open.length === 0) return judgement
    const waitMs = open.every(isExpected) ? startGraceMs : undefined
    const hasHappened = await nextEvent(step, { waitMs, abortSignal })
    if (!hasHappened) for (const other of open) giveUpOn(other)
  }
}

/**
 * How long, in milliseconds, a call that was made but has not started is waited for. Calls start in
 * order, but validating a tool's context or telling callbacks may let a later one overtake; a call
 * that a person has to approve first does not start at all.
 */
const startGraceMs = 50

function judgeWith(
  judge: Judge,
  { messages, call: { toolCall } }: Applicant,
  settled: readonly StepCall[],
  outputs: readonly ToolOutput[],
): Judgement {
  return judge.judge({ messages: withResults(messages, settled, outputs), toolCall })
}

/**
 * Whether the model made the call in this step: announced by the SDK, or, when an approved call is
 * resumed, written in the history. A tool that calls another with its own options makes one that is
 * neither; it must not wait for its maker, which waits for it.
 */
function isOfStep({ call: { toolCall, wasExpected }, messages }: Applicant): boolean {
  if (wasExpected) return true
  try {
    const made = messages.findLast((message) => message?.role === 'assistant')
    return Array.isArray(made?.content) && made.content.some((part) => isCall(part, toolCall))
  } catch {
    return false
  }
}

interface Part {
  readonly type: string
  readonly toolCallId?: string
  readonly toolName?: string
}

function isCall(part: Part | null, { toolCallId, toolName }: ProposedCall): boolean {
  return part?.type === 'tool-call' && part.toolCallId === toolCallId && part.toolName === toolName
}

/** Whether an earlier call can still change the answer, or be changed by what the call does. */
function isAwaited(judge: Judge, { phase, toolCall }: StepCall, judgement: Judgement): boolean {
  const isUnderWay = phase === 'waiting' || phase === 'running'
  if (!isUnderWay && phase !== 'expected') return false
  if (judgement.tentative) return true
  if (judgement.allowed) return judge.asksApp && phase !== 'running'
  return isUnderWay || judgement.refusal.missing.includes(toolCall.toolName)
}

function isSettled({ phase }: StepCall): boolean {
  return phase === 'settled'
}

function isExpected({ phase }: StepCall): boolean {
  return phase === 'expected'
}

function areKnown(
  outputs: readonly (ToolOutput | PromiseLike<ToolOutput>)[],
): outputs is readonly ToolOutput[] {
  return outputs.every((output) => !('then' in output))
}

/** Waits for something to happen in the step. @returns false when the time passed instead. */
function nextEvent(
  { listeners }: Step,
  { waitMs, abortSignal }: { waitMs: number | undefined; abortSignal: AbortSignal | undefined },
): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>()
  const onEvent = () => resolve(true)
  const onAbort = () => reject(abortSignal?.reason)
  const timer = waitMs === undefined ? undefined : setTimeout(() => resolve(false), waitMs)
  listeners.add(onEvent)
  abortSignal?.addEventListener('abort', onAbort, { once: true })
  return promise.finally(() => {
    clearTimeout(timer)
    listeners.delete(onEvent)
    abortSignal?.removeEventListener('abort', onAbort)
  })
}

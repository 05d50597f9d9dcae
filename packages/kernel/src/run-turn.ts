import type { ContentPart, ToolSet } from 'ai'
import { castDraft } from 'immer'
import { sumCacheReports } from './cache/turn-cache-report.ts'
import { type Cancellation, createCancellation } from './cancellation.ts'
import type { TurnView } from './capability.ts'
import type { Plan } from './compose.ts'
import { describeError } from './describe-error.ts'
import { KernelError } from './errors.ts'
import type { TurnEvent } from './events.ts'
import type { Observers } from './observers.ts'
import { hydrationEvent } from './prompt/context-strategy.ts'
import { preparePrompt } from './prompt/prepare-prompt.ts'
import { renderResponse, runResponseStages } from './response-pipeline.ts'
import { isRunnable, runStep } from './step.ts'
import {
  createStepContent,
  type StepContent,
  toAssistantMessage,
  toResultsMessage,
} from './step-content.ts'
import { isFailure } from './tool-output.ts'
import { calledSinceUser } from './transcript.ts'
import type { TurnRequest } from './turn-input.ts'
import {
  advance,
  afterStep,
  openTurn,
  type PatchListener,
  type PendingCall,
  type StepRecord,
  type TurnFinishReason,
  type TurnResult,
  type TurnState,
  transcriptOf,
} from './turn-state.ts'

/**
 * One turn on a plan: assemble the prompt, loop, bring the text through the response pipeline. The
 * only loop there is: blocking and streaming differ in how the model is called and in whether the
 * rewriters are asked (KERN-11).
 *
 * Observers are told each event before the consumer gets it, and the end of the turn even when the
 * consumer has left.
 *
 * @param turn - What can end it early, as `openCancellation` makes it. Closed at the end.
 * @throws KernelError after the terminal event; `details.messages` is the transcript so far.
 */
export async function* runTurn(
  plan: Plan,
  request: TurnRequest,
  turn: Cancellation,
  mode: 'generate' | 'stream',
  observers: Observers,
): AsyncGenerator<TurnEvent, TurnResult, void> {
  const { runId, sessionId, scope, query, history, asked } = request
  let state = openTurn({ runId, sessionId, scope, query, history, asked })
  let content: StepContent = createStepContent()
  let ended = false
  const listen = patchListener(plan)
  const session = sessionKey(request)

  // Whoever reads an event reads what everybody else does.
  const tell = (event: TurnEvent): TurnEvent => {
    observers.tell(Object.freeze(event))
    return event
  }
  let hydrated = ''
  const view = (now: Pick<TurnView, 'step' | 'messages' | 'called'>): TurnView => ({
    ...{ runId, sessionId, scope, query, state: request.state, agent: plan.agent, hydrated },
    ...{ step: now.step, messages: now.messages, called: now.called },
    signal: turn.signal,
    logger: plan.logger,
  })

  try {
    yield tell({ type: 'turn-start', runId, sessionId, scope: state.scope, query })
    const called = calledSinceUser(transcriptOf(state))
    const { prompt, tools, hydration } = await turn.race(
      preparePrompt(plan, (found) => {
        hydrated = found
        return view({ step: 0, messages: transcriptOf(state), called })
      }),
    )
    if (hydration !== undefined) yield tell(hydrationEvent(query, hydration))
    state = advance(
      state,
      (draft) => {
        draft.prompt = castDraft(prompt.report)
      },
      listen,
    )
    yield tell({ type: 'prompt-assembled', report: prompt.report })

    let finishReason: TurnFinishReason | undefined
    while (finishReason === undefined) {
      content = createStepContent()
      const step = state.steps.length + 1
      const record = yield* telling(
        tell,
        runStep(plan, {
          step,
          caller: plan.callers[mode],
          prompt,
          tools,
          session,
          view,
          messages: Object.freeze(transcriptOf(state)),
          called,
          turn,
          content,
        }),
      )
      for (const { call, output } of content.calls) {
        if (output && !isFailure(output)) called.add(call.toolName)
      }
      state = afterStep(state, record, listen)
      content = createStepContent()
      yield tell({ type: 'step-end', record })
      finishReason = finished(record, plan.limits.steps)
    }

    const { toolTimeoutMs } = plan.limits
    const last = view({ step: state.steps.length, messages: transcriptOf(state), called })
    let text = await turn.race(runResponseStages(state.text, plan.stages, last, toolTimeoutMs))
    if (mode === 'generate') {
      text = await turn.race(renderResponse(text, plan.renderers, last, toolTimeoutMs))
    }
    const reason = finishReason
    state = advance(
      state,
      (draft) => {
        draft.text = text
        draft.finishReason = reason
      },
      listen,
    )
    const result = toResult(state, prompt.report, reason)
    ended = true
    plan.afterTurn.start(result, last)
    yield tell({ type: 'turn-end', result })
    return result
  } catch (cause) {
    ended = true
    const messages = settle()
    const error = toKernelError(cause, messages, request.signal)
    // Whoever still works for this turn learns that it is over.
    turn.cancel(error)
    yield tell(
      isAbort(error)
        ? { type: 'turn-abort', runId, reason: error.cause ?? error, messages }
        : { type: 'turn-error', runId, error, messages },
    )
    throw error
  } finally {
    if (!ended) {
      // The consumer has left in the middle.
      const reason = consumerLeft()
      turn.cancel(reason)
      tell({ type: 'turn-abort', runId, reason, messages: settle() })
    }
    // Nothing that is sent later can be compared with a turn that stands alone.
    if (sessionId === undefined) plan.cache.watch?.forget(session)
    turn.close()
  }

  /** The transcript with whatever the step in progress has come to. */
  function settle() {
    const unfinished = [
      toAssistantMessage(content),
      toResultsMessage(
        content,
        'The turn ended before this call was answered; whether it took effect is not known.',
      ),
    ]
    return [...transcriptOf(state), ...unfinished.filter((message) => message !== undefined)]
  }
}

/** What tells the requests of one session from those of all others; a turn without one stands alone. */
function sessionKey({ runId, sessionId, scope }: TurnRequest): string {
  if (sessionId === undefined) return JSON.stringify([runId])
  return JSON.stringify([scope?.tenantId, scope?.namespace, sessionId])
}

/** Tells each event as it passes; closes the source when the consumer leaves. */
async function* telling<Result>(
  tell: (event: TurnEvent) => TurnEvent,
  source: AsyncGenerator<TurnEvent, Result, void>,
): AsyncGenerator<TurnEvent, Result, void> {
  let finished = false
  try {
    let next = await source.next()
    while (!next.done) {
      yield tell(next.value)
      next = await source.next()
    }
    finished = true
    return next.value
  } finally {
    if (!finished) await source.return(undefined as never)
  }
}

/** Why the turn is over after this step, or undefined when it goes on. */
function finished(record: StepRecord, stepLimit: number): TurnFinishReason | undefined {
  const { finishReason, rawFinishReason } = record
  const calls = record.content.filter((part) => part.type === 'tool-call')
  const own = calls.filter((call) => !call.providerExecuted)
  // A provider that asks for leave waits for somebody's answer.
  if (record.content.some((part) => part.type === 'tool-approval-request')) return finishReason
  // One that paused its own tools expects the same conversation again.
  const paused = rawFinishReason === 'pause_turn' || (own.length === 0 && awaitsProvider(record))
  const goesOn = paused || (own.length > 0 && isRunnable(record) && pendingIn(record).length === 0)
  if (!goesOn) return finishReason
  return record.step >= stepLimit ? 'step-limit' : undefined
}

function awaitsProvider({ content, finishReason }: StepRecord): boolean {
  const answered = new Set(
    content.flatMap((part) =>
      part.type === 'tool-result' || part.type === 'tool-error' ? [part.toolCallId] : [],
    ),
  )
  return (
    finishReason === 'tool-calls' &&
    content.some(
      (part) =>
        part.type === 'tool-call' && part.providerExecuted && !answered.has(part.toolCallId),
    )
  )
}

function pendingIn({ content, messages }: StepRecord): PendingCall[] {
  const answered = new Set<string>()
  for (const message of messages) {
    if (message.role !== 'tool') continue
    for (const part of message.content) {
      if (part.type === 'tool-result') answered.add(part.toolCallId)
    }
  }
  const open = content.filter(
    (part): part is Extract<ContentPart<ToolSet>, { type: 'tool-call' }> =>
      part.type === 'tool-call' && !part.providerExecuted && !answered.has(part.toolCallId),
  )
  return open.map(({ toolCallId, toolName, input }) => ({ toolCallId, toolName, input }))
}

function toResult(
  state: TurnState,
  prompt: TurnResult['prompt'],
  finishReason: TurnFinishReason,
): TurnResult {
  const { runId, sessionId, steps, usage, text } = state
  const last = steps.at(-1)
  return Object.freeze({
    text,
    runId,
    sessionId,
    finishReason,
    messages: transcriptOf(state),
    added: [...state.asked, ...state.answered],
    steps,
    refusals: steps.flatMap((step) => step.refusals),
    pendingCalls: last ? pendingIn(last) : [],
    usage,
    prompt,
    cache: sumCacheReports(steps),
  })
}

/** The host's listener. Whatever it throws, even an error of another turn, is a failure of this one. */
function patchListener({ onStatePatch }: Plan): PatchListener | undefined {
  if (onStatePatch === undefined) return undefined
  return (patches) => {
    try {
      onStatePatch(patches)
    } catch (cause) {
      throw new KernelError(
        'KERNEL_TURN_FAILED',
        `onStatePatch failed: ${describeError(cause)}. Mend it (see cause); details.messages can be continued.`,
        { cause },
      )
    }
  }
}

/** What can end a turn early: its signal, its own time limit and the kernel's, its consumer. */
export function openCancellation(plan: Plan, request: TurnRequest): Cancellation {
  const limits = [plan.limits.turnTimeoutMs, request.timeoutMs].filter((ms) => ms !== undefined)
  if (limits.length === 0) return createCancellation(request.signal)
  const timeoutMs = Math.min(...limits)
  return createCancellation(request.signal, {
    timeoutMs,
    reason: () =>
      new KernelError(
        'KERNEL_TURN_TIMED_OUT',
        `The turn took longer than ${timeoutMs} ms. Allow it more time, or continue from details.messages.`,
      ),
  })
}

/** Why a turn ends whose events nobody wants any more. */
export function consumerLeft(): KernelError {
  return new KernelError('KERNEL_TURN_ABORTED', 'The consumer left the stream.')
}

/** Whatever ended a turn, as the error that is thrown. */
export function toKernelError(
  cause: unknown,
  messages: TurnResult['messages'],
  signal: AbortSignal | undefined,
): KernelError {
  if (signal?.aborted && cause === signal.reason) {
    return new KernelError(
      'KERNEL_TURN_ABORTED',
      'The turn was aborted. details.messages can be continued.',
      { cause, details: { messages } },
    )
  }
  if (cause instanceof KernelError) {
    const details = { ...cause.details, messages }
    return new KernelError(cause.code, cause.message, { cause: cause.cause, details })
  }
  const reason = describeError(cause)
  return new KernelError(
    'KERNEL_TURN_FAILED',
    `The turn failed: ${reason}. See cause; details.messages can be continued.`,
    { cause, details: { messages } },
  )
}

function isAbort({ code }: KernelError): boolean {
  return code === 'KERNEL_TURN_ABORTED' || code === 'KERNEL_TURN_TIMED_OUT'
}

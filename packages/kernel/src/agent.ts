import type { AgentCallParameters, AgentStreamParameters, ToolSet } from 'ai'
import { type AgentGenerateResult, toGenerateResult, toStepResult } from './agent-result.ts'
import { type AgentStreamResult, toStreamResult } from './agent-stream-result.ts'
import { longestTimerMs } from './cancellation.ts'
import type { Plan } from './compose.ts'
import { KernelError } from './errors.ts'
import type { TurnEvent } from './events.ts'
import type { TurnOptions } from './turn-input.ts'
import type { TurnResult } from './turn-state.ts'

type AgentCall = AgentCallParameters<TurnOptions, ToolSet>
type Events = AsyncGenerator<TurnEvent, TurnResult, void>

/** Runs a turn as the AI SDK's blocking agent call. */
export async function generateAsAgent(
  start: (call: AgentCall, timeoutMs?: number) => Events,
  call: AgentCall,
  plan: Plan,
): Promise<AgentGenerateResult> {
  const timeoutMs = checkCall(call)
  const events = watchSteps(start(call, timeoutMs), call, plan)
  let next = await events.next()
  while (!next.done) next = await events.next()
  return toGenerateResult(next.value, plan)
}

/**
 * Runs a turn as the AI SDK's streaming agent call. Reading a stream or asking for a field makes it
 * run; any number of readers share the one turn, and it is aborted when the last of them leaves.
 */
export async function streamAsAgent(
  start: (call: AgentCall, timeoutMs?: number) => Events,
  call: AgentStreamParameters<TurnOptions, ToolSet>,
  plan: Plan,
): Promise<AgentStreamResult> {
  const timeoutMs = checkCall(call)
  const left = new AbortController()
  const abortSignal = call.abortSignal
    ? AbortSignal.any([call.abortSignal, left.signal])
    : left.signal
  const events = watchSteps(start({ ...call, abortSignal }, timeoutMs), call, plan)
  return toStreamResult(events, plan, (reason) => left.abort(reason))
}

/** Callbacks the kernel's own events stand for. Ignoring one silently would be worse than refusing it. */
const refusedCallbacks = [
  'onStart',
  'experimental_onStart',
  'onStepStart',
  'experimental_onStepStart',
  'onToolExecutionStart',
  'experimental_onToolCallStart',
  'onToolExecutionEnd',
  'experimental_onToolCallFinish',
  'onEnd',
  'onFinish',
  'experimental_sandbox',
  'experimental_transform',
] as const

/** Refuses what a kernel does not do, and gives the time limit of the call in milliseconds. */
function checkCall(call: AgentCall): number | undefined {
  if (typeof call !== 'object' || call === null) {
    throw invalid('call', 'The agent call is not an object. Give at least { prompt }.')
  }
  for (const name of refusedCallbacks) {
    if ((call as Partial<Record<string, unknown>>)[name] === undefined) continue
    throw invalid(
      name,
      `A kernel does not take ${name}. Watch its events with kernel.observe or kernel.stream({ query }) instead.`,
    )
  }
  const timeout: unknown = call.timeout
  if (timeout === undefined) return undefined
  const { totalMs, ...others } =
    typeof timeout === 'object' ? { totalMs: undefined, ...timeout } : { totalMs: timeout }
  const isTime = typeof totalMs === 'number' && totalMs >= 1 && totalMs <= longestTimerMs
  if (isTime && Object.keys(others).length === 0) return totalMs
  throw invalid(
    'timeout',
    'Of timeout a kernel takes a number of milliseconds or { totalMs } only, at least 1. Set the others once, as limits of createKernel.',
  )
}

function invalid(field: string, message: string) {
  return new KernelError('KERNEL_INPUT_INVALID', message, { details: { field } })
}

/** Tells `onStepEnd` of each step; like the SDK, waits for it and swallows what it throws. */
async function* watchSteps(events: Events, call: AgentCall, plan: Plan): Events {
  const onStepEnd = call.onStepEnd ?? call.onStepFinish
  try {
    let next = await events.next()
    while (!next.done) {
      if (onStepEnd && next.value.type === 'step-end') {
        try {
          await onStepEnd(toStepResult(next.value.record, plan) as never)
        } catch (error) {
          plan.logger.error('onStepEnd failed', { error })
        }
      }
      yield next.value
      next = await events.next()
    }
    return next.value
  } finally {
    await events.return(undefined as never)
  }
}

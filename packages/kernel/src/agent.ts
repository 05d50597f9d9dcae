import type { AgentCallParameters, AgentStreamParameters, ToolSet } from 'ai'
import { type AgentGenerateResult, toGenerateResult, toStepResult } from './agent-result.ts'
import { type AgentStreamResult, toStreamResult } from './agent-stream-result.ts'
import type { Plan } from './compose.ts'
import { KernelError } from './errors.ts'
import type { TurnEvent } from './events.ts'
import type { TurnOptions } from './turn-input.ts'
import type { TurnResult } from './turn-state.ts'

type AgentCall = AgentCallParameters<TurnOptions, ToolSet>
type Events = AsyncGenerator<TurnEvent, TurnResult, void>

/** Runs a turn as the AI SDK's blocking agent call. */
export async function generateAsAgent(
  start: (call: AgentCall) => Events,
  call: AgentCall,
  plan: Plan,
): Promise<AgentGenerateResult> {
  const events = watchSteps(start(withinTimeout(call)), call, plan)
  let next = await events.next()
  while (!next.done) next = await events.next()
  return toGenerateResult(next.value, plan)
}

/**
 * Runs a turn as the AI SDK's streaming agent call. Reading a stream or asking for a field makes it
 * run; any number of readers share the one turn, and it is aborted when the last of them leaves.
 */
export async function streamAsAgent(
  start: (call: AgentCall) => Events,
  call: AgentStreamParameters<TurnOptions, ToolSet>,
  plan: Plan,
): Promise<AgentStreamResult> {
  const limited = withinTimeout(call)
  const left = new AbortController()
  const abortSignal = anyOf(limited.abortSignal, left.signal)
  const events = watchSteps(start({ ...limited, abortSignal }), call, plan)
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

function withinTimeout(call: AgentCall): AgentCall {
  for (const name of refusedCallbacks) {
    if ((call as Partial<Record<string, unknown>>)[name] === undefined) continue
    throw new KernelError(
      'KERNEL_INPUT_INVALID',
      `A kernel does not take ${name}. Watch its events with kernel.observe or kernel.stream({ query }) instead.`,
      { details: { field: name } },
    )
  }
  const { timeout, abortSignal } = call
  if (timeout === undefined) return call
  const totalMs = typeof timeout === 'number' ? timeout : timeout.totalMs
  const others = typeof timeout === 'number' ? [] : Object.keys(timeout)
  if (totalMs === undefined || others.some((name) => name !== 'totalMs')) {
    throw new KernelError(
      'KERNEL_INPUT_INVALID',
      'Of timeout a kernel takes a number or { totalMs } only. Set the others once, as limits of createKernel.',
      { details: { field: 'timeout' } },
    )
  }
  return { ...call, abortSignal: anyOf(abortSignal, AbortSignal.timeout(totalMs)) }
}

function anyOf(given: AbortSignal | undefined, ours: AbortSignal): AbortSignal {
  return given ? AbortSignal.any([given, ours]) : ours
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

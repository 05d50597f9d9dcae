import type { ModelMessage, ToolSet, TypedToolCall } from 'ai'
import { type Cancellation, createCancellation } from './cancellation.ts'
import type { CallJudge, GateDecision, TurnView } from './capability.ts'
import type { Plan } from './compose.ts'
import { deepFreeze } from './deep-freeze.ts'
import { describeError } from './describe-error.ts'
import type { TurnEvent } from './events.ts'
import { runTool } from './execute-tool.ts'
import { createInbox } from './inbox.ts'
import { type Hydration, hydrateToolName, hydrationEvent } from './prompt/context-strategy.ts'
import { type StepCall, toResultPart } from './step-content.ts'
import { lateAfter, withinTime, withLastWord } from './time-limit.ts'
import { errorOutput, isFailure } from './tool-output.ts'
import { findTool, isExecutable } from './tools.ts'
import type { RefusedCall } from './turn-state.ts'

/** The tool calls of one step and where they happen. */
export interface ToolRound {
  readonly step: number
  readonly calls: readonly StepCall[]
  /** The transcript up to and including the message that makes the calls. */
  readonly messages: readonly ModelMessage[]
  readonly called: ReadonlySet<string>
  readonly view: (now: Pick<TurnView, 'step' | 'messages' | 'called'>) => TurnView
  readonly turn: Cancellation
}

/**
 * Runs the calls of a step: judged in the order given, run side by side where the gates allow,
 * answered in call order (the answers land in `calls`).
 *
 * A call that is refused, or allowed only tentatively, while earlier ones still run is judged again
 * once they are done: a required tool earlier in the step satisfies a later call once it has
 * succeeded (DESIGN decision 6), and what an earlier call has changed is seen by the next.
 *
 * @returns The refusals.
 */
export async function* runTools(
  plan: Plan,
  round: ToolRound,
): AsyncGenerator<TurnEvent, readonly RefusedCall[], void> {
  if (round.calls.length === 0) return []
  const inbox = createInbox<TurnEvent>()
  const refusals: RefusedCall[] = []
  let running = 0
  let settled = 0
  let judges = openGates(plan, viewNow(round))
  const { toolTimeoutMs: timeoutMs } = plan.limits
  const { signal } = round.turn
  const wait: Asking['wait'] = (given) => withinTime(given, { timeoutMs, signal })
  const asking: Asking = { signal, inTime: signal, wait }

  for (const step of round.calls) {
    const { call } = step
    if (call.invalid) {
      yield answerInvalid(step)
      continue
    }
    let { refusal, tentative } = await judge(judges, call, asking)
    if ((refusal || tentative) && (running > 0 || settled > 0)) {
      yield* drain()
      settled = 0
      judges = openGates(plan, viewNow(round))
      ;({ refusal, tentative } = await judge(judges, call, asking))
    }
    // Last of all and once: what a guard allows is run.
    if (refusal === undefined && plan.guards.length > 0) {
      refusal = await askGuards(plan, viewNow(round), call)
    }
    // The turn may have ended between a verdict and our reading of it: nothing starts after that.
    round.turn.signal.throwIfAborted()
    if (refusal) {
      step.output = errorOutput(refusal.message)
      const refused = toRefusedCall(round.step, step, refusal)
      refusals.push(refused)
      yield { type: 'tool-refused', ...refused }
    } else {
      start(step)
    }
  }
  yield* drain()
  return refusals

  function start(step: StepCall) {
    const { call } = step
    const tool = findTool(plan.tools, call.toolName)
    // Without execute it is the caller's to run; the turn ends and says so.
    if (!isExecutable(tool)) return
    running += 1
    const dynamic = tool.type === 'dynamic' ? { dynamic: true as const } : {}
    const done = (event: TurnEvent) => {
      running -= 1
      settled += 1
      inbox.put(event)
    }
    runTool(tool, call, {
      messages: round.messages,
      context: toolContext(round.view(round)),
      turn: round.turn,
      timeoutMs,
      onPreliminary: (output) =>
        inbox.put({ ...about(call), ...dynamic, type: 'tool-result', output, preliminary: true }),
    }).then(
      (outcome) => {
        step.output = deepFreeze(outcome.output)
        const isOurs = plan.agent.contextStrategy === 'jit' && call.toolName === hydrateToolName
        if (isOurs && outcome.ok) {
          const { query } = call.input as { query: string }
          inbox.put(hydrationEvent(query, outcome.value as Hydration))
        }
        done(
          outcome.ok
            ? { ...about(call), ...dynamic, type: 'tool-result', output: outcome.value }
            : { ...about(call), ...dynamic, type: 'tool-error', error: outcome.error },
        )
      },
      // The turn itself has ended: the race in drain rejects with the same reason.
      () => {
        running -= 1
      },
    )
  }

  async function* drain(): AsyncGenerator<TurnEvent, void, void> {
    while (running > 0) {
      await round.turn.race(inbox.arrival())
      yield* inbox.take()
    }
    yield* inbox.take()
    // Tools that gave up because the turn ended have no answer: this step has none either.
    round.turn.signal.throwIfAborted()
  }
}

interface OwnedJudge {
  readonly capability: string
  readonly judge: CallJudge
}

function openGates(plan: Plan, view: TurnView): readonly OwnedJudge[] {
  return plan.gates.map(({ capability, gate }) => open(capability, gate, view))
}

/**
 * Asks every guard, each with a signal of its own that fires when nobody waits for it any more: nobody
 * need be asked on its behalf then. What it says at once is heard, if it refuses.
 */
async function askGuards(
  plan: Plan,
  view: TurnView,
  call: TypedToolCall<ToolSet>,
): Promise<OwnedRefusal | undefined> {
  const { signal } = view
  for (const { capability, guard } of plan.guards) {
    const limit = createCancellation(signal, lateAfter(plan.limits.toolTimeoutMs))
    const judges = [open(capability, guard, { ...view, signal: limit.signal })]
    const wait: Asking['wait'] = (given) => withLastWord(given, limit)
    try {
      const { refusal } = await judge(judges, call, { signal, inTime: limit.signal, wait })
      if (refusal !== undefined) return refusal
    } finally {
      limit.close()
    }
  }
  return undefined
}

function open(
  capability: string,
  prepare: (view: TurnView) => CallJudge,
  view: TurnView,
): OwnedJudge {
  try {
    return { capability, judge: prepare(view) }
  } catch (error) {
    return { capability, judge: () => Promise.reject(error) }
  }
}

type OwnedRefusal = Extract<GateDecision, { allowed: false }> & { readonly capability: string }

interface Verdict {
  readonly refusal?: OwnedRefusal
  readonly tentative: boolean
}

/** How to wait for a decision. */
interface Asking {
  /** Of the turn. */
  readonly signal: AbortSignal
  /** When it has fired nothing is allowed any more. */
  readonly inTime: AbortSignal
  readonly wait: (given: ReturnType<CallJudge>) => Promise<GateDecision>
}

/** The first refusal, if any. A gate or guard that throws, hangs or gives no decision refuses. */
async function judge(
  judges: readonly OwnedJudge[],
  call: TypedToolCall<ToolSet>,
  { signal, inTime, wait }: Asking,
): Promise<Verdict> {
  const { toolCallId, toolName, input } = call
  let tentative = false
  for (const { capability, judge } of judges) {
    try {
      const given = judge({ toolCallId, toolName, input })
      const decision = await wait(given)
      // One that answers at once may have ended the turn.
      signal.throwIfAborted()
      if (decision.allowed === true) {
        inTime.throwIfAborted()
        tentative ||= decision.tentative === true
        continue
      }
      if (decision.allowed !== false || typeof decision.message !== 'string') {
        throw new TypeError('it gave no decision')
      }
      return { refusal: { ...decision, capability }, tentative }
    } catch (error) {
      if (signal.aborted) throw signal.reason
      const reason = describeError(error)
      const refusal: OwnedRefusal = {
        allowed: false,
        capability,
        message: `${toolName} was not run: whether it may could not be decided. Try another way, or tell the user.`,
        details: { gateFailed: reason },
      }
      return { refusal, tentative }
    }
  }
  return { tentative }
}

/** What has been called and answered by now, the step's own results included. */
function viewNow(round: ToolRound): TurnView {
  const results = round.calls.flatMap(({ call, output }) =>
    output ? [{ call, output, part: toResultPart(call, output) }] : [],
  )
  if (results.length === 0) return round.view(round)
  const called = new Set(round.called)
  for (const { call, output } of results) if (!isFailure(output)) called.add(call.toolName)
  const content = results.map(({ part }) => part)
  const messages: ModelMessage[] = [...round.messages, { role: 'tool', content }]
  return round.view({ step: round.step, messages, called })
}

/** The SDK's text repeats what the model wrote, whatever its length. */
const longestErrorChars = 4_000

function answerInvalid(step: StepCall): TurnEvent {
  const { call } = step
  const message = describeError(call.error).slice(0, longestErrorChars)
  step.output = errorOutput(message)
  return { ...about(call), type: 'tool-error', error: call.error, dynamic: true }
}

function about({ toolCallId, toolName, input }: TypedToolCall<ToolSet>) {
  return { toolCallId, toolName, input }
}

function toolContext({ runId, sessionId, scope, state }: TurnView) {
  return { runId, sessionId, scope, state }
}

function toRefusedCall(
  step: number,
  { call, recordedInput }: StepCall,
  { capability, message, details = {} }: OwnedRefusal,
): RefusedCall {
  const { toolCallId, toolName } = call
  return {
    step,
    toolCallId,
    toolName,
    input: recordedInput,
    capability,
    message,
    details,
  }
}

import type { ProposedCall } from './options.ts'
import type { ModelMessage } from './sdk.ts'
import { errorOutput, type ToolOutput } from './tool-output.ts'

/** The calls of one step, in the order the model made them. Live: it changes as they run. */
export interface Step {
  readonly calls: StepCall[]
  /** Counts everything that has happened, so that one can tell whether something has. */
  version: number
  /** Called back at the next event, once. */
  readonly listeners: Set<() => void>
  /** The messages the step belongs to, and what they were when it began. */
  readonly messages: readonly ModelMessage[]
  readonly length: number
  readonly last: ModelMessage | undefined
  /** Where the step is found; it takes itself out once all its calls are known and done. */
  readonly log: WeakMap<readonly ModelMessage[], Step>
  /** What the announcements of its calls have in common and those of another run may not have. */
  run: unknown
  /** An older step on the same messages that is not over yet. */
  previous: Step | undefined
}

/** One call of a step. */
export interface StepCall {
  readonly toolCall: ProposedCall
  /** Whether it was entered before it started. The SDK enters all calls of a step before any runs. */
  readonly wasExpected: boolean
  /** Whether its tool was told of it; a stream may ask for its approval before. */
  isAnnounced: boolean
  /**
   * `expected`: the model has made it, and it will run unless something else than the rules stops
   * it. `overdue`: the same, but nobody waits for it to start any more. `waiting`: it has started
   * and waits for its judgement. `denied`: it will not run.
   */
  phase: 'expected' | 'overdue' | 'waiting' | 'running' | 'settled' | 'denied'
  /** Makes what the model will read as its result, once it is settled. */
  convert: Convert | undefined
  /** What `convert` gave, once somebody has asked. */
  output: ToolOutput | PromiseLike<ToolOutput> | undefined
}

/** Makes a result for the model: a promise where the tool's own conversion has to be waited for. */
export type Convert = () => ToolOutput | PromiseLike<ToolOutput>

/** Finds the step of some messages, and of a call where several steps share them. */
export type StepLog = (messages: readonly ModelMessage[], toolCall?: ProposedCall) => Step

/**
 * Finds the step a call belongs to. The SDK hands the calls of one step the same `messages` array,
 * and those of the next step another one; nothing else tells siblings from strangers, for the
 * messages themselves do not hold the calls being made.
 *
 * An array that has changed since stands for another step: an app's own array may come back when a
 * conversation is resumed. Where an app gives several runs the same array, `announceCall` tells their
 * steps apart as far as can be seen, and a call that may be of more than one is of none: it gets a
 * step of its own, in which nothing has been called.
 */
export function createStepLog(): StepLog {
  const log: Step['log'] = new WeakMap()
  return (messages, toolCall) => {
    const known = log.get(messages)
    if (!known || known.length !== messages.length || known.last !== messages.at(-1)) {
      const step = createStep(log, messages)
      log.set(messages, step)
      return step
    }
    if (known.previous === undefined || toolCall === undefined) return known
    return among(known, toolCall) ?? createStep(log, messages)
  }
}

/**
 * Enters a call that the SDK tells of before it starts. The calls of a step are announced together,
 * before any of them starts, each once and with the same abort signal. Whatever comes otherwise is
 * of another step, whose calls neither count for those of the first nor wait for them.
 *
 * @param run - The abort signal that the announcement came with, or undefined.
 */
export function announceCall(
  stepOf: StepLog,
  messages: readonly ModelMessage[],
  toolCall: ProposedCall,
  run: unknown,
): void {
  let step = stepOf(messages)
  const entered = find(step, toolCall)
  if (!isOpenFor(step, run, entered)) {
    const { log, calls } = step
    step = createStep(log, messages, step)
    log.set(messages, step)
    if (entered?.isAnnounced === false && isAhead(entered)) {
      step.calls.push(...calls.splice(calls.indexOf(entered), 1))
    }
  }
  step.run = run
  expectCall(step, toolCall).isAnnounced = true
}

/** Enters a call that has not started. Entering it again changes nothing. */
export function expectCall(step: Step, toolCall: ProposedCall): StepCall {
  return find(step, toolCall) ?? enter(step, toolCall, 'expected')
}

/** Enters a call that will not run. */
export function denyCall(step: Step, toolCall: ProposedCall): void {
  enter(step, toolCall, 'denied')
}

/**
 * Enters a call that starts now. One that starts again has no result any more, and one that was not
 * expected has its place by when it starts.
 */
export function startCall(step: Step, toolCall: ProposedCall): StepCall {
  const known = find(step, toolCall)
  if (known?.wasExpected === false) step.calls.splice(step.calls.indexOf(known), 1)
  const call = enter(step, toolCall, 'running')
  call.convert = undefined
  call.output = undefined
  return call
}

/** Marks a call that was made but does not start: it is not waited for until it does. */
export function giveUpOn(call: StepCall): void {
  if (call.phase === 'expected') call.phase = 'overdue'
}

/** Keeps a call that has started waiting for its judgement. */
export function holdCall(call: StepCall): void {
  call.phase = 'waiting'
}

/** Lets a call that was kept waiting run. */
export function releaseCall(step: Step, call: StepCall): void {
  call.phase = 'running'
  changed(step)
}

/** Ends a call. `convert` is asked once, and only if another call wants to know the result. */
export function settleCall(step: Step, call: StepCall, convert: Convert): void {
  call.convert = convert
  call.phase = 'settled'
  changed(step)
  if (step.calls.every(isOver)) forget(step)
}

/** The calls before the given one; all of them when it has not been entered. */
export function callsBefore(step: Step, toolCall: ProposedCall): readonly StepCall[] {
  const own = find(step, toolCall)
  return own === undefined ? step.calls : step.calls.slice(0, step.calls.indexOf(own))
}

/**
 * What the model will read as the result of a settled call. Never throws or rejects: a call whose
 * result cannot be made is left with an error, which satisfies no rule.
 */
export function resultOf(call: StepCall): ToolOutput | PromiseLike<ToolOutput> {
  const { convert, output } = call
  if (output !== undefined) return output
  try {
    const made = convert?.() ?? errorOutput('no result yet')
    if (!('then' in made)) {
      call.output = made
      return made
    }
    const settled = made.then(undefined, errorOutput).then((value) => {
      call.output = value
      return value
    })
    call.output = settled
    return settled
  } catch (error) {
    call.output = errorOutput(error)
    return call.output
  }
}

/** The messages, then what the given calls have come to: as if the step had ended with them. */
export function withResults(
  messages: readonly ModelMessage[],
  settled: readonly StepCall[],
  outputs: readonly ToolOutput[],
): readonly ModelMessage[] {
  if (settled.length === 0) return messages
  const calls = settled.map(({ toolCall }) => ({ ...toolCall, type: 'tool-call' as const }))
  const results = settled.flatMap(({ toolCall: { toolCallId, toolName } }, index) => {
    const output = outputs[index]
    return output ? [{ type: 'tool-result' as const, toolCallId, toolName, output }] : []
  })
  return [...messages, { role: 'assistant', content: calls }, { role: 'tool', content: results }]
}

function enter(step: Step, toolCall: ProposedCall, phase: StepCall['phase']): StepCall {
  let call = find(step, toolCall)
  if (call) call.phase = phase
  else {
    const wasExpected = phase !== 'running'
    call = {
      toolCall,
      wasExpected,
      isAnnounced: false,
      phase,
      convert: undefined,
      output: undefined,
    }
    step.calls.push(call)
  }
  changed(step)
  return call
}

function isOver({ wasExpected, phase }: StepCall): boolean {
  return wasExpected && (phase === 'settled' || phase === 'denied')
}

function createStep(log: Step['log'], messages: readonly ModelMessage[], previous?: Step): Step {
  return {
    calls: [],
    version: 0,
    listeners: new Set(),
    messages,
    length: messages.length,
    last: messages.at(-1),
    log,
    run: undefined,
    previous,
  }
}

/** Whether a call can still be announced in a step, in which it may have been entered before. */
function isOpenFor({ calls, run }: Step, ofRun: unknown, entered: StepCall | undefined): boolean {
  const isOfRun = run === ofRun || !calls.some(({ isAnnounced }) => isAnnounced)
  return isOfRun && !entered?.isAnnounced && calls.every(isAhead)
}

function isAhead({ phase }: StepCall): boolean {
  return phase === 'expected' || phase === 'overdue' || phase === 'denied'
}

/**
 * The one of several steps on the same messages in which a call is about to start; undefined when
 * there is none or more than one.
 */
function among(latest: Step, toolCall: ProposedCall): Step | undefined {
  const holders: Step[] = []
  for (let step: Step | undefined = latest; step; step = step.previous) {
    const phase = find(step, toolCall)?.phase
    if (phase === 'expected' || phase === 'overdue') holders.push(step)
  }
  const [only, ...others] = holders
  return others.length === 0 ? only : undefined
}

/** Weak entries are cheap to keep and dear to collect: a loop leaves one behind at every step. */
function forget(step: Step): void {
  const latest = step.log.get(step.messages)
  if (latest === step) {
    if (step.previous) step.log.set(step.messages, step.previous)
    else step.log.delete(step.messages)
    return
  }
  for (let newer = latest; newer; newer = newer.previous) {
    if (newer.previous === step) newer.previous = step.previous
  }
}

/** Models repeat ids; with the name beside it a mix-up takes some doing. */
function find({ calls }: Step, { toolCallId, toolName }: ProposedCall): StepCall | undefined {
  return calls.find(
    ({ toolCall }) => toolCall.toolCallId === toolCallId && toolCall.toolName === toolName,
  )
}

function changed(step: Step): void {
  step.version += 1
  if (step.listeners.size === 0) return
  const listeners = [...step.listeners]
  step.listeners.clear()
  for (const listener of listeners) listener()
}

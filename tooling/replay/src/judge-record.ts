import {
  type Capability,
  calledSinceUser,
  type GateDecision,
  type ProposedCall,
  silentLogger,
  type TurnView,
} from '@symfonic/kernel'
import type { ModelMessage } from 'ai'
import { ReplayError } from './errors.ts'
import type { RecordedCall, RecordedResult, Recording } from './recording.ts'
import { type CallPlace, callsOf } from './replay.ts'
import type { ResultJoin } from './rule-set.ts'

/** How a record is read while its calls are judged. */
export interface RecordReading {
  /** Default `position`, which is how it was. */
  readonly joinResults?: ResultJoin
  /**
   * Whether a refused call stays without effect, as in a kernel: what is judged after it sees the
   * refusal in the place of its result. Default false: every recorded result came true.
   */
  readonly refusalsHold?: boolean
}

/** A call, and what the gates say to it. */
export interface JudgedCall extends CallPlace {
  /** Undefined for a call that may run. */
  readonly refusal:
    | {
        /** The capability that refused. */
        readonly capability: string
        readonly message: string
        readonly details: Readonly<Record<string, unknown>>
      }
    | undefined
}

/** The calls that some capabilities refuse when they judge a record as `judgeRecord` does. */
export function breachesIn(
  recording: Recording,
  capabilities: readonly Capability[],
  reading: RecordReading = {},
): JudgedCall[] {
  return judgeRecord(recording, capabilities, reading).filter(
    ({ refusal }) => refusal !== undefined,
  )
}

/**
 * Asks the gates of some capabilities about each call of a record, as it stands: no kernel, no model,
 * and nothing is run. For each call the gates see the conversation before it, with the results of
 * calls that come earlier in its message.
 *
 * @returns All calls, in order.
 * @throws ReplayError `REPLAY_GATE_ASYNC` for a gate that answers later; and whatever a gate throws.
 */
export function judgeRecord(
  recording: Recording,
  capabilities: readonly Capability[],
  reading: RecordReading = {},
): JudgedCall[] {
  const { joinResults = 'position', refusalsHold = false } = reading
  const lastUse = new Map(callsOf(recording).map(({ call }) => [call.id, call.result]))
  const resultOf = ({ id, result }: RecordedCall) =>
    joinResults === 'position' ? result : (lastUse.get(id) ?? result)

  const judged: JudgedCall[] = []
  const messages: ModelMessage[] = recording.opening.map((content) => ({
    role: 'assistant',
    content,
  }))
  for (const { asked, steps } of recording.turns) {
    messages.push(...asked.map((content): ModelMessage => ({ role: 'user', content })))
    for (const [index, { messageIndex, content, calls }] of steps.entries()) {
      messages.push({ role: 'assistant', content: [...textParts(content), ...calls.map(callPart)] })
      for (const [position, call] of calls.entries()) {
        const view = viewOf(recording, asked.at(-1) ?? '', index + 1, [...messages])
        const refusal = firstRefusal(capabilities, view, call)
        judged.push({ messageIndex, position, call, refusal })
        const holds = refusalsHold && refusal !== undefined
        const result = holds ? { content: refusal.message, isError: true } : resultOf(call)
        messages.push({ role: 'tool', content: [resultPart(call, result)] })
      }
    }
  }
  return judged
}

function firstRefusal(
  capabilities: readonly Capability[],
  view: TurnView,
  { id, name, args }: RecordedCall,
): JudgedCall['refusal'] {
  const call: ProposedCall = { toolCallId: id, toolName: name, input: args }
  for (const { name: capability, gate } of capabilities) {
    const decision = gate?.(view)(call)
    if (decision === undefined) continue
    if (!isDecision(decision)) throw late(capability, call)
    if (decision.allowed) continue
    return { capability, message: decision.message, details: decision.details ?? {} }
  }
  return undefined
}

function isDecision(value: GateDecision | PromiseLike<GateDecision>): value is GateDecision {
  return 'allowed' in value
}

function late(capability: string, { toolCallId }: ProposedCall): ReplayError {
  return new ReplayError(
    'REPLAY_GATE_ASYNC',
    `The gate of "${capability}" answers later. Replay the recording through a kernel instead.`,
    { details: { capability, toolCallId } },
  )
}

function viewOf(
  { id }: Recording,
  query: string,
  step: number,
  messages: readonly ModelMessage[],
): TurnView {
  return {
    ...{ runId: id, sessionId: id, scope: undefined, query, state: undefined },
    ...{ agent: unknownAgent, hydrated: '' },
    ...{ step, messages, called: calledSinceUser(messages) },
    ...{ signal: new AbortController().signal, logger: silentLogger },
  }
}

/** A recording says nothing of the agent it was made with. */
const unknownAgent: TurnView['agent'] = {
  domain: { name: '', description: '' },
  tools: [],
  toolManifest: [],
  contextStrategy: 'stratified',
}

function textParts(text: string) {
  return text === '' ? [] : [{ type: 'text', text } as const]
}

function callPart({ id, name, args }: RecordedCall) {
  return { type: 'tool-call', toolCallId: id, toolName: name, input: args } as const
}

function resultPart({ id, name }: RecordedCall, { content, isError }: RecordedResult) {
  const output = { type: isError ? 'error-text' : 'text', value: content } as const
  return { type: 'tool-result', toolCallId: id, toolName: name, output } as const
}

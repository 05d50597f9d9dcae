import {
  type Capability,
  createKernel,
  type RefusedCall as Refusal,
  type TurnInput,
} from '@symfonic/kernel'
import type { ModelMessage } from 'ai'
import { ReplayError } from './errors.ts'
import { type Divergence, firstDivergence, recordOf, toRecord } from './projection.ts'
import { createRecordedModel } from './recorded-model.ts'
import { recordedTools } from './recorded-tools.ts'
import type { RecordedCall, RecordedTurn, Recording } from './recording.ts'

/** How a recording is replayed. */
export interface ReplayOptions {
  /** What the kernel is composed with, such as rules. Default none. */
  readonly capabilities?: readonly Capability[]
  /** Through `kernel.run` or `kernel.stream`. Default `run`. */
  readonly mode?: 'run' | 'stream'
}

/** What a replay came to. */
export interface Replay {
  readonly recording: Recording
  /** The kernel's transcript, without the stand-in queries of turns that nobody asked for. */
  readonly transcript: readonly ModelMessage[]
  /** Calls that were refused, in order. */
  readonly refused: readonly RefusedCall[]
  /**
   * Where the transcript first differs from the record, in which the results of refused calls are
   * replaced by the refusals; undefined when it does not.
   */
  readonly divergence: Divergence | undefined
}

/**
 * One call of a recording. A message index and a position name it; its id need not, since recorded
 * runs use ids again.
 */
export interface CallPlace {
  /** Index of the assistant's message in the record, from 0. */
  readonly messageIndex: number
  /** Position among the calls of that message, from 0. */
  readonly position: number
  readonly call: RecordedCall
}

/** Names a call within its run, as its id does not. */
export function keyOf({ messageIndex, position }: CallPlace): string {
  return `${messageIndex}:${position}`
}

/** A call the kernel refused, and what the environment had answered. */
export interface RefusedCall extends CallPlace {
  /** The capability that refused. */
  readonly capability: string
  /** What the model read instead of `call.result`. */
  readonly message: string
  readonly details: Refusal['details']
}

/** The labels of the skills that the details of a refusal name. */
export function labelsIn({ skills }: Refusal['details'] = {}): string[] {
  return Array.isArray(skills) ? skills.filter((label) => typeof label === 'string') : []
}

/**
 * What stands for the user where the record has the assistant act without being asked. It is no part
 * of the transcript.
 */
export const standInQuery = '(The record has no message of the user here.)'

/**
 * Lives a recording through again: a fresh kernel, a model that repeats what was recorded, tools that
 * answer as recorded, and one kernel turn for each turn of the record. The recorded model goes on as
 * recorded whatever is refused.
 *
 * Several messages of the user in a row are one turn: the last is the query, the others are history.
 *
 * @throws ReplayError `REPLAY_TURN_FAILED` when a turn throws, or takes fewer or more steps than
 * recorded.
 */
export async function replay(recording: Recording, options: ReplayOptions = {}): Promise<Replay> {
  const { capabilities = [], mode = 'run' } = options
  const recorded = createRecordedModel()
  const kernel = createKernel({
    model: recorded.model,
    tools: recordedTools(recording, recorded.currentStep),
    capabilities,
    // One more than any turn needs, so that no turn ends for its length.
    limits: { steps: Math.max(...recording.turns.map(({ steps }) => steps.length), 0) + 2 },
  })
  const play = async (input: TurnInput) => {
    if (mode === 'run') return kernel.run(input)
    const events = kernel.stream(input)
    let next = await events.next()
    while (!next.done) next = await events.next()
    return next.value
  }

  let transcript: readonly ModelMessage[] = recording.opening.map((content) => ({
    role: 'assistant',
    content,
  }))
  const refused: RefusedCall[] = []
  for (const [index, turn] of recording.turns.entries()) {
    const before: ModelMessage[] = turn.asked
      .slice(0, -1)
      .map((content) => ({ role: 'user', content }))
    const history = [...transcript, ...before]
    const query = turn.asked.at(-1)
    try {
      recorded.beginTurn(turn)
      const result = await play({
        query: query ?? standInQuery,
        history,
        sessionId: recording.id,
      })
      recorded.endTurn()
      const added = query === undefined ? result.added.slice(1) : result.added
      transcript = [...history, ...added]
      refused.push(...result.refusals.map((refusal) => locate(turn, refusal)))
    } catch (cause) {
      throw failed(recording, index + 1, cause)
    }
  }
  const divergence = firstDivergence(
    recordOf(recording, refused.map(toReplacement)),
    toRecord(transcript),
  )
  return { recording, transcript, refused, divergence }
}

/** All calls of a recording, in order. */
export function callsOf({ turns }: Recording): CallPlace[] {
  return turns.flatMap(({ steps }) =>
    steps.flatMap(({ messageIndex, calls }) =>
      calls.map((call, position) => ({ messageIndex, position, call })),
    ),
  )
}

function locate({ steps }: RecordedTurn, refusal: Refusal): RefusedCall {
  const step = steps[refusal.step - 1]
  const position = step?.calls.findIndex(({ id }) => id === refusal.toolCallId) ?? -1
  const call = step?.calls[position]
  if (step === undefined || call === undefined) {
    throw new ReplayError(
      'REPLAY_STEP_MISSING',
      `A call "${refusal.toolCallId}" was refused in step ${refusal.step}, where the record makes no such call. Find out who made it.`,
      { details: { toolCallId: refusal.toolCallId, step: refusal.step } },
    )
  }
  const { capability, message, details } = refusal
  return { messageIndex: step.messageIndex, position, call, capability, message, details }
}

function toReplacement({ messageIndex, call, message }: RefusedCall) {
  return { messageIndex, callId: call.id, message }
}

function failed({ id }: Recording, turn: number, cause: unknown): ReplayError {
  const { cause: deeper } = cause instanceof Error ? cause : { cause: undefined }
  const told = deeper instanceof ReplayError ? deeper : cause
  const reason = told instanceof Error ? told.message : String(told)
  return new ReplayError('REPLAY_TURN_FAILED', `The run ${id} stops in turn ${turn}: ${reason}`, {
    details: { run: id, turn },
    cause: told,
  })
}

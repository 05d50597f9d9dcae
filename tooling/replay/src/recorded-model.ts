import { type ScriptedModel, type ScriptedStep, scriptedModel } from '@symfonic/kernel/testing'
import { ReplayError } from './errors.ts'
import type { RecordedStep, RecordedTurn } from './recording.ts'

/** A model that repeats what was recorded, one turn at a time, blocking and streaming alike. */
export interface RecordedModel {
  /** To compose a kernel with. */
  readonly model: Omit<ScriptedModel, 'received' | 'assertDone'>
  /** Takes up a turn, from its first step. */
  beginTurn(turn: RecordedTurn): void
  /** The step whose calls are being answered. */
  currentStep(): RecordedStep | undefined
  /**
   * Ends the turn.
   *
   * @throws ReplayError `REPLAY_STEP_UNPLAYED` when the record has steps that nobody asked for.
   */
  endTurn(): void
}

/**
 * Creates a model that repeats recorded steps whatever it is sent.
 *
 * Where a turn of the record breaks off, with a tool result or a user who has the last word, the
 * model answers once with nothing: it has nothing more to say. Asked beyond that, it throws
 * `REPLAY_STEP_MISSING`, and that is a fault of whoever asks.
 */
export function createRecordedModel(): RecordedModel {
  let script = scriptedModel([])
  let answers: readonly ScriptedStep[] = []
  let steps: readonly RecordedStep[] = []
  const { received: _, assertDone: __, ...model } = script

  const expectMore = () => {
    if (script.received.length < answers.length) return
    throw new ReplayError(
      'REPLAY_STEP_MISSING',
      `The record has ${steps.length} steps in this turn, and one more was asked for. Find out why the turn goes on.`,
      { details: { steps: steps.length } },
    )
  }

  return {
    model: {
      ...model,
      modelId: 'recorded',
      doGenerate: async (sent) => {
        expectMore()
        return script.doGenerate(sent)
      },
      doStream: async (sent) => {
        expectMore()
        return script.doStream(sent)
      },
    },
    beginTurn: (turn) => {
      steps = turn.steps
      answers = answersOf(turn)
      script = scriptedModel(answers)
    },
    currentStep: () => steps[script.received.length - 1],
    endTurn: () => {
      const unplayed = answers.length - script.received.length
      if (unplayed === 0) return
      throw new ReplayError(
        'REPLAY_STEP_UNPLAYED',
        `${unplayed} of ${answers.length} recorded answers of this turn were never asked for. Find out why the turn ends early.`,
        { details: { unplayed, steps: steps.length } },
      )
    },
  }
}

function answersOf({ steps }: RecordedTurn): ScriptedStep[] {
  const answers = steps.map(
    ({ content, calls }): ScriptedStep => ({
      ...(content !== '' && { text: content }),
      // As JSON text, so that an argument list which is text itself stays one.
      toolCalls: calls.map(({ id, name, args }) => ({ id, name, input: JSON.stringify(args) })),
    }),
  )
  const last = steps.at(-1)
  const breaksOff = last === undefined || last.calls.length > 0
  return breaksOff ? [...answers, {}] : answers
}

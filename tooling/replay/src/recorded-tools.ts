import { jsonSchema, type ToolSet, tool } from 'ai'
import { ReplayError } from './errors.ts'
import type { RecordedResult, RecordedStep, Recording } from './recording.ts'

/**
 * The tools that a recording calls, each answering with what was recorded.
 *
 * They take any input: the record is what the environment made of it. A result comes back word for
 * word, as `text`, or as `error-text` where the record says that the call failed. It is returned and
 * not thrown, since a kernel writes the tool's name before the message of what was thrown.
 *
 * @param currentStep - The step whose calls are being answered; ids are unique within it only.
 */
export function recordedTools(
  { turns }: Recording,
  currentStep: () => RecordedStep | undefined,
): ToolSet {
  const names = new Set(
    turns.flatMap(({ steps }) => steps.flatMap(({ calls }) => calls.map(({ name }) => name))),
  )
  const repeat = tool({
    description: 'Answers as recorded.',
    inputSchema: jsonSchema<unknown>({ type: 'object' }),
    execute: (_, { toolCallId }): RecordedResult => {
      const call = currentStep()?.calls.find(({ id }) => id === toolCallId)
      if (call === undefined) throw missing(toolCallId)
      return call.result
    },
    toModelOutput: ({ output: { content, isError } }) => ({
      type: isError ? 'error-text' : 'text',
      value: content,
    }),
  })
  return Object.fromEntries([...names].map((name) => [name, repeat]))
}

function missing(toolCallId: string): ReplayError {
  return new ReplayError(
    'REPLAY_STEP_MISSING',
    `The record holds no call "${toolCallId}" in this step. Find out who made it.`,
    { details: { toolCallId } },
  )
}

import { z } from 'zod'
import { ReplayError } from './errors.ts'
import { parseRecording, type RecordPlace } from './parse-recording.ts'
import type { Recording } from './recording.ts'

/**
 * Checks one task that says which calls are right, `{ id, variant, initialState, turns: [{ user,
 * calls }] }`, and makes a recording of it: an agent that makes the right calls, one a message, each
 * answered with `done`. Nobody recorded any results.
 *
 * @param value - Plain data of any origin, such as a parsed line.
 * @throws ReplayError `REPLAY_RECORD_INVALID`.
 */
export function parseTask(value: unknown, place: RecordPlace): Recording {
  const parsed = taskSchema.safeParse(value)
  if (!parsed.success) {
    const { file, line } = place
    const [issue] = parsed.error.issues
    const path = issue?.path.join('.') ?? ''
    throw new ReplayError(
      'REPLAY_RECORD_INVALID',
      `${file}:${line} is no task${path && ` (${path})`}: ${issue?.message}. Mend the line or remove it.`,
      { details: { file, line, path } },
    )
  }
  const { id, variant, initialState, turns } = parsed.data
  const messages = turns.flatMap(({ user, calls }, turn) => [
    ...user.map((content) => ({ role: 'user', content })),
    ...calls.flatMap(({ name, args }, index) => {
      const toolCallId = `turn ${turn + 1}, call ${index + 1}`
      return [
        { role: 'assistant', content: '', toolCalls: [{ id: toolCallId, name, args }] },
        { role: 'tool', content: 'done', toolCallId, toolName: name },
      ]
    }),
  ])
  const recording = parseRecording(
    { id, source: `task-${variant}`, domain: 'apis', messages },
    place,
  )
  return { ...recording, startState: initialState }
}

const taskSchema = z.looseObject({
  id: z.string().min(1),
  variant: z.string().default('unknown'),
  initialState: z.unknown(),
  turns: z.array(
    z.looseObject({
      user: z.array(z.string()),
      calls: z.array(z.looseObject({ name: z.string().min(1), args: z.unknown() })),
    }),
  ),
})

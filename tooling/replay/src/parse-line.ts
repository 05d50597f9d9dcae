import { ReplayError } from './errors.ts'
import type { RecordPlace } from './parse-recording.ts'

/**
 * Reads one line of a `.jsonl` file.
 *
 * @throws ReplayError `REPLAY_JSON_INVALID`.
 */
export function parseLine(text: string, { file, line }: RecordPlace): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ReplayError(
      'REPLAY_JSON_INVALID',
      `${file}:${line} is no JSON: ${cause instanceof Error ? cause.message : cause}. Write one object a line.`,
      { details: { file, line }, cause },
    )
  }
}

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseVerdict, type Verdict } from './oracle.ts'
import { parseLine } from './parse-line.ts'
import { parseRecording } from './parse-recording.ts'
import { parseTask } from './parse-task.ts'
import type { Recording } from './recording.ts'

/** What a folder of recordings holds. */
export interface RecordedFolder {
  readonly recordings: readonly Recording[]
  /** What oracles say of the recordings. */
  readonly verdicts: readonly Verdict[]
}

/**
 * Reads all `.jsonl` files of a folder, by name; or one file. A line is a run; or, where it has no
 * `messages` but `violations`, an oracle's verdict on one, or, where it has `turns`, a task. Empty lines
 * are passed over.
 *
 * @returns undefined where there is no such folder or file.
 * @throws ReplayError `REPLAY_JSON_INVALID`, `REPLAY_RECORD_INVALID`; the first line at fault.
 */
export function readFolder(folder: string): RecordedFolder | undefined {
  if (!existsSync(folder)) return undefined
  const recordings: Recording[] = []
  const verdicts: Verdict[] = []
  for (const path of filesOf(folder)) {
    const read = readLines(readFileSync(path, 'utf8'), path)
    recordings.push(...read.recordings)
    verdicts.push(...read.verdicts)
  }
  return { recordings, verdicts }
}

/**
 * Reads the lines of one file, as `readFolder` does.
 *
 * @param file - Its name, for errors.
 */
export function readLines(text: string, file: string): RecordedFolder {
  const recordings: Recording[] = []
  const verdicts: Verdict[] = []
  for (const [index, written] of text.split('\n').entries()) {
    if (written.trim() === '') continue
    const place = { file: basename(file), line: index + 1 }
    const value = parseLine(written, place)
    if (isWith('violations', value)) verdicts.push(parseVerdict(value, place))
    else if (isWith('turns', value)) recordings.push(parseTask(value, place))
    else recordings.push(parseRecording(value, place))
  }
  return { recordings, verdicts }
}

function filesOf(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path]
  const names = readdirSync(path).filter((name) => name.endsWith('.jsonl'))
  return names.sort().map((name) => join(path, name))
}

function isWith(key: 'violations' | 'turns', value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.hasOwn(value, key) && !Object.hasOwn(value, 'messages')
}

import { existsSync, readFileSync } from 'node:fs'
import { defaultFolder } from '../command.ts'

// The recorded lines as they stand, read with none of the code under test: tests work out from
// them what is to be expected.

/** One message of a recorded run. */
export interface RawMessage {
  role: string
  content: string
  toolCalls?: { id: string; name: string; args: Record<string, unknown> }[]
  toolCallId?: string
  toolName?: string
  isError?: boolean
}

/** One recorded run. */
export interface RawRun {
  id: string
  domain: string
  source: string
  reward: number
  messages: RawMessage[]
}

/** What an oracle says of one run. */
export interface RawVerdict {
  id: string
  violations: { rule: string; tool: string; callId: string; rejectedByEnvironment: boolean }[]
}

/** False where the recordings are not installed; the lists are empty then. */
export const isThere = existsSync(defaultFolder)

export const runs = [...lines<RawRun>('trajectories.jsonl'), ...lines<RawRun>('violators.jsonl')]

export const verdicts = [
  ...lines<RawVerdict>('ordering-violations.jsonl'),
  ...lines<RawVerdict>('violators-oracle.jsonl'),
]

function lines<Line>(name: string): Line[] {
  if (!isThere) return []
  return readFileSync(`${defaultFolder}/${name}`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

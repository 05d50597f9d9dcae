import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseLine } from '../parse-line.ts'
import { type Conversation, parseConversation } from './conversation.ts'

/** Where the recordings lie beside the repository; the replay of results reads two of its folders. */
export const recordedData = fileURLToPath(new URL('../../../../../shared/data', import.meta.url))

/** Those of its folders that hold conversations. */
const folders = ['long-trajectories', 'tau-trajectories']

/**
 * Reads the recorded conversations: every line of their `.jsonl` files that has messages. The policy an
 * agent had is read from `policies`, by the name that `policyRef` ends in.
 *
 * @param data - A folder with `long-trajectories`, `tau-trajectories` and `policies`; each may be absent.
 * @throws ReplayError `REPLAY_JSON_INVALID`, `REPLAY_RECORD_INVALID`; the first line at fault.
 */
export function readConversations(data: string): Conversation[] {
  const policyOf = (ref: string) => {
    const path = join(data, 'policies', basename(ref))
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined
  }
  const conversations: Conversation[] = []
  for (const folder of folders.map((name) => join(data, name)).filter(existsSync)) {
    for (const file of readdirSync(folder)
      .filter((name) => name.endsWith('.jsonl'))
      .sort()) {
      const lines = readFileSync(join(folder, file), 'utf8').split('\n')
      for (const [index, line] of lines.entries()) {
        if (line.trim() === '') continue
        const place = { file, line: index + 1 }
        const value = parseLine(line, place)
        if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'messages'))
          continue
        conversations.push(parseConversation(value, { ...place, policyOf }))
      }
    }
  }
  return conversations
}

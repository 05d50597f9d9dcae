import type { MemorySettings } from './memory-settings.ts'
import type { Scope } from './scope.ts'
import { listWorking, planWorking, refillTurnId } from './working.ts'
import type { MemoryTurn } from './write/turn.ts'
import { turnEntries } from './write/turn-entries.ts'

/**
 * Fills an empty working memory from the tail of a transcript, scrubbed; one that holds something stays as it is.
 *
 * @param tail - Checked by `parseTurn`.
 * @returns how many messages were filled in.
 * @throws What the store throws.
 * @see MEM-54
 */
export async function refillWorking(
  { store, scrubber, now }: Pick<MemorySettings, 'store' | 'scrubber' | 'now'>,
  scope: Scope,
  { sessionId, index = 0, messages }: MemoryTurn,
): Promise<number> {
  const there = await listWorking(store, scope, sessionId)
  if (there.length > 0) return 0
  const scrubbed = messages.map((message) => ({
    ...message,
    text: scrubber.text(message.text).text,
  }))
  const turn = { sessionId, messages: scrubbed, turnId: refillTurnId(sessionId) }
  const episodes = turnEntries(turn, { index, before: [], now: now() })
  const { put } = planWorking(there, episodes)
  await store.write(scope, { put })
  return put.length
}

import { createMemory, type Memory, type MemoryStore, type Scope } from '@symfonic/memory'
import { writeText } from './written-text.ts'

/** Whose memory is filled. */
export const scope: Scope = { tenantId: 'bench', userId: 'ann' }

/** Messages of a conversation. */
const messagesOfSession = 100

/** Words of a message. */
const messageWords = 20

const start = Date.UTC(2026, 0, 1)

/** Makes a memory in which there are so many entries, a message each, in conversations of a hundred. */
export async function fillMemory(store: MemoryStore, entries: number): Promise<Memory> {
  const memory = createMemory({ store, quickNapEveryTurns: 0 })
  const teller = createMemory({ store, layers: ['episodic'], quickNapEveryTurns: 0 })
  const text = writeText(entries)
  for (let from = 0; from < entries; from += messagesOfSession) {
    const messages = Array.from(
      { length: Math.min(messagesOfSession, entries - from) },
      (_, index) => ({
        role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
        speaker: index % 2 === 0 ? 'Ann' : 'Desk',
        text: text.words(messageWords),
        at: start + (from + index) * 60_000,
      }),
    )
    const sessionId = `session ${from}`
    const { created } = await teller.consolidate(scope, { turnId: sessionId, sessionId, messages })
    if (created !== messages.length) throw new Error(`${sessionId} was not written whole.`)
  }
  return memory
}

/** Questions of six words each, drawn as the messages were. */
export function queriesOf(count: number): readonly string[] {
  const text = writeText(7)
  return Array.from({ length: count }, () => text.words(6))
}

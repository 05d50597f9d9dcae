import {
  createMemory,
  type MemoryStore,
  memoryLayers,
  type RecallSettings,
  recall,
  type Scope,
} from '@symfonic/memory'
import type { Conversation, Question } from './conversations.ts'
import type { Trial } from './recall-at.ts'

/** A conversation in memory, to be asked. */
export interface Remembered {
  readonly conversation: Conversation
  /** Asks every question and changes nothing by it. */
  ask(settings: RecallSettings): Promise<readonly Trial[]>
}

/**
 * Tells a memory a conversation, session by session, one entry a turn. No model is called: each turn is kept as
 * it was said.
 */
export async function rememberConversation(
  conversation: Conversation,
  store: MemoryStore,
): Promise<Remembered> {
  const scope: Scope = { tenantId: 'bench', userId: conversation.id }
  const memory = createMemory({ store, layers: ['episodic'] })
  const idAt = new Map<string, string>()
  for (const { id: sessionId, at, turns } of conversation.sessions) {
    for (const [index, { id }] of turns.entries()) idAt.set(`${sessionId}:${index}`, id)
    const messages = turns.map(({ speaker, text }) => ({
      role: 'user' as const,
      speaker,
      text,
      at,
    }))
    await memory.consolidate(scope, { turnId: sessionId, sessionId, messages })
  }
  await memory.flush()
  const ids = new Set(idAt.values())
  const now = Math.max(...conversation.sessions.map(({ at }) => at))

  return {
    conversation,
    async ask(settings) {
      const trials: Trial[] = []
      for (const question of conversation.questions) {
        assertEvidence(question, ids)
        const query = {
          text: question.text,
          now,
          limit: 20,
          layers: memoryLayers,
          inheritedLayers: [],
        }
        const items = await recall(store, scope, query, settings)
        const found = items.flatMap(({ sequence }) => {
          return idAt.get(`${sequence?.sessionId}:${sequence?.index}`) ?? []
        })
        trials.push({ ...question, conversation: conversation.id, found })
      }
      return trials
    },
  }
}

function assertEvidence({ text, evidence }: Question, ids: ReadonlySet<string>): void {
  if (evidence.every((id) => ids.has(id))) return
  throw new Error(`The evidence of "${text}" is not in the conversation.`)
}

import { currentTurn } from '@symfonic/kernel'
import type { Memory, Scope } from '@symfonic/memory'
import { fullNameOf } from './speaker.ts'

/** What people like, kept for each person apart. Values by topic. */
export interface Preferences {
  /** Everything that is known of the speaker of the running turn, by topic. */
  recall(): Promise<ReadonlyMap<string, string>>
  /** Keeps `value` for the speaker of the running turn, in place of what was known of the topic. */
  remember(topic: string, value: string): Promise<void>
}

const ofPreferences = { layers: ['semantic'], kind: 'preference' } as const

/**
 * Keeps preferences in a memory, beside those that a model noted there by itself.
 *
 * Whose they are is never an argument: a model could be talked into another name, and a channel has
 * many speakers. The owner is read from the turn that runs the tool. Without one, both methods reject.
 *
 * @see SKILL-06
 */
export function createPreferences(memory: Memory): Preferences {
  const list = async (scope: Scope) => {
    const { entries } = await memory.list(scope, { filter: ofPreferences, order: 'oldest' })
    return entries
  }
  return {
    recall: async () => {
      const { scope } = ownerOfTurn()
      return new Map((await list(scope)).map(({ label = 'other', content }) => [label, content]))
    },
    remember: async (topic, value) => {
      const { scope, userId, turnId } = ownerOfTurn()
      const known = (await list(scope)).findLast(({ label }) => label === topic)
      if (known?.content === value) return
      if (known !== undefined && topic !== 'other') {
        await memory.correct(scope, { id: known.id, content: value, author: userId, turnId })
        return
      }
      await memory.remember(scope, {
        layer: 'semantic',
        kind: 'preference',
        label: topic,
        subject: fullNameOf(userId),
        content: value,
        importance: 7,
        provenance: { source: 'tool', tool: 'remember_preference', turnId },
      })
    },
  }
}

/** Whom the running turn works for, and where: the scope under which a memory is kept. */
export function ownerOfTurn(): {
  readonly scope: Scope
  readonly userId: string
  readonly turnId: string
} {
  const turn = currentTurn()
  const { tenantId, namespace, userId } = turn?.scope ?? {}
  if (turn && tenantId && userId) {
    const scope = { tenantId, ...(namespace !== undefined && { namespace }), userId }
    return { scope, userId, turnId: turn.runId }
  }
  throw new Error(
    'It is not known who speaks, and preferences are kept for each person apart. Ask who it is.',
  )
}

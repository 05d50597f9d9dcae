import { currentTurn } from '@symfonic/kernel'

/** What people like, kept for each person apart. Values by topic. */
export interface Preferences {
  /** Everything the speaker of the running turn has told, by topic. */
  recall(): ReadonlyMap<string, string>
  /** Keeps `value` for the speaker of the running turn. */
  remember(topic: string, value: string): void
}

/**
 * Keeps preferences in memory.
 *
 * Whose they are is never an argument: a model could be talked into another name, and a channel has
 * many speakers. The owner is read from the turn that runs the tool. Without one, both methods throw.
 *
 * @see SKILL-06
 */
export function createPreferences(): Preferences {
  const byTenant = new Map<string, Map<string, Map<string, string>>>()

  const own = (): Map<string, string> => {
    const { tenantId, userId } = ownerOfTurn()
    const byUser = entry(byTenant, tenantId, () => new Map<string, Map<string, string>>())
    return entry(byUser, userId, () => new Map<string, string>())
  }
  return {
    recall: () => new Map(own()),
    remember: (topic, value) => {
      own().set(topic, value)
    },
  }
}

/** Whom the running turn works for: the key under which a memory is kept. */
export function ownerOfTurn(): { tenantId: string; userId: string } {
  const { tenantId, userId } = currentTurn()?.scope ?? {}
  if (tenantId && userId) return { tenantId, userId }
  throw new Error(
    'It is not known who speaks, and preferences are kept for each person apart. Ask who it is.',
  )
}

function entry<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}

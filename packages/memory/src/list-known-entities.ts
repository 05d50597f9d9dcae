import { abortable } from './abortable.ts'
import type { Memory } from './create-memory.ts'
import type { KnownEntity } from './extraction/known-entities.ts'
import type { Scope } from './scope.ts'

/**
 * The entities of a scope as the extraction directives show them, the latest first, so that a model
 * names them again and does not invent them anew (MEM-26).
 *
 * @param options - `limit`: entries read, 1 to 100; 20 by default. `signal`: ends the wait.
 * @throws What the store throws; the reason of the signal.
 */
export async function listKnownEntities(
  memory: Pick<Memory, 'list'>,
  scope: Scope,
  { limit = 20, signal }: { limit?: number; signal?: AbortSignal } = {},
): Promise<readonly KnownEntity[]> {
  const filter = { kind: 'entity' }
  const { entries } = await abortable(() => memory.list(scope, { filter, limit }), signal)
  return entries.map(({ id, label, content, metadata }) => {
    const type = metadata['type']
    return { id, label: label ?? content, type: typeof type === 'string' ? type : 'thing' }
  })
}

import { createBoundedMap } from './bounded-map.ts'
import { deriveId } from './derive-id.ts'
import { identityKind, type MemoryEntry } from './entry.ts'
import { parseEntry } from './parse-entry.ts'
import { parseScope, type Scope } from './scope.ts'

/** Scopes that are remembered as seeded. @see MEM-49 */
const mostSeeded = 1_000

/** Scopes whose identity was seeded, the latest 1,000; the oldest is forgotten first. */
export function createSeededScopes() {
  return createBoundedMap<true>(mostSeeded)
}

/** Where an agent's identity is kept: with the tenant, or its namespace, and never with one user. */
export function identityScope(scope: Scope): Scope {
  const { tenantId, namespace } = parseScope(scope)
  return { tenantId, ...(namespace !== undefined && { namespace }) }
}

/** An agent's identity as an entry: importance 9, exempt from decay and merge. @see MEM-46, MEM-48 */
export function identityEntry(
  { domainName, content }: { domainName: string; content?: string },
  { now }: { now: number },
): MemoryEntry {
  const entry = parseEntry(
    {
      layer: 'semantic',
      kind: identityKind,
      label: domainName,
      content: content ?? domainName,
      importance: 9,
      strength: 1,
      provenance: { source: 'system' },
    },
    { now },
  )
  // One persona a name: another text for it is a correction, not a second one.
  return { ...entry, id: deriveId({ ...entry, content: '' }) }
}

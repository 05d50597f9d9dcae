import { createMemory, type Memory } from '../create-memory.ts'
import type { StoredEntry } from '../entry.ts'
import { createInMemoryStore } from '../in-memory-store.ts'
import type { MemoryOptions } from '../memory-settings.ts'
import type { Scope } from '../scope.ts'

export const ann: Scope = { tenantId: 'acme', userId: 'ann' }
export const bob: Scope = { tenantId: 'acme', userId: 'bob' }
export const start = Date.UTC(2026, 4, 8, 12)

/** A memory in memory, with a clock to be set. */
export function setUp(options: Partial<MemoryOptions> = {}) {
  const clock = { now: start }
  const store = options.store ?? createInMemoryStore()
  const memory = createMemory({ now: () => clock.now, ...options, store })
  return { memory, store, clock }
}

/** One turn of the conversation `s1`. */
export async function tell(
  memory: Memory,
  scope: Scope,
  said: readonly [role: 'user' | 'assistant' | 'tool', text: string][],
  turnId = `t${Math.floor(start / 1e9)}-${said.map(([, text]) => text.length).join('-')}`,
) {
  const messages = said.map(([role, text]) => ({ role, text }))
  return memory.consolidate(scope, { turnId, sessionId: 's1', messages })
}

/** What an assistant notes for memory, a directive a line. */
export const note = (...lines: object[]): string =>
  [
    '<memory_extraction>',
    ...lines.map((line) => JSON.stringify(line)),
    '</memory_extraction>',
  ].join('\n')

/** All entries of a scope. */
export async function all(memory: Memory, scope: Scope): Promise<StoredEntry[]> {
  const entries: StoredEntry[] = []
  for await (const entry of memory.exportAll(scope)) entries.push(entry)
  return entries
}

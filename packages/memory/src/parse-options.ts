import type { HydrateOptions } from './hydrate.ts'
import { refusedField } from './parse-query.ts'
import { readOptions } from './read-object.ts'
import { parseScope, type Scope } from './scope.ts'
import { parseTimeout } from './time-limit.ts'

const hydrateKeys = ['query', 'sessionId', 'now', 'budgetTokens', 'limit', 'state', 'signal']

/**
 * Checks what `Memory.hydrate` is asked: its keys, session and signal here, the rest where it is used.
 *
 * @throws MemoryError - `MEMORY_OPTION_INVALID`, `MEMORY_QUERY_INVALID`.
 */
export function parseHydrateOptions(given: HydrateOptions): HydrateOptions {
  const options = readOptions('options', given, hydrateKeys)
  const { sessionId, signal } = options
  if (sessionId !== undefined && typeof sessionId !== 'string') {
    throw refusedField('sessionId', 'It is text. Leave it out where there is no conversation.')
  }
  checkSignal(signal)
  return options
}

interface RunOptions {
  readonly limit?: number
  readonly signal?: AbortSignal
  readonly scope?: Scope
}

/** Checks what `Memory.runJobs` is told. @throws MemoryError - `MEMORY_OPTION_INVALID`, `MEMORY_QUERY_INVALID`, and for the scope. */
export function parseRunOptions(given: RunOptions = {}): RunOptions & { readonly limit: number } {
  const options = readOptions('options', given, ['limit', 'signal', 'scope'])
  const { limit = Number.POSITIVE_INFINITY, signal, scope } = options
  if (typeof limit !== 'number' || !(limit >= 0)) {
    throw refusedField('limit', 'It is a number from 0. Leave it out for no limit.')
  }
  checkSignal(signal)
  return {
    limit,
    ...(signal && { signal }),
    ...(scope !== undefined && { scope: parseScope(scope) }),
  }
}

/** Milliseconds that `flush` and `close` wait; 30 seconds by default. @throws MemoryError - as `parseTimeout`. */
export function parseFlushTimeout(given: { timeoutMs?: number } = {}): number {
  const { timeoutMs = 30_000 } = readOptions('options', given, ['timeoutMs'])
  return parseTimeout('timeoutMs', timeoutMs)
}

/** Labels from outside, each once. @throws MemoryError - `MEMORY_QUERY_INVALID` when it is no list of texts. */
export function parseLabels(labels: unknown): readonly string[] {
  if (Array.isArray(labels)) {
    const copied: readonly unknown[] = Array.from(labels)
    if (copied.every((label) => typeof label === 'string')) return [...new Set(copied)]
  }
  throw refusedField('requiredLabels', 'A list of texts is expected.')
}

/** A signal may come from another realm: what is used of it counts. */
function checkSignal(signal: AbortSignal | undefined): void {
  if (signal === undefined) return
  if (typeof signal?.throwIfAborted !== 'function') {
    throw refusedField('signal', 'It is no AbortSignal.')
  }
}

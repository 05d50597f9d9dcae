import { MemoryError } from './errors.ts'
import { memoryLimits } from './limits.ts'
import { readSafely } from './read-object.ts'

/**
 * Whose memory it is. One scope value is one partition: a store that is given
 * `{ tenantId: 'acme' }` sees the tenant's own entries and none of its users'.
 *
 * The parts nest: a user belongs to a namespace (a sub-tenant, an assistant, a workspace) where one
 * is given, and so to the tenant. The same `userId` under two namespaces is two partitions.
 *
 * @see MEM-13, MEM-14
 */
export interface Scope {
  readonly tenantId: string
  /** A sub-tenant or any other division of the tenant. */
  readonly namespace?: string
  /** A person within the tenant, or within the namespace where there is one. */
  readonly userId?: string
}

const parts = ['tenantId', 'namespace', 'userId'] as const

/**
 * Checks a scope from outside and copies it. The copy is frozen and has only the parts that were
 * given; letter case, blanks, NUL and the form of unicode are kept as they are, so `Acme` and
 * `acme` are two tenants.
 *
 * @throws MemoryError - `MEMORY_SCOPE_REQUIRED` when there is no scope or no tenant;
 * `MEMORY_SCOPE_INVALID` for unknown keys, parts that are empty, no text, longer than 256
 * characters or hold half of a surrogate pair, and parts that are inherited and not own.
 * A scope that cannot be read, such as a revoked proxy, is invalid.
 * @see DESIGN "A missing scope throws; it is never a wildcard."
 */
export function parseScope(source: unknown): Scope {
  return readSafely('scope', () => readScope(source), 'MEMORY_SCOPE_INVALID')
}

function readScope(source: unknown): Scope {
  if (source === undefined || source === null) throw scopeRequired('No scope was given.')
  if (typeof source !== 'object' || Array.isArray(source)) {
    throw invalid('scope', `A scope is an object, got ${typeof source}.`)
  }
  for (const key of Reflect.ownKeys(source)) {
    if (!parts.some((part) => part === key)) {
      throw invalid(String(key), `A scope has no key "${String(key).slice(0, 60)}".`)
    }
  }
  if (!Object.hasOwn(source, 'tenantId') || Reflect.get(source, 'tenantId') === undefined) {
    throw scopeRequired('The scope has no tenantId.')
  }
  const scope: { tenantId: string; namespace?: string; userId?: string } = {
    tenantId: parsePart('tenantId', Reflect.get(source, 'tenantId')),
  }
  for (const part of ['namespace', 'userId'] as const) {
    const value: unknown = Object.hasOwn(source, part) ? Reflect.get(source, part) : undefined
    if (value !== undefined) scope[part] = parsePart(part, value)
  }
  return Object.freeze(scope)
}

/**
 * The one derivation of a partition from a scope: a text that differs whenever the scopes differ,
 * for example `t:acme/n:travel/u:ann`. Separators, `%` and control characters within a part are
 * percent-escaped, so it may be kept where NUL may not. Checks the scope first, so a store that
 * starts every method with it cannot be called without one.
 *
 * INVARIANT: injective. Equal keys come from equal scopes only. Compare it byte by byte: a store
 * must not fold its case or normalise it.
 *
 * @throws MemoryError - As `parseScope`.
 */
export function partitionKey(scope: Scope): string {
  const { tenantId, namespace, userId } = parseScope(scope)
  const inNamespace = namespace === undefined ? '' : `/n:${escapePart(namespace)}`
  const ofUser = userId === undefined ? '' : `/u:${escapePart(userId)}`
  return `t:${escapePart(tenantId)}${inNamespace}${ofUser}`
}

/**
 * The scope a partition key was derived from.
 *
 * @throws MemoryError - `MEMORY_SCOPE_INVALID` for a text that `partitionKey` does not make.
 */
export function scopeOfPartition(key: string): Scope {
  const found = /^t:([^/]*)(?:\/n:([^/]*))?(?:\/u:([^/]*))?$/u.exec(key)
  if (found === null) throw invalid('partition', 'The text is no partition key.')
  const [, tenantId = '', namespace, userId] = found
  const scope = parseScope({
    tenantId: unescapePart(tenantId),
    ...(namespace !== undefined && { namespace: unescapePart(namespace) }),
    ...(userId !== undefined && { userId: unescapePart(userId) }),
  })
  if (partitionKey(scope) !== key) throw invalid('partition', 'The text is no partition key.')
  return scope
}

/**
 * The partitions a turn in this scope may read, nearest first: its own, then each wider one that
 * holds it (namespace, tenant). Never a sibling, never a child, and never a user's partition of
 * another namespace. Writing goes to the scope itself only.
 *
 * @example `{ tenantId, namespace, userId }` reads itself, `{ tenantId, namespace }`, `{ tenantId }`.
 * @throws MemoryError - As `parseScope`.
 */
export function readableScopes(scope: Scope): readonly Scope[] {
  const own = parseScope(scope)
  const { tenantId, namespace, userId } = own
  const wider: Scope[] = []
  if (userId !== undefined && namespace !== undefined) wider.push({ tenantId, namespace })
  if (userId !== undefined || namespace !== undefined) wider.push({ tenantId })
  return Object.freeze([own, ...wider.map((each) => Object.freeze(each))])
}

function parsePart(part: string, value: unknown): string {
  if (typeof value !== 'string') throw invalid(part, `"${part}" is ${typeof value}, not text.`)
  if (value === '') throw invalid(part, `"${part}" is empty.`)
  if (value.length > memoryLimits.scopePartChars) {
    throw invalid(part, `"${part}" has more than ${memoryLimits.scopePartChars} characters.`)
  }
  // A database would store U+FFFD for each half, and two tenants would become one.
  if (!value.isWellFormed()) throw invalid(part, `"${part}" holds half of a surrogate pair.`)
  return value
}

function escapePart(part: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it escapes.
  return part.replace(/[%/:\u0000-\u001f\u007f]/gu, (character) => {
    return `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`
  })
}

function unescapePart(part: string): string {
  return part.replace(/%([0-9a-f]{2})/gu, (_, code: string) => {
    return String.fromCharCode(Number.parseInt(code, 16))
  })
}

function scopeRequired(what: string): MemoryError {
  return new MemoryError(
    'MEMORY_SCOPE_REQUIRED',
    `${what} Pass { tenantId } and, for one person, userId; there is no scope that means everybody.`,
  )
}

function invalid(key: string, what: string): MemoryError {
  return new MemoryError(
    'MEMORY_SCOPE_INVALID',
    `${what} Give tenantId, and where they apply namespace and userId, as texts of 1 to ${memoryLimits.scopePartChars} characters.`,
    { details: { key } },
  )
}

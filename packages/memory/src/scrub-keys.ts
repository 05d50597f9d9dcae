import { MemoryError } from './errors.ts'
import { memoryLimits } from './limits.ts'

/**
 * Fragments of regular expressions that name a credential wherever they occur in a key, in any letter
 * case: `api_key`, `userPassword`, `x-auth-token`.
 *
 * @see CONF-29, OPEN-MEM-6
 */
export const defaultCredentialPatterns: readonly string[] = Object.freeze([
  'passw(?:or)?d',
  'passphrase',
  'passcode',
  '(?:^|[_-])pwd(?:$|[_-])',
  'secret',
  'api[_-]?key',
  'access[_-]?key',
  'private[_-]?key',
  'signing[_-]?key',
  'encryption[_-]?key',
  '(?:access|auth|refresh|bearer|session|id|csrf|api|security)[_-]?token',
  '^token$',
  'credential',
  'authorization',
  '(?:^|[_-])cookie',
  'connection[_-]?string',
  '(?:card|cc)[_-]?number',
  '(?:^|[_-])cvv\\d?(?:$|[_-])',
])

/**
 * Joins fragments into the one pattern that keys are held against. Do it once, when an agent is made.
 *
 * @param patterns - Fragments of regular expressions, read without regard to letter case;
 * `defaultCredentialPatterns` by default. `[]` opts out.
 * @returns undefined when there is no fragment: then nothing is dropped.
 * @throws MemoryError - `MEMORY_CREDENTIAL_PATTERN` for a fragment that is no regular expression or
 * matches the empty text, and so every key.
 * @see MEM-18, MEM-19, MEM-20
 */
export function compileCredentialPattern(
  patterns: readonly string[] = defaultCredentialPatterns,
): RegExp | undefined {
  const fragments = Array.from(patterns, (fragment, index) => {
    const fault = faultOf(fragment)
    if (fault === undefined) return `(?:${fragment})`
    throw new MemoryError(
      'MEMORY_CREDENTIAL_PATTERN',
      `Credential pattern ${index} ${fault}. Write a part of a regular expression, such as "api[_-]?key".`,
      { details: { index } },
    )
  })
  return fragments.length === 0 ? undefined : new RegExp(fragments.join('|'), 'i')
}

/** How much of a value is searched; what an entry may hold in its metadata is far less. */
const searched = { depth: memoryLimits.jsonDepth, values: 10_000, keyChars: 256 }

/**
 * A copy of a value without the credentials in it: every key that the pattern matches is left out,
 * at any depth, with what it holds.
 *
 * What cannot be searched is left out, too: values nested deeper than `memoryLimits.jsonDepth` or
 * beyond the first 10,000, values that hold themselves, instances of classes, functions, and what
 * throws when it is read. Only own, enumerable keys are looked at, the first 256 characters of each.
 *
 * @param pattern - What `compileCredentialPattern` made. undefined returns the value itself, unchanged
 * (MEM-20).
 * @see MEM-21, OPEN-MEM-7, HTTP-08
 */
export function scrubCredentialKeys(value: unknown, pattern: RegExp | undefined): unknown {
  return pattern === undefined ? value : copyWithout(value, { pattern })
}

/**
 * A copy of plain data without the keys that the pattern matches, each text, keys included, as
 * `changeText` leaves it. What is left out is as in `scrubCredentialKeys`. Never throws.
 */
export function copyWithout(value: unknown, { pattern, changeText = same }: Changes): unknown {
  const left = { values: searched.values }
  return copy(value, searched.depth)

  function copy(part: unknown, depth: number): unknown {
    left.values -= 1
    if (left.values < 0) return undefined
    try {
      if (typeof part === 'string') return changeText(part)
      if (typeof part === 'function' || typeof part === 'symbol') return undefined
      if (typeof part !== 'object' || part === null) return part
      // Whoever holds itself is deeper than any bound.
      if (depth === 0) return undefined
      return Array.isArray(part) ? copyList(part, depth) : copyRecord(part, depth)
    } catch {
      return undefined
    }
  }

  function copyList(list: readonly unknown[], depth: number): unknown {
    const items: unknown[] = []
    // What is left out of a list is null, so that the others keep their places.
    for (const item of list.slice(0, left.values)) items.push(copy(item, depth - 1) ?? null)
    return items
  }

  function copyRecord(record: object, depth: number): unknown {
    const prototype: unknown = Object.getPrototypeOf(record)
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return undefined
    const kept: Record<string, unknown> = {}
    for (const key of Object.keys(record)) {
      if (pattern?.test(key.slice(0, searched.keyChars))) continue
      const copied = copy(Reflect.get(record, key), depth - 1)
      if (copied === undefined) continue
      // "__proto__" is a key like any other.
      Object.defineProperty(kept, changeText(key), {
        value: copied,
        enumerable: true,
        configurable: true,
        writable: true,
      })
    }
    return kept
  }
}

interface Changes {
  readonly pattern: RegExp | undefined
  readonly changeText?: (text: string) => string
}

function same(text: string): string {
  return text
}

function faultOf(fragment: unknown): string | undefined {
  if (typeof fragment !== 'string') return 'is no text'
  try {
    // Alone, so that a bracket too many cannot pair with one of another fragment.
    return new RegExp(fragment, 'i').test('') ? 'matches every key' : undefined
  } catch {
    return 'is no regular expression'
  }
}

import {
  type Precondition,
  type PreconditionEntry,
  PredicateError,
  parsePrecondition,
} from '@symfonic/predicates'
import { memoryLimits } from './limits.ts'
import { copyPlainJson, type PlainJson } from './plain-json.ts'
import {
  type ProceduralCreateRequest,
  type RequestKey,
  requestKeys,
  wireSpellings,
} from './procedural-wire-names.ts'

/** One thing that is wrong with a request. */
export interface RequestIssue {
  /** Where: `['precondition', 0, 'state', 'op']`, in the spelling of the wire. */
  readonly path: readonly (string | number)[]
  /** A stable code: of this file, or of `PredicateError` for a precondition. */
  readonly code: string
  /** What is wrong, and what to do. It repeats nothing of the request but names of keys and operators. */
  readonly message: string
}

/** What came of a request. A host answers a refused one with its `status` and `issues`. */
export type ProceduralCreateOutcome =
  | { readonly accepted: true; readonly request: ProceduralCreateRequest }
  | { readonly accepted: false; readonly status: 422; readonly issues: readonly RequestIssue[] }

/** Steps of one skill. */
const mostSteps = 100

/**
 * Checks the body of `POST /memory/procedural`. Keys are spelled as on the wire (`action_tool`); any
 * other key is refused, so that a slip does not drop a rule. The precondition is held to the whole
 * grammar of state predicates, here and nowhere later.
 *
 * @param body - The parsed JSON of the request.
 * @returns Every issue at once, at most one a key. Never throws.
 * @see SKILL-08, SKILL-09, SKILL-10, HTTP-01, OPEN-SKILL-4
 */
export function parseProceduralCreateRequest(body: unknown): ProceduralCreateOutcome {
  const copied = copyPlainJson(body, bodyBounds)
  if (!copied.ok)
    return refused([issue([], 'BODY_INVALID', `The body ${copied.reason}. Send JSON.`)])
  const record = copied.value
  if (typeof record !== 'object' || record === null || Array.isArray(record)) {
    return refused([issue([], 'BODY_INVALID', 'The body is no object. Send label and content.')])
  }
  const fields = new Map<string, PlainJson>(Object.entries(record))
  const issues: RequestIssue[] = []
  const request: Partial<Record<RequestKey, unknown>> = {}
  for (const [key, wire] of requestKeys) {
    // A client that has nothing to say may send null.
    const value = fields.get(wire) ?? undefined
    const read = value === undefined ? absent(key, wire) : readers[key](value, wire)
    if ('issue' in read) issues.push(read.issue)
    else if (read.value !== undefined) request[key] = read.value
  }
  issues.push(...unknownKeys([...fields.keys()]))
  if (issues.length > 0) return refused(issues)
  const checked: unknown = Object.freeze(request)
  return Object.freeze({ accepted: true, request: checked as ProceduralCreateRequest })
}

const bodyBounds = { depth: 24, values: 20_000, chars: 400_000 }

type Read = { readonly value: unknown } | { readonly issue: RequestIssue }
type Reader = (value: PlainJson, wire: string) => Read

const readers: Readonly<Record<RequestKey, Reader>> = {
  label: textUpTo(memoryLimits.nameChars),
  content: textUpTo(memoryLimits.contentChars),
  precondition: readPrecondition,
  actionTool: textUpTo(memoryLimits.nameChars),
  steps: readSteps,
  importance: readImportance,
  sourceTag: textUpTo(memoryLimits.nameChars),
}

function absent(key: RequestKey, wire: string): Read {
  if (key === 'precondition') return { value: Object.freeze([]) }
  if (key !== 'label' && key !== 'content') return { value: undefined }
  return { issue: issue([wire], 'KEY_REQUIRED', `"${wire}" is missing. Send a text.`) }
}

function textUpTo(maxChars: number): Reader {
  return (value, wire) => {
    const text = typeof value === 'string' ? value.trim() : ''
    if (text !== '' && text.length <= maxChars) return { value: text }
    const what = text === '' ? 'is blank or no text' : 'is too long'
    const advice = `Send a text of 1 to ${maxChars} characters.`
    return { issue: issue([wire], 'VALUE_INVALID', `"${wire}" ${what}. ${advice}`) }
  }
}

function readSteps(value: PlainJson, wire: string): Read {
  const isUsable =
    Array.isArray(value) &&
    value.length <= mostSteps &&
    value.every((step) => typeof step === 'string' && step.trim() !== '') &&
    value.join('').length <= memoryLimits.contentChars
  if (isUsable) return { value: Object.freeze([...value]) }
  const advice = `Send a list of at most ${mostSteps} texts, ${memoryLimits.contentChars} characters in all.`
  return { issue: issue([wire], 'VALUE_INVALID', `"${wire}" cannot be used. ${advice}`) }
}

function readImportance(value: PlainJson, wire: string): Read {
  if (typeof value === 'number' && value >= 0 && value <= 10) return { value }
  return {
    issue: issue([wire], 'VALUE_INVALID', `"${wire}" is no number from 0 to 10. Send one.`),
  }
}

function readPrecondition(value: PlainJson, wire: string): Read {
  try {
    return { value: asEntries(parsePrecondition(value)) }
  } catch (error) {
    if (!(error instanceof PredicateError)) {
      return { issue: issue([wire], 'VALUE_INVALID', `"${wire}" could not be read. Send JSON.`) }
    }
    const { index, keyPath } = error.details
    const keys: readonly unknown[] = Array.isArray(keyPath) ? keyPath : []
    const place = [index, ...keys].filter(
      (part) => typeof part === 'string' || typeof part === 'number',
    )
    return { issue: issue([wire, ...place], error.code, error.message) }
  }
}

/** The plain data of a precondition, which a store keeps and `parsePrecondition` reads again. */
function asEntries({ tools, predicates }: Precondition): readonly PreconditionEntry[] {
  const states = predicates.map(({ path, op, value }) =>
    Object.freeze({
      state: Object.freeze(value === undefined ? { path, op } : { path, op, value }),
    }),
  )
  return Object.freeze([...tools, ...states])
}

function unknownKeys(keys: readonly string[]): RequestIssue[] {
  const unknown = keys.filter((key) => !wireSpellings.includes(key))
  return unknown.slice(0, 20).map((key) => {
    const name = key.slice(0, 60)
    const advice = `Send only ${wireSpellings.join(', ')}.`
    return issue([name], 'KEY_UNKNOWN', `A skill has no key ${JSON.stringify(name)}. ${advice}`)
  })
}

function refused(issues: readonly RequestIssue[]): ProceduralCreateOutcome {
  return Object.freeze({ accepted: false, status: 422, issues: Object.freeze(issues) })
}

function issue(path: RequestIssue['path'], code: string, message: string): RequestIssue {
  return Object.freeze({ path: Object.freeze(path), code, message })
}

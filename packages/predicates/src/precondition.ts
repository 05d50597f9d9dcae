import { frozenJson, frozenList, fullBudget, listLength, type ValueBudget } from './frozen-json.ts'
import { predicateLimits } from './limits.ts'
import {
  isPredicateOperator,
  type OperatorTest,
  operatorAdvice,
  operators,
  type PredicateOperator,
} from './operators.ts'
import { type CompiledPath, compilePath } from './path.ts'
import { isRecord } from './record.ts'
import { inside, type Place, reading, refusal } from './refusal.ts'
import { valueText } from './value-text.ts'

/** A state predicate as an author writes it. @see PRED-04 */
export interface StatePredicateSource {
  /** Dotted path into the state, such as `page_context.platform`. */
  path: string
  op: PredicateOperator
  /** Any JSON value; a list (or a `Set`) for `in`. Required except for `exists`, which ignores it. */
  value?: unknown
}

/** One entry of a precondition list: a tool by name, the same spelled out, or a state predicate. @see PRED-05 */
export type PreconditionEntry = string | { tool: string } | { state: StatePredicateSource }

/** Everything a `precondition` field may hold. @see PRED-01, CONFLICT-19 */
export type PreconditionSource = string | readonly PreconditionEntry[] | null | undefined

/** The key under which a predicate keeps its compiled form. Shared by copies of this package. */
export const compiled: unique symbol = Symbol.for('symfonic.predicates.compiled.1')

/** What evaluation needs of a predicate, prepared once. */
export interface CompiledPredicate {
  readonly path: CompiledPath
  readonly test: OperatorTest
  /** A value that passes the test: seeing it spares the call. `undefined` where there is none. */
  readonly passing: unknown
}

/** A state predicate, checked, compiled and deeply frozen. Only `parsePrecondition` makes one. */
export interface StatePredicate {
  /** As written. */
  readonly path: string
  readonly op: PredicateOperator
  /** A frozen copy of the expected value; `undefined` for `exists`. A `Set` has become a list. */
  readonly value: unknown
  /** Not enumerable, so the rest compares and prints as plain data. */
  readonly [compiled]: CompiledPredicate
}

/** A precondition, checked, compiled and deeply frozen. */
export interface Precondition {
  /** Tools that must have been called, in the author's order, each once. @see PRED-02, PRED-03 */
  readonly tools: readonly string[]
  /** Predicates that must all hold, in the author's order. @see PRED-06 */
  readonly predicates: readonly StatePredicate[]
}

/**
 * Checks a precondition and prepares it for evaluation. Parse once, when a rule is loaded; what
 * comes back is frozen and shares nothing with the source.
 *
 * Absent and `[]` both mean no precondition. A malformed source is refused as a whole, so that no
 * rule is dropped because of a slip in writing it. Only own, enumerable keys are looked at, each
 * is read once, and text is kept byte for byte.
 *
 * @param source - Data of any origin: code, YAML, an HTTP body.
 * @throws PredicateError - With `details.index` and `details.keyPath` pointing at the fault.
 * @see PRED-01 to PRED-08, PRED-14 to PRED-16, PRED-23 to PRED-25, OPEN-PRED-6, OPEN-PRED-7
 */
export function parsePrecondition(source: unknown): Precondition {
  if (source === null || source === undefined) return none
  if (typeof source === 'string') {
    return precondition([toolName(source, { keyPath: [] })], [])
  }
  if (!reading({ keyPath: [] }, () => Array.isArray(source))) {
    throw refusal(
      { keyPath: [] },
      'PREDICATE_SHAPE',
      `A precondition is a tool name or a list, got ${valueText(source)}. ${
        typeof source === 'object' ? 'Put the entry in a list: [{ … }].' : 'Write ["tool_name"].'
      }`,
      { value: valueText(source) },
    )
  }
  return parseList(source as readonly unknown[])
}

function parseList(list: readonly unknown[]): Precondition {
  const length = listLength(list, { keyPath: [] })
  const limit = predicateLimits.entries
  if (length > limit) {
    throw refusal(
      { keyPath: [] },
      'PREDICATE_TOO_LARGE',
      `A precondition has at most ${limit} entries, got ${length}. Split the rule.`,
      { limit, actual: length },
    )
  }
  const tools = new Set<string>()
  const predicates: StatePredicate[] = []
  const budget = fullBudget()
  for (let index = 0; index < length; index += 1) {
    const place: Place = { index, keyPath: [] }
    const entry = parseEntry(
      reading(place, () => list[index]),
      place,
      budget,
    )
    if (typeof entry === 'string') tools.add(entry)
    else predicates.push(entry)
  }
  return precondition([...tools], predicates)
}

function parseEntry(entry: unknown, place: Place, budget: ValueBudget): string | StatePredicate {
  if (typeof entry === 'string') return toolName(entry, place)
  const keys = ownKeys(entry, place)
  const isTool = keys?.includes('tool') ?? false
  const isState = keys?.includes('state') ?? false
  if (keys === undefined || isTool === isState) throw entryShape(entry, keys, place)
  const record = entry as Record<string, unknown>
  if (isTool) {
    refuseOtherKeys(keys, ['tool'], place)
    const at = inside(place, 'tool')
    return toolName(
      reading(at, () => record['tool']),
      at,
    )
  }
  refuseOtherKeys(keys, ['state'], place)
  const at = inside(place, 'state')
  return parseState(
    reading(at, () => record['state']),
    at,
    budget,
  )
}

function parseState(state: unknown, place: Place, budget: ValueBudget): StatePredicate {
  const keys = ownKeys(state, place)
  if (keys === undefined) {
    throw refusal(
      place,
      'PREDICATE_ENTRY_SHAPE',
      `A state predicate is a record, got ${valueText(state)}. Write { state: { path: "page_context.platform", op: "eq", value: "slack" } }.`,
      { value: valueText(state) },
    )
  }
  refuseOtherKeys(keys, ['path', 'op', 'value'], place)
  const record = state as Record<string, unknown>
  const read = (key: string): unknown =>
    keys.includes(key) ? reading(inside(place, key), () => record[key]) : undefined
  const path = read('path')
  if (path === undefined) {
    throw refusal(
      inside(place, 'path'),
      'PREDICATE_PATH_REQUIRED',
      'A state predicate needs a path. Add one, like path: "page_context.platform".',
    )
  }
  const compiledPath = compilePath(path, inside(place, 'path'))
  const op = operator(read('op'), inside(place, 'op'))
  const value = operators[op].takesValue
    ? expectedValue(op, read('value'), inside(place, 'value'), budget)
    : undefined
  return statePredicate(path as string, op, value, compiledPath)
}

function operator(op: unknown, place: Place): PredicateOperator {
  if (isPredicateOperator(op)) return op
  if (op === undefined) {
    throw refusal(
      place,
      'PREDICATE_OPERATOR_REQUIRED',
      'A state predicate needs an operator. Add op: one of eq, neq, in, exists.',
    )
  }
  const text = valueText(op)
  throw refusal(
    place,
    'PREDICATE_UNKNOWN_OPERATOR',
    `Operator ${text} does not exist. ${operatorAdvice(typeof op === 'string' ? op : '')}`,
    { operator: text, value: text },
  )
}

function expectedValue(
  op: PredicateOperator,
  value: unknown,
  place: Place,
  budget: ValueBudget,
): unknown {
  if (value === undefined) {
    throw refusal(
      place,
      'PREDICATE_VALUE_REQUIRED',
      `Operator "${op}" needs a value. Add one, or use "exists" to ask only for presence.`,
      { operator: op },
    )
  }
  if (op !== 'in') return frozenJson(value, place, budget)
  const list = frozenList(value, place, budget)
  if (list !== undefined) return list
  const text = valueText(value)
  throw refusal(
    place,
    'PREDICATE_LIST_REQUIRED',
    `Operator "in" needs a list, got ${text}. ${listAdvice(value, text)}`,
    { value: text },
  )
}

/** What the author most likely meant by something that is not a list. @see PRED-15, PRED-16 */
function listAdvice(value: unknown, text: string): string {
  if (typeof value === 'string' && value.length <= 100) {
    // "slack, web" is a list that lost its brackets.
    const members = value.split(/[,|;]/u).map((member) => valueText(member.trim()))
    return `Write [${members.join(', ')}].`
  }
  return value === null || typeof value === 'number' || typeof value === 'boolean'
    ? `Write [${text}].`
    : 'Write a list of the values it may have, like ["slack", "web"].'
}

const controlCharacter = /[\p{Cc}\p{Zl}\p{Zp}]/u

function toolName(name: unknown, place: Place): string {
  const fault = toolNameFault(name)
  if (fault === undefined) return name as string
  const text = valueText(name)
  const limit = predicateLimits.toolNameChars
  throw fault === 'too long'
    ? refusal(
        place,
        'PREDICATE_TOO_LARGE',
        `A tool name has at most ${limit} characters, got ${(name as string).length}. Name the tool as it is registered.`,
        { limit, actual: (name as string).length, value: text },
      )
    : refusal(
        place,
        'PREDICATE_TOOL_NAME',
        `Tool name ${text} ${fault}. Name the tool as it is registered, like "get_status".`,
        { value: text },
      )
}

function toolNameFault(name: unknown): string | undefined {
  if (typeof name !== 'string') return 'is not text'
  if (name.trim() === '') return 'is empty'
  if (name.length > predicateLimits.toolNameChars) return 'too long'
  if (name !== name.trim()) return 'has white space around it'
  return controlCharacter.test(name) ? 'holds control characters' : undefined
}

function entryShape(entry: unknown, keys: readonly string[] | undefined, place: Place): Error {
  const text = valueText(entry)
  const advice =
    keys === undefined
      ? 'Write a tool name, { tool: "name" } or { state: { path, op, value } }.'
      : keys.includes('tool')
        ? 'Make two entries of it: { tool: "name" } and { state: { path, op, value } }.'
        : keys.includes('path') || keys.includes('op')
          ? 'Wrap the predicate: { state: { path, op, value } }.'
          : 'Write { tool: "name" } or { state: { path, op, value } }.'
  return refusal(
    place,
    'PREDICATE_ENTRY_SHAPE',
    `A precondition entry cannot be ${text}. ${advice}`,
    { value: text },
  )
}

function refuseOtherKeys(keys: readonly string[], known: readonly string[], place: Place): void {
  for (const key of keys) {
    if (known.includes(key)) continue
    const text = valueText(key)
    throw refusal(
      inside(place, key),
      'PREDICATE_UNKNOWN_KEY',
      `Key ${text} is not known here. Remove it; known are: ${known.join(', ')}.`,
      { key, value: text },
    )
  }
}

/** The own enumerable keys of a plain record; `undefined` for anything else. */
function ownKeys(value: unknown, place: Place): readonly string[] | undefined {
  return reading(place, () => (isRecord(value) ? Object.keys(value) : undefined))
}

const none: Precondition = precondition([], [])

function precondition(tools: string[], predicates: StatePredicate[]): Precondition {
  return Object.freeze({ tools: Object.freeze(tools), predicates: Object.freeze(predicates) })
}

function statePredicate(
  path: string,
  op: PredicateOperator,
  value: unknown,
  compiledPath: CompiledPath,
): StatePredicate {
  const form: CompiledPredicate = Object.freeze({
    path: compiledPath,
    test: operators[op].prepare(value),
    passing: op === 'eq' ? value : op === 'in' ? (value as readonly unknown[])[0] : undefined,
  })
  const predicate = Object.defineProperty({ path, op, value }, compiled, { value: form })
  return Object.freeze(predicate) as StatePredicate
}

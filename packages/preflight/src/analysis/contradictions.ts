import type { StatePredicate } from '@symfonic/predicates'
import { canonicalJson } from './canonical-json.ts'
import type { SkillFindingCode } from './finding.ts'
import { allowedHere, holdsAt, isPossible, type Place, predicatesWithin } from './places.ts'
import { listText, pathText, valueText } from './wording.ts'

/** Predicates on one path that can never hold together. */
export interface Contradiction {
  readonly code: Extract<SkillFindingCode, `NEVER_SELECTED_${string}`>
  readonly path: string
  /** What contradicts what, and what to do, to follow the name of the skill. */
  readonly text: string
}

/**
 * Says why a set of predicates holds in no state; empty exactly when it holds in some.
 *
 * Each place is judged by itself, those further in as well. Only when every place has values of
 * its own is the blame put on the outer value that leaves no room for the inner ones.
 */
export function contradictionsIn(place: Place): readonly Contradiction[] {
  if (isPossible(place)) return []
  const found = [
    ...contradictionsAt(place),
    ...[...place.within.values()].flatMap(contradictionsIn),
  ]
  return found.length > 0 ? found : [blocked(place)]
}

/** The contradictions among the predicates on the very place. */
function contradictionsAt({ path, predicates, excluded }: Place): Contradiction[] {
  const at = pathText(path)
  const found: Contradiction[] = []
  const report = (code: Contradiction['code'], text: string) => found.push({ code, path, text })
  const equals = new Map(
    predicates.flatMap(({ op, value }) => (op === 'eq' ? [[canonicalJson(value), value]] : [])),
  )
  const memberships = predicates.filter(({ op }) => op === 'in')
  const full = memberships.filter(({ value }) => (value as readonly unknown[]).length > 0)
  const lists = full.map(({ value }) => value as readonly unknown[])

  if (equals.size > 1) {
    const [one, other] = [...equals.values()].map(valueText)
    report(
      'NEVER_SELECTED_EQ_EQ',
      `${at} cannot equal both ${one} and ${other}. Keep one of them, ask for either with "in", or ` +
        'write two skills.',
    )
  }
  for (const [text, value] of equals) {
    if (excluded.has(text)) {
      report(
        'NEVER_SELECTED_EQ_NEQ',
        `${at} cannot both equal ${valueText(value)} and differ from it. Remove one of the two ` +
          'predicates.',
      )
    }
    const without = lists.find((list) => !list.map(canonicalJson).includes(text))
    if (without !== undefined) {
      report(
        'NEVER_SELECTED_EQ_IN',
        `${at} must equal ${valueText(value)}, which is not in the list ${valueText(without)}. ` +
          'Add it to the list, or remove one of the two predicates.',
      )
    }
  }
  if (full.length < memberships.length) {
    report(
      'NEVER_SELECTED_IN_EMPTY',
      `${at} must be in an empty list, and nothing is. List the values it may have, or remove the ` +
        'predicate.',
    )
  }
  if (equals.size === 0) {
    const left = allowedHere(full)
    if (left?.size === 0) {
      report(
        'NEVER_SELECTED_IN_IN',
        `no value of ${at} is in all of its lists: ${listText(lists.map(valueText), 3)}. Give ` +
          'them a member in common, or write one skill for each list.',
      )
    } else if (left !== undefined && [...left.keys()].every((text) => excluded.has(text))) {
      report(
        'NEVER_SELECTED_IN_NEQ',
        `every value that ${at} may have by its list is ruled out by "neq": ` +
          `${listText([...left.values()].map(valueText), 3)}. Remove the predicate that is not ` +
          'meant.',
      )
    }
  }
  return found
}

function blocked({ path, keys, predicates, excluded, within }: Place): Contradiction {
  const values = [...(allowedHere(predicates) ?? [])].filter(([text]) => !excluded.has(text))
  const [first] = values.map(([, value]) => value)
  const inner = predicatesWithin(within)
  const failing = inner.find((predicate) => !holdsAt(keys, first)(predicate)) ?? inner[0]
  const at = pathText(path)
  const cause =
    values.length === 1
      ? `${at} must be ${valueText(first)}, which leaves no room for`
      : `none of the ${values.length} values that ${at} may have, such as ${valueText(first)}, ` +
        'leaves room for what is asked further within:'
  return {
    code: 'NEVER_SELECTED_VALUE_BLOCKS_PATH',
    path,
    text:
      `${cause} ${predicateText(failing)}. Remove one of the two, or give the outer value the key ` +
      'that the inner path asks for.',
  }
}

function predicateText(predicate: StatePredicate | undefined): string {
  if (predicate === undefined) return 'the rest'
  const { path, op, value } = predicate
  return op === 'exists'
    ? `${pathText(path)} exists`
    : `${pathText(path)} ${op} ${valueText(value)}`
}

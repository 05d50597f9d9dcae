import { type Dropped, describeDrop, filterByState } from '@symfonic/predicates'
import { listOfSkills, preconditionOf } from './rule.ts'
import type { Skill } from './skill.ts'

/** Which skills take part in this turn. */
export interface SkillSelection {
  /** Skills whose state predicates all hold, in the order given. */
  readonly active: readonly Skill[]
  /** The others, each with the first predicate that failed (OPEN-PRE-3). */
  readonly dropped: readonly Dropped<Skill>[]
}

/**
 * The one filter: drops the skills whose state predicates do not hold. Rules block, gate and forced
 * first action are all given what it returns, so a dropped skill is absent from the turn entirely.
 * Predicates on tools are not looked at here; a skill without state predicates always stays.
 *
 * @param state - The runtime state of the turn, any plain value.
 * @param options.logger - Gets one debug line per dropped skill. A logger that throws loses its
 * lines and changes nothing else.
 * @throws PreflightError `PREFLIGHT_LIST_REQUIRED` when `skills` is no list. A malformed skill made
 * by hand is neither kept unread nor dropped: PreflightError `PREFLIGHT_RULE_UNREADABLE`, or
 * PredicateError `PREDICATE_NOT_PARSED` when only its predicates are not parsed ones.
 * @see PRE-01..07
 */
export function filterSkillsByStatePredicates(
  skills: readonly Skill[],
  state: unknown,
  options: { logger?: { debug(line: string): void } } = {},
): SkillSelection {
  const dropped: Dropped<Skill>[] = []
  const active = filterByState(listOfSkills(skills), state, {
    preconditionOf,
    onDrop: (drop) => dropped.push(drop),
  })
  if (options.logger !== undefined) logDrops(dropped, options.logger)
  return Object.freeze({ active: Object.freeze(active), dropped: Object.freeze(dropped) })
}

function logDrops(dropped: readonly Dropped<Skill>[], logger: { debug(line: string): void }): void {
  for (const { item, explanation } of dropped) {
    try {
      logger.debug(describeDrop(item.label, explanation))
    } catch {
      // Which rules hold is decided; a log that is down must not undo it, or stop the turn.
    }
  }
}

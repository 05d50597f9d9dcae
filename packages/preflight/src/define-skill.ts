import { PreflightError } from './errors.ts'
import { inertText } from './inert-text.ts'
import { kindOf } from './kind-of.ts'
import { readSkill, type SkillFault } from './read-skill.ts'
import type { Skill, SkillSource } from './skill.ts'
import { inCode, onWire } from './wire-names.ts'

/**
 * Checks and freezes a skill that is written in code.
 *
 * @throws PreflightError `PREFLIGHT_SKILL_INVALID` with every fault in `details.faults`.
 * @see SKILL-03..07
 */
export function defineSkill(source: SkillSource): Skill {
  const reading = readSkill(source, 0, inCode)
  if ('faults' in reading) throw invalid(reading.faults)
  return reading.skill
}

/**
 * Checks and freezes skills that came from outside as plain data, such as parsed JSON. Keys may be
 * spelled as on the wire (`action_tool`) or as in code (`actionTool`); an optional key that is
 * null counts as absent; an unknown key is refused. One bad skill refuses the whole list, since a
 * rule that is dropped in silence is a rule that is not enforced (PRED-23).
 *
 * @param source - A list of skills.
 * @returns A frozen list, in the order given.
 * @throws PreflightError once: `PREFLIGHT_SKILL_INVALID` with every fault of every skill in
 * `details.faults`, or `PREFLIGHT_LIST_REQUIRED` when `source` is not a list.
 */
export function parseSkills(source: unknown): readonly Skill[] {
  const skills: Skill[] = []
  const faults: SkillFault[] = []
  for (const [index, item] of listOf(source).entries()) {
    const reading = readSkill(item, index, onWire)
    if ('skill' in reading) skills.push(reading.skill)
    else for (const fault of reading.faults) faults.push(fault)
  }
  if (faults.length > 0) throw invalid(faults)
  return Object.freeze(skills)
}

/** A list as it is; whatever else, also a proxy that throws, is refused. */
function listOf(source: unknown): readonly unknown[] {
  let cause: unknown
  try {
    if (Array.isArray(source)) return Array.from(source)
  } catch (error) {
    cause = error
  }
  const received = cause === undefined ? kindOf(source) : 'something that throws when it is read'
  throw new PreflightError(
    'PREFLIGHT_LIST_REQUIRED',
    `Skills must be a list, got ${received}. Put a single skill into a list: [skill].`,
    { details: { received }, cause },
  )
}

/** Faults spelled out in a message; `details.faults` has them all. */
const maxFaultsShown = 5

function invalid(faults: readonly SkillFault[]): PreflightError {
  const lines = faults
    .slice(0, maxFaultsShown)
    .map((fault) => `\n- ${placeOf(fault)}: ${fault.message}`)
  const more = faults.length - lines.length
  return new PreflightError(
    'PREFLIGHT_SKILL_INVALID',
    `${faults.length === 1 ? 'A skill has a fault' : `Skills have ${faults.length} faults`}. ` +
      `Correct ${faults.length === 1 ? 'it' : 'them'} and load the skills again:${lines.join('')}` +
      (more > 0 ? `\n- and ${more} more in details.faults` : ''),
    { details: { faults: Object.freeze(faults) } },
  )
}

function placeOf({ index, label, keyPath }: SkillFault): string {
  const skill = label === undefined ? `skill ${index}` : `skill ${index} (${inertText(label, 80)})`
  return keyPath === '' ? skill : `${skill}, ${inertText(keyPath, 80)}`
}

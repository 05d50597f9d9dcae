import { type KeyPath, writeKeyPath } from '../key-path.ts'
import { readSkill } from '../read-skill.ts'
import type { Skill } from '../skill.ts'
import { onWire } from '../wire-names.ts'
import type { YamlFault } from './fault.ts'
import { fileError, orderFaults } from './fault-list.ts'
import { yamlLimits } from './limits.ts'
import { type PositionOf, positionsIn } from './position.ts'
import { documentFault, readableText, readDocument } from './read-document.ts'
import type { PlacedValue, TreeFault } from './resolve-tree.ts'
import { placeSkillFaults } from './skill-fault.ts'
import { findSkillList } from './skill-list.ts'
import { type SkillPosition, skillPosition } from './skill-position.ts'

/** What a file of skills holds, right and wrong. Frozen. */
export interface SkillsReading {
  /** The skills without fault, in the order of the file. */
  readonly skills: readonly Skill[]
  /** Where each of `skills` stands, in the same order. */
  readonly positions: readonly SkillPosition[]
  /** Every fault, by line and column; empty when all is well. At most `yamlLimits.faults` and one more. */
  readonly faults: readonly YamlFault[]
}

/**
 * Loads skills from YAML 1.2; JSON is YAML too. The text is a list of skills, or a mapping with a
 * list under `skills` and, under keys that begin with a dot, values that are there to be anchored:
 *
 * ```yaml
 * .on-slack: &on-slack { state: { path: page_context.platform, op: eq, value: slack } }
 * skills:
 *   - label: Slack links
 *     action_tool: format_links
 *     precondition: [*on-slack, get_integration_status]
 * ```
 *
 * Keys of a skill are spelled as for `parseSkills`. Aliases and merge keys (`<<`) may be used
 * anywhere. Values are what JSON has: `yes`, `on` and dates are texts, and a tag that would make
 * something else is refused. A text of nothing but comments holds no skills, and neither does an
 * empty `skills`. One fault refuses the whole file (PRED-23).
 *
 * @param options.fileName - Named in the error's message and details.
 * @returns A frozen list, in the order of the file.
 * @throws PreflightError once, with every fault of the file in `details.faults` (a list of
 * `YamlFault`): `PREFLIGHT_YAML_TOO_LARGE`, `PREFLIGHT_YAML_SYNTAX`, or `PREFLIGHT_SKILL_INVALID`
 * when only skills are at fault; `PREFLIGHT_TEXT_REQUIRED` for anything that is no string.
 * @see SKILL-11..15, OPEN-SKILL-3, DESIGN decision 13
 */
export function loadSkillsFromYaml(
  text: string,
  options: { fileName?: string } = {},
): readonly Skill[] {
  const { skills, faults } = readSkillsFromYaml(text)
  if (faults.length > 0) throw fileError(faults, options.fileName)
  return skills
}

/**
 * Reads what `loadSkillsFromYaml` loads and returns the faults instead of throwing them, for tools
 * that report on a file. A file whose syntax is broken yields no skills, and no faults of skills:
 * what stands where is then a guess.
 *
 * @throws PreflightError `PREFLIGHT_TEXT_REQUIRED` for anything that is no string.
 */
export function readSkillsFromYaml(text: string): SkillsReading {
  const readable = readableText(text)
  if ('fault' in readable) return frozenReading([], [], [readable.fault])
  const positionOf = positionsIn(readable.text)
  const { root, faults: treeFaults } = readDocument(readable.text, positionOf)
  const list = findSkillList(root)

  const skills: Skill[] = []
  const positions: SkillPosition[] = []
  const faults = [...treeFaults, ...list.faults].map((fault) =>
    faultInList(fault, list.path, list.items, positionOf),
  )
  for (const [index, item] of list.items.entries()) {
    if (faults.length > yamlLimits.faults) break
    const reading = readSkill(item.plain, index, onWire)
    if ('faults' in reading) {
      for (const fault of placeSkillFaults(item, reading.faults, positionOf)) faults.push(fault)
    } else if (item.isSound) {
      skills.push(reading.skill)
      positions.push(skillPosition(item, index, positionOf))
    }
  }
  return frozenReading(skills, positions, faults)
}

/** A fault of the document; one that lies in a skill of the list names that skill. */
function faultInList(
  fault: TreeFault,
  listPath: KeyPath,
  items: readonly PlacedValue[],
  positionOf: PositionOf,
): YamlFault {
  const index = fault.path[listPath.length]
  const isInSkill = typeof index === 'number' && listPath.every((key, at) => key === fault.path[at])
  if (!isInSkill) return documentFault(fault, positionOf)
  const label = items[index]?.entries?.get('label')?.value.plain
  return {
    ...documentFault(fault, positionOf),
    index,
    ...(typeof label === 'string' && label.trim() !== '' && { label }),
    keyPath: writeKeyPath(fault.path.slice(listPath.length + 1)),
  }
}

function frozenReading(
  skills: Skill[],
  positions: SkillPosition[],
  faults: readonly YamlFault[],
): SkillsReading {
  return Object.freeze({
    skills: Object.freeze(skills),
    positions: Object.freeze(positions),
    faults: orderFaults(faults),
  })
}

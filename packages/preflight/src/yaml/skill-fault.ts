import { readKeyPath } from '../key-path.ts'
import type { SkillFault } from '../read-skill.ts'
import type { YamlFault } from './fault.ts'
import { yamlLimits } from './limits.ts'
import { type Place, placeOf } from './place-of.ts'
import type { PositionOf } from './position.ts'
import type { PlacedValue } from './resolve-tree.ts'

/**
 * Says of each fault of a skill where in the file it stands. A fault of a value that is a stand-in
 * is left out: what was wrong with that value has been reported already.
 */
export function placeSkillFaults(
  skill: PlacedValue,
  faults: readonly SkillFault[],
  positionOf: PositionOf,
): YamlFault[] {
  // One more than are listed is enough to say so.
  return faults.slice(0, yamlLimits.faults + 1).flatMap((fault) => {
    const { offset, usedAt, value } = placeOfFault(skill, fault)
    if (value.isStandIn) return []
    const alias = usedAt === undefined ? {} : { usedAt: positionOf(usedAt) }
    return [{ ...positionOf(offset), ...alias, ...fault }]
  })
}

function placeOfFault(skill: PlacedValue, { code, keyPath }: SkillFault): Place {
  const isAboutKey = code === 'PREFLIGHT_KEY_TWICE' || /_UNKNOWN_KEY$/.test(code)
  return placeOf(skill, readKeyPath(keyPath), isAboutKey ? 'key' : 'value')
}

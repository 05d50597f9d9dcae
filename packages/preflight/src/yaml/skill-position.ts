import { onWire, type SkillKey } from '../wire-names.ts'
import type { YamlPosition } from './fault.ts'
import type { PositionOf } from './position.ts'
import type { PlacedValue } from './resolve-tree.ts'

/** Where a skill stands in its file, and where its parts do. Itself the place of the skill's first key. */
export interface SkillPosition extends YamlPosition {
  /** Place of the skill in the file's list, from 0; skills with faults are counted. */
  readonly index: number
  /** Of the label's text. */
  readonly label: YamlPosition
  /** Of the action tool's name; absent for a skill without one. */
  readonly actionTool?: YamlPosition
  /** Of each entry of the skill's `precondition.tools`, in that order; an alias counts as the entry. */
  readonly tools: readonly YamlPosition[]
  /** Of each entry of the skill's `precondition.predicates`, in that order. */
  readonly predicates: readonly YamlPosition[]
}

/**
 * Says where a skill and its parts were written.
 *
 * @param skill - What `readSkill` found without fault.
 */
export function skillPosition(
  skill: PlacedValue,
  index: number,
  positionOf: PositionOf,
): SkillPosition {
  const parts = new Map<SkillKey, PlacedValue>()
  for (const [written, { value }] of skill.entries ?? []) {
    const key = onWire.keyOf(written)
    if (key !== undefined && value.plain !== null) parts.set(key, value)
  }
  const actionTool = parts.get('actionTool')
  const { tools, predicates } = entryOffsets(parts.get('precondition'))
  return Object.freeze({
    ...positionOf(skill.offset),
    index,
    label: positionOf((parts.get('label') ?? skill).offset),
    ...(actionTool && { actionTool: positionOf(actionTool.offset) }),
    tools: Object.freeze(tools.map(positionOf)),
    predicates: Object.freeze(predicates.map(positionOf)),
  })
}

/** Parsing keeps a tool's first mention and every predicate, each in the author's order (PRED-03). */
function entryOffsets(precondition: PlacedValue | undefined) {
  const tools = new Map<unknown, number>()
  const predicates: number[] = []
  const entries = precondition === undefined ? [] : (precondition.items ?? [precondition])
  for (const { plain, offset, entries: keys } of entries) {
    if (keys?.has('state')) {
      predicates.push(offset)
    } else {
      const tool = keys === undefined ? plain : keys.get('tool')?.value.plain
      if (!tools.has(tool)) tools.set(tool, offset)
    }
  }
  return { tools: [...tools.values()], predicates }
}

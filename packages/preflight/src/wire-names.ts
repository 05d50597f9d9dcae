import type { SkillSource } from './skill.ts'

/**
 * The keys of a skill as they are written in code, each with its spelling on the wire (JSON over
 * HTTP, YAML). This is the only place that knows both.
 *
 * @see DESIGN decision 13, OPEN-SKILL-4, OPEN-SKILL-5
 */
const wireNames = {
  label: 'label',
  content: 'content',
  actionTool: 'action_tool',
  precondition: 'precondition',
  importance: 'importance',
  steps: 'steps',
  sourceTag: 'source_tag',
} as const satisfies Record<keyof SkillSource, string>

/** A key of a skill, as code spells it. */
export type SkillKey = keyof typeof wireNames

/** How the keys of a skill may be written where a skill comes from. */
export interface Spelling {
  /** The key a written name means; undefined when a skill has no such key. */
  readonly keyOf: (written: string) => SkillKey | undefined
  /** The names to suggest in a message, in a fixed order. */
  readonly names: readonly string[]
}

const keys = Object.keys(wireNames) as SkillKey[]
const byCodeName = new Map<string, SkillKey>(keys.map((key) => [key, key]))
const byWireName = new Map<string, SkillKey>(keys.map((key) => [wireNames[key], key]))

/** Code writes camelCase only. */
export const inCode: Spelling = { keyOf: (written) => byCodeName.get(written), names: keys }

/** Outside data writes snake_case, and may write what code writes. */
export const onWire: Spelling = {
  keyOf: (written) => byWireName.get(written) ?? byCodeName.get(written),
  names: [...byWireName.keys()],
}

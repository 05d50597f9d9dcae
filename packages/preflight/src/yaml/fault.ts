import type { SkillFault } from '../read-skill.ts'

/** A place in a file. Both count from 1; a column is a UTF-16 unit, as editors count them. */
export interface YamlPosition {
  readonly line: number
  readonly column: number
}

/** What is wrong with a file itself, before any skill in it is looked at. */
export type YamlFaultCode =
  /** The text is not YAML 1.2. */
  | 'PREFLIGHT_YAML_SYNTAX'
  /** The file passes one of the `yamlLimits`. */
  | 'PREFLIGHT_YAML_TOO_LARGE'
  /** The file has more faults than are reported. */
  | 'PREFLIGHT_YAML_TOO_MANY_FAULTS'
  /** The file holds a second YAML document. */
  | 'PREFLIGHT_YAML_DOCUMENTS'
  /** A mapping has one key twice. */
  | 'PREFLIGHT_YAML_DUPLICATE_KEY'
  /** A value has a tag that makes something else of it than JSON can hold. */
  | 'PREFLIGHT_YAML_TAG'
  /** An alias has no anchor before it, or stands inside the value that it names. */
  | 'PREFLIGHT_YAML_ALIAS'
  /** A merge key `<<` was given something other than mappings. */
  | 'PREFLIGHT_YAML_MERGE'
  /** A number is not finite, or has more digits than a number can keep. */
  | 'PREFLIGHT_YAML_NUMBER'
  /** Skills were expected as a list. */
  | 'PREFLIGHT_LIST_REQUIRED'
  /** A skill file does not begin with front matter that is a mapping. */
  | 'PREFLIGHT_FRONT_MATTER_REQUIRED'

/** One fault of one file. */
export interface YamlFault extends YamlPosition {
  /**
   * Where the alias stands, when the place at fault was reached through one: `line` and `column`
   * then point into the anchored value, which other skills may share.
   */
  readonly usedAt?: YamlPosition
  /** Position of the skill in the file's list, from 0; absent when the fault is of no one skill. */
  readonly index?: number
  /** The skill's label, when it has one. */
  readonly label?: string
  /**
   * Keys down to the fault, as written: from the skill when there is an `index`, such as
   * `precondition[1].state.op`, else from the top of the document; `''` for all of it.
   */
  readonly keyPath: string
  /** What is wrong and what to write instead. */
  readonly message: string
  readonly code: YamlFaultCode | SkillFault['code']
}

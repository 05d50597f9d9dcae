import {
  type Precondition,
  PredicateError,
  type PredicateErrorCode,
  parsePrecondition,
} from '@symfonic/predicates'
import { type KeyPath, writeKeyPath } from './key-path.ts'
import { kindOf } from './kind-of.ts'
import type { Skill } from './skill.ts'
import type { SkillKey, Spelling } from './wire-names.ts'

/** What is wrong with one key of one skill. */
export type SkillFaultCode =
  /** The skill is not an object. */
  | 'PREFLIGHT_OBJECT_REQUIRED'
  /** A skill has no such key. */
  | 'PREFLIGHT_UNKNOWN_KEY'
  /** One key was given twice, in the spelling of code and in that of the wire. */
  | 'PREFLIGHT_KEY_TWICE'
  /** A key that every skill needs is absent or null. */
  | 'PREFLIGHT_VALUE_REQUIRED'
  /** The value is of the wrong kind, or blank where a name is needed. */
  | 'PREFLIGHT_VALUE_INVALID'
  /** Reading the value threw: it is no plain data. */
  | 'PREFLIGHT_VALUE_UNREADABLE'

/** One fault of one skill. */
export interface SkillFault {
  /** Position of the skill in its list, from 0; 0 for a skill given alone. */
  readonly index: number
  /** The skill's label, when it has one. */
  readonly label?: string
  /**
   * Where in the skill: `precondition[1].state.op`; `''` for the skill as a whole. Keys are as
   * written; one that is no plain word stands in `["…"]`.
   */
  readonly keyPath: string
  /** What is wrong and what to write instead. */
  readonly message: string
  /** For a tool name and for a fault inside a precondition, the code of its `PredicateError`. */
  readonly code: SkillFaultCode | PredicateErrorCode
}

/** A skill, or every reason why there is none. */
export type SkillReading = { readonly skill: Skill } | { readonly faults: readonly SkillFault[] }

/**
 * Reads plain data as one skill. Never throws: data that throws when it is read has a fault.
 *
 * @param index - The skill's position in its list, for the faults.
 * @param spelling - How its keys may be written.
 */
export function readSkill(source: unknown, index: number, spelling: Spelling): SkillReading {
  const findings: Finding[] = []
  const report: Report = (keyPath, code, message) => findings.push({ keyPath, code, message })

  const values = readKeys(source, spelling, report)
  const label = readLabel(values.get('label'), report)
  const content = readText(values.get('content'), report)
  const actionTool = readToolName(values.get('actionTool'), report)
  const precondition = readPrecondition(values.get('precondition'), report)
  const importance = readImportance(values.get('importance'), report)
  const steps = readSteps(values.get('steps'), report)
  const sourceTag = readText(values.get('sourceTag'), report)

  if (label === undefined || precondition === undefined || findings.length > 0) {
    const about = label === undefined ? { index } : { index, label }
    return { faults: findings.map((finding) => Object.freeze({ ...about, ...finding })) }
  }
  const skill = {
    label,
    ...(content !== undefined && { content }),
    ...(actionTool !== undefined && { actionTool }),
    precondition,
    importance,
    steps,
    ...(sourceTag !== undefined && { sourceTag }),
  }
  return { skill: Object.freeze(skill) }
}

type Finding = Pick<SkillFault, 'keyPath' | 'code' | 'message'>
type Report = (keyPath: string, code: SkillFault['code'], message: string) => void

/** A value that was given, and the name it was written under. */
interface Given {
  readonly keyPath: string
  readonly value: unknown
}

/** The values by key; what is null or undefined is absent. */
function readKeys(source: unknown, spelling: Spelling, report: Report): Map<SkillKey, Given> {
  const values = new Map<SkillKey, Given>()
  try {
    if (typeof source !== 'object' || source === null || Array.isArray(source)) {
      const message = `Got ${kindOf(source)}. Write an object with a label.`
      report('', 'PREFLIGHT_OBJECT_REQUIRED', message)
      return values
    }
    for (const [keyPath, value] of Object.entries(source)) {
      const key = spelling.keyOf(keyPath)
      const twin = key && values.get(key)
      if (key === undefined) {
        const message = `A skill has no such key. Use ${spelling.names.join(', ')}.`
        report(writeKeyPath([keyPath]), 'PREFLIGHT_UNKNOWN_KEY', message)
      } else if (twin !== undefined) {
        report(
          keyPath,
          'PREFLIGHT_KEY_TWICE',
          `Already given as ${twin.keyPath}. Keep one of them.`,
        )
      } else if (value !== null && value !== undefined) {
        values.set(key, { keyPath, value })
      }
    }
    if (!values.has('label')) {
      report('label', 'PREFLIGHT_VALUE_REQUIRED', 'A skill needs a label. Give it a short name.')
    }
  } catch {
    report('', 'PREFLIGHT_VALUE_UNREADABLE', 'Reading the skill threw. Pass plain data.')
  }
  return values
}

function readText(given: Given | undefined, report: Report): string | undefined {
  if (given === undefined) return undefined
  if (typeof given.value === 'string') return given.value
  report(given.keyPath, 'PREFLIGHT_VALUE_INVALID', `Got ${kindOf(given.value)}. Write a text.`)
  return undefined
}

function readLabel(given: Given | undefined, report: Report): string | undefined {
  const text = readText(given, report)
  if (given === undefined || text === undefined || text.trim() !== '') return text
  report(given.keyPath, 'PREFLIGHT_VALUE_INVALID', 'A label cannot be blank. Write a short name.')
  return undefined
}

/** A tool is named here as it is in a precondition, so the same grammar checks both. */
function readToolName(given: Given | undefined, report: Report): string | undefined {
  const text = readText(given, report)
  if (given === undefined || text === undefined) return undefined
  try {
    return parsePrecondition(text).tools[0]
  } catch (error) {
    reportError([given.keyPath], error, report)
    return undefined
  }
}

function readPrecondition(given: Given | undefined, report: Report): Precondition | undefined {
  try {
    return parsePrecondition(given?.value)
  } catch (error) {
    if (given !== undefined) reportPrecondition(given, error, report)
    return undefined
  }
}

/** Parsing stops at the first fault, so each entry is tried alone to report every one of them. */
function reportPrecondition({ keyPath, value }: Given, error: unknown, report: Report): void {
  let count = 0
  if (error instanceof PredicateError && error.details['index'] !== undefined) {
    const { length } = value as readonly unknown[]
    for (let position = 0; position < length; position += 1) {
      try {
        parsePrecondition([(value as readonly unknown[])[position]])
      } catch (entryError) {
        reportError([keyPath, position], entryError, report)
        count += 1
      }
    }
  }
  // What is wrong with no entry is wrong with the list, such as its size.
  if (count === 0) reportError([keyPath], error, report)
}

function reportError(path: KeyPath, error: unknown, report: Report): void {
  if (!(error instanceof PredicateError)) {
    report(writeKeyPath(path), 'PREFLIGHT_VALUE_UNREADABLE', 'Reading it threw. Pass plain data.')
    return
  }
  const inner = error.details['keyPath']
  const whole: KeyPath = Array.isArray(inner) ? [...path, ...inner] : path
  report(writeKeyPath(whole), error.code, error.message)
}

function readImportance(given: Given | undefined, report: Report): number {
  if (given === undefined) return 0
  if (typeof given.value === 'number' && Number.isFinite(given.value)) return given.value
  const got = typeof given.value === 'number' ? String(given.value) : kindOf(given.value)
  report(given.keyPath, 'PREFLIGHT_VALUE_INVALID', `Got ${got}. Write a finite number.`)
  return 0
}

function readSteps(given: Given | undefined, report: Report): readonly string[] {
  const steps: string[] = []
  if (given === undefined) return Object.freeze(steps)
  try {
    if (!Array.isArray(given.value)) {
      const message = `Got ${kindOf(given.value)}. Write a list of texts.`
      report(given.keyPath, 'PREFLIGHT_VALUE_INVALID', message)
      return steps
    }
    for (const [position, value] of given.value.entries()) {
      const step = { keyPath: `${given.keyPath}[${position}]`, value }
      steps.push(readText(step, report) ?? '')
    }
  } catch {
    report(given.keyPath, 'PREFLIGHT_VALUE_UNREADABLE', 'Reading it threw. Pass plain data.')
  }
  return Object.freeze(steps)
}

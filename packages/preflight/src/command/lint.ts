import type { SkillFinding } from '../analysis/finding.ts'
import { analyzeSkills } from '../analyze-skills.ts'
import type { YamlPosition } from '../yaml/fault.ts'
import type { Request } from './arguments.ts'
import type { CommandIo } from './io.ts'
import type { Outcome } from './outcome.ts'
import { type LoadedSkills, loadSkillFiles, type PlacedSkill } from './skill-files.ts'
import { readToolNames } from './tool-names.ts'

/** One line of the report: a fault in the shape of a skill, or a finding about rules. */
export interface LintFinding {
  readonly code: string
  readonly severity: 'error' | 'warning'
  readonly file: string
  readonly line: number
  readonly column: number
  readonly message: string
  /** The key in the skill, or in the file, that a fault of shape is about. */
  readonly keyPath?: string
  readonly path?: string
  readonly tools?: readonly string[]
  readonly state?: unknown
  /** The skills it is about, the one pointed at in front. */
  readonly skills: readonly LintSkill[]
}

/** A skill in the report. */
export interface LintSkill extends YamlPosition {
  readonly label: string
  readonly file: string
}

/** What `lint` found. */
export interface LintReport {
  readonly files: readonly string[]
  /** How many skills have no fault of shape. */
  readonly skills: number
  /** By file, line and column. */
  readonly findings: readonly LintFinding[]
  readonly errors: number
  readonly warnings: number
  /** Whether the set may be used: nothing of severity error, and in strict mode nothing at all. */
  readonly ok: boolean
}

/** Checks the shape of all skills, and the rules of those that have no fault, as one set. */
export async function lint(
  request: Extract<Request, { command: 'lint' }>,
  io: CommandIo,
): Promise<Outcome<LintReport>> {
  const tools =
    request.tools === undefined ? { value: undefined } : await readToolNames(request.tools, io)
  if ('problem' in tools) return tools
  const loaded = await loadSkillFiles(request.files, io)
  if ('problem' in loaded) return loaded

  const { files, skills } = loaded.value
  const analysis = analyzeSkills(
    skills.map(({ skill }) => skill),
    tools.value === undefined ? {} : { tools: tools.value },
  )
  const findings = [
    ...faultsOf(loaded.value),
    ...analysis.map((finding) => placed(finding, skills)),
  ].sort(byPlace(files))
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const warnings = findings.length - errors
  const ok = errors === 0 && (warnings === 0 || !request.strict)
  return { value: { files, skills: skills.length, findings, errors, warnings, ok } }
}

/** Faults of shape as lines of the report; each keeps the rules of its skill from being known. */
export function faultsOf({ faults }: Pick<LoadedSkills, 'faults'>): readonly LintFinding[] {
  return faults.map(({ code, file, line, column, message, keyPath, label }) => ({
    code,
    severity: 'error',
    file,
    line,
    column,
    message,
    ...(keyPath !== '' && { keyPath }),
    skills: label === undefined ? [] : [{ label, file, line, column }],
  }))
}

function placed(finding: SkillFinding, all: readonly PlacedSkill[]): LintFinding {
  const { code, severity, message, skills, path, tools, state } = finding
  const found = skills.flatMap(({ index }) => all[index] ?? [])
  const [first] = found
  const { line, column } = (first && placeOf(finding, first)) ?? { line: 1, column: 1 }
  return {
    code,
    severity,
    file: first?.file ?? '',
    line,
    column,
    message,
    ...(path !== undefined && { path }),
    ...(tools !== undefined && { tools }),
    ...(state !== undefined && { state }),
    skills: found.map(({ skill, file, position }) => ({
      label: skill.label,
      file,
      line: position.line,
      column: position.column,
    })),
  }
}

/** The place in its first skill that a finding is about: a predicate, a tool, or all of the skill. */
function placeOf(
  { code, path, tools = [] }: SkillFinding,
  { skill, position }: PlacedSkill,
): YamlPosition {
  const { predicates, tools: required } = skill.precondition
  if (path !== undefined) {
    return position.predicates[predicates.findIndex((one) => one.path === path)] ?? position
  }
  if (code === 'DUPLICATE_LABEL') return position.label
  if (code === 'UNKNOWN_ACTION_TOOL') return position.actionTool ?? position
  // In a circle, and before a dead tool, the tool that is waited for comes second.
  const [first, second = first] = tools
  const waited = required.includes(second ?? '') ? second : first
  return position.tools[required.indexOf(waited ?? '')] ?? position
}

function byPlace(files: readonly string[]) {
  const rank = new Map(files.map((file, at) => [file, at]))
  return (one: LintFinding, other: LintFinding) =>
    (rank.get(one.file) ?? 0) - (rank.get(other.file) ?? 0) ||
    one.line - other.line ||
    one.column - other.column
}

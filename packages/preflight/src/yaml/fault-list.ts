import { PreflightError, type PreflightErrorCode } from '../errors.ts'
import { inertText } from '../inert-text.ts'
import type { YamlFault } from './fault.ts'
import { yamlLimits } from './limits.ts'

/** Puts the faults of a file in the order of their lines, and at most `yamlLimits.faults` of them. */
export function orderFaults(faults: readonly YamlFault[]): readonly YamlFault[] {
  const ordered = faults
    .map((fault) => Object.freeze(fault))
    .sort((a, b) => a.line - b.line || a.column - b.column)
  const last = ordered[yamlLimits.faults]
  if (last === undefined) return Object.freeze(ordered)
  const { line, column } = last
  const more: YamlFault = {
    line,
    column,
    keyPath: '',
    code: 'PREFLIGHT_YAML_TOO_MANY_FAULTS',
    message: `Only the first ${yamlLimits.faults} faults are listed. Correct them and load the file again.`,
  }
  return Object.freeze([...ordered.slice(0, yamlLimits.faults), Object.freeze(more)])
}

/** The one error for all faults of a file. */
export function fileError(faults: readonly YamlFault[], fileName?: string): PreflightError {
  const shown = faults.slice(0, maxFaultsShown).map((fault) => `\n- ${lineOf(fault, fileName)}`)
  const more = faults.length - shown.length
  const count = faults.length > yamlLimits.faults ? `more than ${yamlLimits.faults}` : faults.length
  const file = fileName === undefined ? 'The file' : inertText(fileName, 120)
  return new PreflightError(
    errorCodeOf(faults),
    `${file} has ${faults.length === 1 ? 'a fault' : `${count} faults`}. ` +
      `Correct ${faults.length === 1 ? 'it' : 'them'} and load the file again:${shown.join('')}` +
      (more > 0 ? `\n- and ${more} more in details.faults` : ''),
    { details: { faults, ...(fileName !== undefined && { fileName }) } },
  )
}

/** Faults spelled out in a message; `details.faults` has them all. */
const maxFaultsShown = 5

/** The place comes first, in the form `file:line:column` that terminals and editors follow. */
function lineOf(
  { line, column, usedAt, index, label, keyPath, message }: YamlFault,
  file?: string,
) {
  const place = `${file === undefined ? '' : `${inertText(file, 120)}:`}${line}:${column}`
  const skill = index === undefined ? [] : [`skill ${index}${labelText(label)}`]
  const path = keyPath === '' ? [] : [inertText(keyPath, 80)]
  const what = [...skill, ...path].join(', ')
  const alias = usedAt === undefined ? '' : ` (by the alias at ${usedAt.line}:${usedAt.column})`
  return `${place}${what === '' ? '' : ` ${what}`}${alias}: ${message}`
}

function labelText(label: string | undefined): string {
  return label === undefined ? '' : ` (${inertText(label, 80)})`
}

/** What keeps the file from being read at all outweighs what is wrong in it. */
function errorCodeOf(faults: readonly YamlFault[]): PreflightErrorCode {
  const has = (test: (code: string) => boolean) => faults.some(({ code }) => test(code))
  if (has((code) => code === 'PREFLIGHT_YAML_TOO_LARGE')) return 'PREFLIGHT_YAML_TOO_LARGE'
  if (has((code) => code === 'PREFLIGHT_FRONT_MATTER_REQUIRED')) {
    return 'PREFLIGHT_FRONT_MATTER_REQUIRED'
  }
  return has((code) => /^PREFLIGHT_YAML_(?!TOO_MANY)/.test(code))
    ? 'PREFLIGHT_YAML_SYNTAX'
    : 'PREFLIGHT_SKILL_INVALID'
}

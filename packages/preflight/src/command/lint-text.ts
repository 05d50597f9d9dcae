import type { CommandIo } from './io.ts'
import type { LintFinding, LintReport } from './lint.ts'
import { printable } from './printable.ts'

/** The report of `lint` for people. */
export function lintText(report: LintReport, io: Pick<CommandIo, 'paint'>): string {
  return `${findingsText(report.findings, io)}${io.paint(report.ok ? 'green' : 'red', summaryOf(report))}\n`
}

/** Findings, each on lines of its own that begin with its place. */
export function findingsText(
  findings: readonly LintFinding[],
  { paint }: Pick<CommandIo, 'paint'>,
): string {
  return findings
    .map(({ code, severity, file, line, column, message, keyPath, skills }) => {
      const place = paint('bold', printable(`${file}:${line}:${column}`))
      const kind = paint(severity === 'error' ? 'red' : 'yellow', severity)
      const key = keyPath === undefined ? '' : `${printable(keyPath)}: `
      const others = skills
        .slice(1, maxOthers + 1)
        .map((other) => `  see ${printable(`${other.file}:${other.line}:${other.column}`)}\n`)
      const more = skills.length - 1 - others.length
      if (more > 0) others.push(`  and ${more} more\n`)
      return `${place} ${kind} ${paint('dim', code)}\n  ${key}${printable(message)}\n${others.join('')}\n`
    })
    .join('')
}

const maxOthers = 4

function summaryOf({ errors, warnings, skills, files }: LintReport): string {
  const where = `in ${counted(skills, 'skill')} of ${counted(files.length, 'file')}`
  const found = [
    ...(errors > 0 ? [counted(errors, 'error')] : []),
    ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
  ]
  return `${found.length === 0 ? 'No findings' : found.join(' and ')} ${where}.`
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

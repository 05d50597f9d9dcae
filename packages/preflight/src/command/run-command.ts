import { buildRulesBlock } from '../rules-block.ts'
import { filterSkillsByStatePredicates } from '../select-skills.ts'
import { type Request, readArguments } from './arguments.ts'
import { explain } from './explain.ts'
import { explainText } from './explain-text.ts'
import { helpText } from './help.ts'
import type { CommandIo } from './io.ts'
import { explainJson, faultsJson, lintJson, problemJson, renderJson } from './json-report.ts'
import { faultsOf, lint } from './lint.ts'
import { findingsText, lintText } from './lint-text.ts'
import type { Outcome } from './outcome.ts'
import { printable, printableJson } from './printable.ts'
import { loadSkillFiles, type PlacedSkill } from './skill-files.ts'
import { readState } from './state-file.ts'

/** What the process ends with. */
export const exitCodes = Object.freeze({
  /** The work is done, and nothing of severity error was found. */
  success: 0,
  /** There are findings of severity error, or in strict mode any, or files have faults. */
  findings: 1,
  /** The arguments are wrong, or a file cannot be read. */
  problem: 2,
})

/**
 * Runs the command `preflight`. Never throws for anything that is in a file; nothing in a file is
 * executed, and nothing of it reaches a terminal unescaped.
 *
 * @param args - The words that follow the name of the program.
 * @returns The exit code, one of `exitCodes`.
 */
export async function runCommand(args: readonly string[], io: CommandIo): Promise<number> {
  const request = readArguments(args)
  const outcome = 'problem' in request ? request : await run(request.value, io)
  if ('value' in outcome) return outcome.value
  const { problem } = outcome
  // Whoever asked for JSON reads the standard output, whatever else was wrong with the question.
  if (args.includes('--json')) io.write(`${printableJson(problemJson(problem))}\n`)
  else io.writeError(`preflight: ${printable(problem)}\n`)
  return exitCodes.problem
}

async function run(request: Request, io: CommandIo): Promise<Outcome<number>> {
  switch (request.command) {
    case 'help':
      io.write(helpText)
      return { value: exitCodes.success }
    case 'version':
      io.write(`${io.version}\n`)
      return { value: exitCodes.success }
    case 'lint':
      return runLint(request, io)
    default:
      return runInState(request, io)
  }
}

async function runLint(
  request: Extract<Request, { command: 'lint' }>,
  io: CommandIo,
): Promise<Outcome<number>> {
  const report = await lint(request, io)
  if ('problem' in report) return report
  io.write(request.json ? `${printableJson(lintJson(report.value))}\n` : lintText(report.value, io))
  return { value: report.value.ok ? exitCodes.success : exitCodes.findings }
}

/** Runs a command that answers for one state. Rules that cannot be read leave no answer to give. */
async function runInState(
  request: Extract<Request, { command: 'explain' | 'render' }>,
  io: CommandIo,
): Promise<Outcome<number>> {
  const state = await readState(request.state, io)
  if ('problem' in state) return state
  const loaded = await loadSkillFiles(request.files, io)
  if ('problem' in loaded) return loaded
  const faults = faultsOf(loaded.value)
  if (faults.length > 0) {
    if (request.json) io.write(`${printableJson(faultsJson(request.command, faults))}\n`)
    else io.write(findingsText(faults, io))
    return { value: exitCodes.findings }
  }
  const text =
    request.command === 'explain'
      ? explanation(request, loaded.value.skills, state.value, io)
      : rendering(request, loaded.value.skills, state.value, io)
  io.write(text)
  return { value: exitCodes.success }
}

function explanation(
  { tool, called, json }: Extract<Request, { command: 'explain' }>,
  skills: readonly PlacedSkill[],
  state: unknown,
  io: CommandIo,
): string {
  const found = explain(skills, state, { tool, called })
  return json ? `${printableJson(explainJson(found))}\n` : explainText(found, io)
}

function rendering(
  { json }: Extract<Request, { command: 'render' }>,
  skills: readonly PlacedSkill[],
  state: unknown,
  io: CommandIo,
): string {
  const all = skills.map(({ skill }) => skill)
  const block = buildRulesBlock(filterSkillsByStatePredicates(all, state).active)
  if (json) return `${printableJson(renderJson(block))}\n`
  if (block === '')
    io.writeError('preflight: no skill with an action tool takes part in this state.\n')
  return block === '' ? '' : `${block}\n`
}

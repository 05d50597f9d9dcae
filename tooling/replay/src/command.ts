import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { isSound } from './confusion.ts'
import { ReplayError } from './errors.ts'
import { policies } from './policies.ts'
import { readBeforeWrite } from './read-before-write.ts'
import { readFolder } from './read-folder.ts'
import { type Replay, replay } from './replay.ts'
import { renderReport, reportOn } from './report.ts'
import { runResults } from './results/results-command.ts'
import type { RuleSet } from './rule-set.ts'
import type { Terminal } from './terminal.ts'

/** The recordings that lie beside the repository. */
export const defaultFolder = fileURLToPath(
  new URL('../../../../shared/data/tau-trajectories', import.meta.url),
)

const ruleSets: Readonly<Record<string, RuleSet | undefined>> = {
  none: undefined,
  [readBeforeWrite.name]: readBeforeWrite,
  [policies.name]: policies,
}

const usage = `npm run replay -- [--data PATH] [--rules ${Object.keys(ruleSets).join('|')}] [--run ID] [--json FILE]`

/**
 * The command: replays a folder, or one file, and prints the report. With `results` as its first word it is the
 * command of `runResults`.
 *
 * @returns The exit code. 0 also where there is no data, which is said; 1 when a transcript differs
 * from its record, refusals and an oracle differ in a way that is not explained (`OracleComparison`'s
 * `unexplained`, `isSound`), or the data is malformed; 2 for a wrong call.
 */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const [word, ...rest] = args
    if (word === 'results') return await runResults(rest, terminal)
    return await replayFolder(parseCommand(args), terminal)
  } catch (error) {
    if (!(error instanceof ReplayError)) throw error
    terminal.error(terminal.colors.red(error.message))
    return error.code === 'REPLAY_USAGE' ? 2 : 1
  }
}

interface Command {
  readonly folder: string
  readonly rules: RuleSet | undefined
  readonly run: string | undefined
  readonly json: string | undefined
}

async function replayFolder(command: Command, terminal: Terminal): Promise<number> {
  const { folder, rules, run, json } = command
  const recorded = readFolder(folder)
  if (recorded === undefined) {
    terminal.out(`skipped: ${folder} is not there, so nothing was replayed or proved.`)
    return 0
  }
  const recordings = recorded.recordings.filter(({ id }) => run === undefined || id === run)
  if (recordings.length === 0) {
    throw wrongCall(run === undefined ? `${folder} holds no runs` : `${folder} holds no run ${run}`)
  }

  const began = performance.now()
  const replays: Replay[] = []
  for (const recording of recordings) {
    replays.push(await replay(recording, { capabilities: rules?.capabilities(recording) ?? [] }))
  }
  const totalMs = performance.now() - began

  const report = reportOn(replays, { rules, verdicts: recorded.verdicts, totalMs })
  terminal.out(renderReport(report, rules, terminal.colors))
  if (json !== undefined) write(json, `${JSON.stringify(report, null, 2)}\n`)
  const { differing, oracle, confusion } = report
  const isAgreed = (oracle?.unexplained.length ?? 0) === 0 && (!confusion || isSound(confusion))
  return differing.length === 0 && isAgreed ? 0 : 1
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text)
  } catch (cause) {
    throw wrongCall(`${file} cannot be written (${(cause as Error).message})`)
  }
}

function parseCommand(args: readonly string[]): Command {
  const option = { type: 'string' } as const
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { data: option, rules: option, run: option, json: option },
    })
    const { data = defaultFolder, rules = 'none', run, json } = values
    if (!Object.hasOwn(ruleSets, rules)) throw new Error(`There are no rules "${rules}"`)
    return { folder: data, rules: ruleSets[rules], run, json }
  } catch (cause) {
    throw wrongCall(cause instanceof Error ? cause.message : String(cause))
  }
}

function wrongCall(what: string): ReplayError {
  return new ReplayError('REPLAY_USAGE', `${what}. Use: ${usage}`, { details: { usage } })
}

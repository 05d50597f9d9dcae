import { existsSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { ReplayError } from '../errors.ts'
import type { Terminal } from '../terminal.ts'
import { ourPolicy } from './our-policy.ts'
import { readConversations, recordedData } from './read-conversations.ts'
import { renderResults, reportOnResults } from './results-report.ts'

const usage = 'npm run replay -- results [--data PATH] [--run ID] [--json FILE]'

/**
 * The command `results`: what tool results cost on recorded runs, with `@symfonic/result-policy` and without.
 *
 * @param args - Without the word `results`. `--data` is a folder as `readConversations` takes it.
 * @returns The exit code. 0 also where there is no data, which is said; 1 when a run costs more with the policy
 *   or something cannot be recalled.
 * @throws ReplayError `REPLAY_USAGE` for a wrong call; what `readConversations` throws.
 */
export async function runResults(
  args: readonly string[],
  { out, colors }: Terminal,
): Promise<0 | 1> {
  const { data = recordedData, run, json } = parse(args)
  if (!existsSync(data)) {
    out(`skipped: ${data} is not there, so nothing was replayed or proved.`)
    return 0
  }
  const conversations = readConversations(data).filter(({ id }) => run === undefined || id === run)
  if (conversations.length === 0) {
    throw wrongCall(run === undefined ? `${data} holds no runs` : `${data} holds no run ${run}`)
  }
  const report = await reportOnResults(conversations, ourPolicy())
  out(renderResults(report, colors))
  if (json !== undefined) write(json, `${JSON.stringify(report, null, 2)}\n`)
  return report.dearer.length === 0 && report.unanswered.length === 0 ? 0 : 1
}

function parse(args: readonly string[]) {
  const option = { type: 'string' } as const
  try {
    return parseArgs({ args: [...args], options: { data: option, run: option, json: option } })
      .values
  } catch (cause) {
    throw wrongCall(cause instanceof Error ? cause.message : String(cause))
  }
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text)
  } catch (cause) {
    throw wrongCall(`${file} cannot be written (${(cause as Error).message})`)
  }
}

function wrongCall(what: string): ReplayError {
  return new ReplayError('REPLAY_USAGE', `${what}. Use: ${usage}`, { details: { usage } })
}

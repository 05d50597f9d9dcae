import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** How a run of the demo in its own process went. */
export interface Finished {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

const main = fileURLToPath(new URL('../main.ts', import.meta.url))

/** Runs the demo as `npm run demo` does, without a terminal. @param input - Its stdin, to the end. */
export function spawnDemo(about: {
  readonly args?: readonly string[]
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
}): Promise<Finished> {
  const { args = [], input = '', env = {} } = about
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--conditions=@symfonic/source', main, ...args], {
      env: { PATH: process.env['PATH'], ...env },
      // Ends one that hangs; a busy machine may take a tenth of that to start one.
      timeout: 60_000,
    })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    child.on('error', reject)
    child.on('close', (status) => resolve({ status, stdout, stderr }))
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })
}

const plays = new Map<string, Promise<Finished>>()

/** The written conversation with these arguments, played once for all who only read it. */
export function playedDemo(...args: readonly string[]): Promise<Finished> {
  const key = args.join(' ')
  const play = plays.get(key) ?? spawnDemo({ args })
  plays.set(key, play)
  return play
}

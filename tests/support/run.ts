import { execFile } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { root } from './workspace.ts'

/** How a finished command went. It never rejects: a test looks at `status`. */
export interface Finished {
  status: number
  stdout: string
  stderr: string
}

/** How long to wait for compilers and other programs before they count as hanging. A busy machine is slow. */
export const patienceMs = 300_000

/** Runs a program to its end, with the workspace's own tools first on the path and no stdin. */
export function run(
  program: string,
  args: readonly string[],
  { cwd = root }: { cwd?: string } = {},
): Promise<Finished> {
  const path = [join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter)
  const options = {
    cwd,
    timeout: patienceMs,
    maxBuffer: 256 * 1024 * 1024,
    env: { ...process.env, PATH: path, NO_COLOR: '1' },
  }
  return new Promise((resolve) => {
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
      resolve({ status: code, stdout, stderr: stderr || (error?.message ?? '') })
    })
    child.stdin?.end()
  })
}

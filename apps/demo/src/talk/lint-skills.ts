import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { createDesk } from '../desk/desk.ts'
import { createDeskMemory } from '../desk/memory.ts'
import { createPreferences } from '../desk/preferences.ts'
import { seedDesk } from '../desk/seed.ts'
import { skillFile } from '../desk/skills.ts'
import { createDeskTools } from '../desk/tools.ts'

/**
 * Runs `preflight lint` over the skills of the desk, with the tools of the desk.
 *
 * @param json - Ask the command for JSON.
 * @returns The command's exit code.
 */
export function lintSkills(json: boolean): Promise<number> {
  const root = dirname(fileURLToPath(import.meta.resolve('@symfonic/preflight/package.json')))
  const tools = createDeskTools(
    createDesk(seedDesk('2026-01-01')),
    createPreferences(createDeskMemory()),
  )
  const command = spawn(
    process.execPath,
    [
      '--conditions=@symfonic/source',
      join(root, 'src/cli.ts'),
      'lint',
      skillFile,
      '--tools',
      Object.keys(tools).join(','),
      ...(json ? ['--json'] : []),
    ],
    { stdio: 'inherit' },
  )
  return new Promise((resolve, reject) => {
    command.once('error', reject)
    command.once('exit', (code) => resolve(code ?? 1))
  })
}

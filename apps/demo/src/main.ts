import process from 'node:process'
import { quietSqlite } from './quiet-sqlite.ts'

quietSqlite(process)
// Imported only now: SQLite is loaded by what this imports.
const { runDemo } = await import('./run-demo.ts')

// A reader that has seen enough (`| head`) closes the pipe; that is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

const { env, stdin, stdout, stderr } = process
process.exitCode = await runDemo({ args: process.argv.slice(2), env, stdin, stdout, stderr })
// Cut off: a model that does not listen must not keep the process.
if (process.exitCode === 130) process.exit()

import colors from 'picocolors'
import { runCommand } from './command.ts'

// `npm run replay -- [--data PATH] [--rules none|read-before-write|policies] [--run ID] [--json FILE]`
// `npm run replay -- results [--data PATH] [--run ID] [--json FILE]`

process.exitCode = await runCommand(process.argv.slice(2), {
  out: console.log,
  error: console.error,
  colors,
})

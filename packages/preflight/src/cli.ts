#!/usr/bin/env node
import { createNodeIo } from './command/node-io.ts'
import { runCommand } from './command/run-command.ts'

// A reader that has seen enough, such as `head`, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

process.exitCode = await runCommand(process.argv.slice(2), await createNodeIo())

import { kindOf } from '../kind-of.ts'
import type { CommandIo } from './io.ts'
import { readJsonFile } from './json-file.ts'
import type { Outcome } from './outcome.ts'

/**
 * Reads the value of `--state`: a JSON file with an object in it, or the standard input for `-`. In
 * anything else no path resolves, so an answer would look like one and mean nothing.
 */
export async function readState(name: string, io: CommandIo): Promise<Outcome<unknown>> {
  const file = await readJsonFile(name, 'state', io)
  if ('problem' in file) return file
  const { value } = file
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return file
  return {
    problem: `The state ${name} must be an object, got ${kindOf(value)}. Write it as { "key": value }.`,
  }
}

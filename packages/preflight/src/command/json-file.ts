import type { CommandIo } from './io.ts'
import { type Outcome, reasonOf } from './outcome.ts'

/**
 * Reads a JSON file, or the standard input for `-`. A byte order mark in front is passed over.
 *
 * @param what - What the file is for, to follow "The".
 */
export async function readJsonFile(
  name: string,
  what: string,
  io: CommandIo,
): Promise<Outcome<unknown>> {
  let text: string
  try {
    text = name === '-' ? await io.readInput() : await io.readFile(name)
  } catch (error) {
    return { problem: `The ${what} ${name} cannot be read: ${reasonOf(error)}. Name a JSON file.` }
  }
  try {
    return { value: JSON.parse(text.replace(/^\ufeff/u, '')) }
  } catch (error) {
    return { problem: `The ${what} ${name} is not JSON: ${reasonOf(error)}. Correct it.` }
  }
}

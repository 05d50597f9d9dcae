import { namesIn } from './arguments.ts'
import type { CommandIo } from './io.ts'
import { readJsonFile } from './json-file.ts'
import type { Outcome } from './outcome.ts'

/**
 * Reads the value of `--tools`: names between commas, or a JSON file with a list of names or of
 * tools that have one (`{ "name": … }`, as MCP servers list them, or `{ "function": { "name": … } }`),
 * or with an object whose `tools` is such a list or has the names as its keys.
 */
export async function readToolNames(
  value: string,
  io: CommandIo,
): Promise<Outcome<readonly string[]>> {
  if (!/\.json$/iu.test(value) && value !== '-') return { value: namesIn(value) }
  const file = await readJsonFile(value, 'file of tools', io)
  if ('problem' in file) return file
  const names = namesOf(isRecord(file.value) ? file.value['tools'] : file.value)
  if (names !== undefined) return { value: names }
  return {
    problem:
      `The file of tools ${value} lists no tools. Write a list of names, or of objects with a name, ` +
      'or such a list under the key "tools".',
  }
}

function namesOf(tools: unknown): readonly string[] | undefined {
  if (isRecord(tools)) return Object.keys(tools)
  if (!Array.isArray(tools)) return undefined
  const names = tools.map(nameOf)
  return names.every((name) => name !== undefined) ? names : undefined
}

function nameOf(tool: unknown): string | undefined {
  if (typeof tool === 'string') return tool
  if (!isRecord(tool)) return undefined
  return typeof tool['name'] === 'string' ? tool['name'] : nameOf(tool['function'])
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

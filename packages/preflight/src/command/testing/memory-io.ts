import type { CommandIo } from '../io.ts'

/** A world of files in memory, which keeps what is written. */
export interface MemoryIo extends CommandIo {
  /** What was written to the standard output. */
  output(): string
  /** What was written to the standard error output. */
  errors(): string
}

/**
 * Stands in for the file system and the terminal in tests. A name that ends in a slash is that of a
 * folder; `-` is the standard input.
 *
 * @param files - Texts by path.
 * @param options.isColoured - Whether texts are set off, as `<paint:text>`. Default false.
 */
export function memoryIo(
  files: Readonly<Record<string, string>>,
  options: { isColoured?: boolean } = {},
): MemoryIo {
  let output = ''
  let errors = ''
  let isInputRead = false
  const textOf = (path: string) => {
    const text = Object.hasOwn(files, path) ? files[path] : undefined
    if (text === undefined) throw new Error('there is no such file')
    return text
  }
  return {
    readFile: async (path) => textOf(path),
    async skillFilesIn(path) {
      if (!path.endsWith('/')) return undefined
      return Object.keys(files).filter((name) => name.startsWith(path) && name.endsWith('SKILL.md'))
    },
    async readInput() {
      if (isInputRead) throw new Error('the input was read before')
      isInputRead = true
      return textOf('-')
    },
    write: (text) => {
      output += text
    },
    writeError: (text) => {
      errors += text
    },
    paint: (paint, text) => (options.isColoured ? `<${paint}:${text}>` : text),
    version: '1.2.3',
    output: () => output,
    errors: () => errors,
  }
}

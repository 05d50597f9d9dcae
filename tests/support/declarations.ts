import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { docBefore, maskComments } from './comments.ts'
import { run } from './run.ts'

/** Emitted declarations: the source path from the root, without `.ts`, to the text. */
export type Declarations = (source: string) => string

/** One name that an entry exports. */
export interface ExportedName {
  name: string
  /** What a consumer can do with it: `value` exists when the program runs, `type` does not. */
  kind: 'value' | 'type'
  /** The source file that declares it, or a bare specifier when it belongs to another package. */
  from: string
  /** The doc comment at the declaration, without its stars. */
  doc: string | undefined
}

/**
 * Lets TypeScript write the declarations of every package from source, faulty code included.
 *
 * The function returned throws when a file was not written, with what the compiler said.
 */
export async function emitDeclarations(): Promise<Declarations> {
  const outDir = mkdtempSync(join(tmpdir(), 'declarations-'))
  try {
    const project = 'tests/tsconfig.declarations.json'
    const { stdout } = await run('tsc', ['--project', project, '--outDir', outDir])
    const written = new Map(
      readdirSync(outDir, { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.d.ts'))
        .map((path) => [path, readFileSync(join(outDir, path), 'utf8')]),
    )
    return (source) => {
      const text = written.get(source.replace(/\.ts$/, '.d.ts'))
      if (text === undefined)
        throw new Error(`No declarations were written for ${source}. ${stdout}`)
      return text
    }
  } finally {
    rmSync(outDir, { recursive: true, force: true })
  }
}

/** Every name an entry exports, following its export lists to the declarations. */
export function exportedNames(entry: string, declarations: Declarations): ExportedName[] {
  const text = declarations(entry)
  const masked = maskComments(text)
  if (/\bexport \*/.test(masked)) throw new Error(`${entry} exports "*". List the names instead.`)
  const own = declared(text, entry).filter(({ exported }) => exported)
  return [...own.map(({ exported: _, ...name }) => name), ...listed(masked, entry, declarations)]
}

interface Declared extends ExportedName {
  exported: boolean
}

/** The top-level declarations of one file. An overloaded function counts once, by its first. */
function declared(text: string, source: string): Declared[] {
  const pattern =
    /^(export )?(?:declare )?(?:abstract )?(const|let|function|class|interface|type|enum) ([\w$]+)/gm
  const found = [...maskComments(text).matchAll(pattern)].map(
    ([, exported, keyword = '', name = ''], index, all): Declared => ({
      name,
      kind: keyword === 'interface' || keyword === 'type' ? 'type' : 'value',
      from: source,
      doc: docBefore(text, all[index]?.index ?? 0),
      exported: exported !== undefined,
    }),
  )
  return found.filter(({ name }, index) => found.findIndex((one) => one.name === name) === index)
}

/** The names in `export { ... }` and `export { ... } from '...'`. */
function listed(masked: string, entry: string, declarations: Declarations): ExportedName[] {
  const pattern = /^export (type )?\{([^}]*)\}(?: from ['"]([^'"]+)['"])?/gm
  return [...masked.matchAll(pattern)].flatMap(([, allTypes, list = '', from]) =>
    list
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
      .map((item) => {
        const [, type, inner = '', outer] = /^(type )?([\w$]+)(?: as ([\w$]+))?$/.exec(item) ?? []
        const original = resolve(inner, { from, entry, declarations })
        const onlyType = allTypes !== undefined || type !== undefined
        return { ...original, name: outer ?? inner, kind: onlyType ? 'type' : original.kind }
      }),
  )
}

/** Finds where a listed name is declared, through any number of lists. */
function resolve(
  name: string,
  about: { from: string | undefined; entry: string; declarations: Declarations },
): ExportedName {
  const { from, entry, declarations } = about
  if (from !== undefined && !from.startsWith('.')) {
    return { name, kind: 'value', from, doc: undefined }
  }
  const source = from === undefined ? entry : join(dirname(entry), from.replace(/\.js$/, '.ts'))
  const text = declarations(source)
  const found =
    declared(text, source).find((one) => one.name === name) ??
    (from === undefined
      ? undefined
      : listed(maskComments(text), source, declarations).find((one) => one.name === name))
  if (found === undefined) throw new Error(`${entry} exports ${name}, which ${source} lacks.`)
  return { name, kind: found.kind, from: found.from, doc: found.doc }
}

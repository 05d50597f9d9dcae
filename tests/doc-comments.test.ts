import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { hasSentence, maskComments } from './support/comments.ts'
import { type Declarations, emitDeclarations, exportedNames } from './support/declarations.ts'
import { patienceMs } from './support/run.ts'
import { entriesOf, workspaces } from './support/workspace.ts'

const entries = workspaces('packages').flatMap((workspace) =>
  entriesOf(workspace).map(({ subpath, source }) => ({
    entry: `${workspace.manifest.name}${subpath.slice(1)}`,
    source,
  })),
)

describe('the doc comments of what a package exports', () => {
  let declarations: Declarations

  beforeAll(async () => {
    declarations = await emitDeclarations()
  }, patienceMs)

  it.each(entries)('$entry exports only names declared in its own package', ({ source }) => {
    const foreign = exportedNames(source, declarations).filter(
      ({ from }) => !from.startsWith('packages/'),
    )
    expect(foreign.map(({ name, from }) => `${name} from ${from}`)).toEqual([])
  })

  it.each(entries)('$entry explains each name in at least one sentence', ({ source }) => {
    const names = exportedNames(source, declarations)
    expect(names.length).toBeGreaterThan(0)
    const silent = names.filter(({ doc }) => doc === undefined || !hasSentence(doc))
    expect(silent.map(({ name, from }) => `${name} in ${from}`)).toEqual([])
  })
})

describe('reading declarations', () => {
  const files: Record<string, string> = {
    'p/index.ts': [
      '// export { notThis } from "./nowhere.ts"',
      `export { run, type Plan, Failure as RunFailure } from './run.ts';`,
      `export type { Shape } from 'elsewhere';`,
      '/** A constant of the entry itself. */',
      'export declare const limit: "// not a comment";',
    ].join('\n'),
    'p/run.ts': [
      '/** Runs one plan. @example `export { run }` */',
      'export declare function run(plan: Plan): void;',
      'export declare function run(plan: Plan, twice: true): void;',
      'export interface Plan {',
      '}',
      '/**',
      ' * Says why a run failed.',
      ' */',
      'declare class Failure extends Error {',
      '}',
      'export { Failure };',
    ].join('\n'),
  }

  it('follows lists, renames, types, overloads and foreign names', () => {
    const found = exportedNames('p/index.ts', (source) => files[source] ?? '')
    expect(found).toEqual([
      {
        name: 'limit',
        kind: 'value',
        from: 'p/index.ts',
        doc: 'A constant of the entry itself.',
      },
      {
        name: 'run',
        kind: 'value',
        from: 'p/run.ts',
        doc: 'Runs one plan. @example `export { run }`',
      },
      { name: 'Plan', kind: 'type', from: 'p/run.ts', doc: undefined },
      { name: 'RunFailure', kind: 'value', from: 'p/run.ts', doc: 'Says why a run failed.' },
      { name: 'Shape', kind: 'type', from: 'elsewhere', doc: undefined },
    ])
  })

  it('refuses an entry that exports everything of another file', () => {
    expect(() => exportedNames('p/index.ts', () => `export * from './run.ts';`)).toThrow(
      'List the names instead.',
    )
  })

  it('blanks comments without moving anything else, whatever the text', () => {
    const pieces = fc.constantFrom('a', ' ', '\n', '/*', '*/', '//', "'", '"', '`', '\\')
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
        const text = parts.join('')
        const masked = maskComments(text)
        expect(masked.length).toBe(text.length)
        expect(masked.split('\n').length).toBe(text.split('\n').length)
        const changed = [...masked].filter((char, index) => char !== text[index])
        expect(changed.every((char) => char === ' ')).toBe(true)
      }),
    )
  })

  it.each([
    { text: 'a /* b */ c', masked: 'a         c' },
    { text: 'a // b', masked: 'a     ' },
    { text: "'// kept' /* '*/", masked: "'// kept'       " },
    { text: '"/* kept */"', masked: '"/* kept */"' },
    { text: '`a\n// kept`', masked: '`a\n// kept`' },
  ])('leaves of $text what is no comment', ({ text, masked }) => {
    expect(maskComments(text)).toBe(masked)
  })

  it.each([
    { doc: 'Runs one plan.', full: true },
    { doc: 'Runs one plan. See PRED-09.\n@returns nothing', full: true },
    { doc: 'A plan', full: false },
    { doc: 'Plan.', full: false },
    { doc: '@returns the plan that was made.', full: false },
    { doc: '', full: false },
  ])('calls "$doc" a sentence: $full', ({ doc, full }) => {
    expect(hasSentence(doc)).toBe(full)
  })
})

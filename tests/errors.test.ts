import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { docBefore, hasSentence, maskComments } from './support/comments.ts'
import { entriesOf, filesBelow, isTest, readText, root, workspaces } from './support/workspace.ts'

// Every package repeats one small error shape instead of sharing a base class (decision record
// 0004). This is what keeps the copies alike.

const packages = workspaces('packages').map((workspace) => {
  const file = `${workspace.folder}/src/errors.ts`
  return { ...workspace, name: workspace.manifest.name, file, codes: codesIn(readText(file)) }
})

type ErrorClass = new (
  code: string,
  message: string,
  about?: { details?: Record<string, unknown>; cause?: unknown },
) => Error & { code: string; details: Readonly<Record<string, unknown>> }

describe.each(packages)('the errors of $name', ({ folder, file, codes, ...workspace }) => {
  const classes = new Map<string, ErrorClass>()

  beforeAll(async () => {
    for (const { source } of entriesOf({ folder, manifest: workspace.manifest })) {
      for (const [name, value] of Object.entries(await importSource(source))) {
        if (isErrorClass(value)) classes.set(name, value)
      }
    }
  })

  it('are one exported class with one union of codes', () => {
    expect([...classes.keys()]).toHaveLength(1)
    expect(codes.length).toBeGreaterThan(0)
    const [name] = classes.keys()
    expect(readText(file)).toContain(`export type ${name}Code =`)
  })

  it('have the shape that every package shares', () => {
    for (const [name, Failure] of classes) {
      const cause = new Error('cause')
      const details = { path: 'a.b' }
      const error = new Failure('CODE', 'It happened. Do this.', { details, cause })
      expect(error).toBeInstanceOf(Error)
      expect(error).toMatchObject({ name, code: 'CODE', message: 'It happened. Do this.' })
      expect(error.cause).toBe(cause)
      expect(error.details).toEqual({ path: 'a.b' })
      expect(Object.isFrozen(error.details)).toBe(true)
      expect(new Failure('CODE', 'message').details).toEqual({})
    }
  })

  it('keep their name when a minifier renames the class', () => {
    for (const [name, Failure] of classes) {
      const renamed = class a extends Failure {}
      expect(new renamed('CODE', 'message').name).toBe(name)
    }
  })

  it('carry the brand that survives two copies of a package, out of sight', () => {
    for (const Failure of classes.values()) {
      const error = new Failure('CODE', 'message')
      expect(Object.getOwnPropertyDescriptor(error, Symbol.for('symfonic.error'))).toMatchObject({
        value: true,
        enumerable: false,
        writable: false,
      })
    }
  })

  it('are declared in a file that imports nothing', () => {
    expect(maskComments(readText(file))).not.toMatch(/\bimport\b/)
  })

  it.each(codes)('$code says when it occurs', ({ doc }) => {
    expect(doc !== undefined && hasSentence(doc)).toBe(true)
  })

  it.each(codes)('$code is raised by the package and provoked by a test of it', ({ code }) => {
    const naming = filesBelow(`${folder}/src`, '.ts')
      .filter((path) => path !== file)
      .filter((path) => maskComments(readText(path)).includes(`'${code}'`))
    expect({
      raised: naming.some((path) => !isTest(path)),
      provoked: naming.some(isTest),
    }).toEqual({ raised: true, provoked: true })
  })
})

describe('the error codes of all packages', () => {
  it('belong to one package each', () => {
    const all = packages.flatMap(({ name, codes }) => codes.map(({ code }) => ({ name, code })))
    const shared = all.filter(({ code, name }) =>
      all.some((other) => other.code === code && other.name !== name),
    )
    expect(shared).toEqual([])
  })
})

/** The members of the `...ErrorCode` unions of a file, each with its doc comment. */
function codesIn(text: string): { code: string; doc: string | undefined }[] {
  const masked = maskComments(text)
  return [...masked.matchAll(/^export type \w+ErrorCode =([\s\S]*?)(?=^\S|$(?![\s\S]))/gm)].flatMap(
    ({ index, 0: whole }) =>
      [...whole.matchAll(/(?:\|\s*)?'([^']+)'/g)].map((member) => ({
        code: member[1] ?? '',
        doc: docBefore(text, index + member.index),
      })),
  )
}

function isErrorClass(value: unknown): value is ErrorClass {
  return typeof value === 'function' && value.prototype instanceof Error
}

async function importSource(source: string): Promise<Record<string, unknown>> {
  return (await import(join(root, source))) as Record<string, unknown>
}

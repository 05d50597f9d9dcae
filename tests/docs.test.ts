import { existsSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Compiled,
  compileBlocks,
  removeBlocks,
  runBlocks,
  type WrittenBlock,
  writeBlocks,
} from './support/doc-blocks.ts'
import { anchorsOf, codeBlocks, inlineCode, relativeLinks } from './support/markdown.ts'
import { type Finished, patienceMs } from './support/run.ts'
import { filesBelow, manifestOf, root, workspaces } from './support/workspace.ts'

const groups = (['packages', 'apps', 'tooling'] as const).flatMap((group) => workspaces(group))
const packageDocuments = groups.flatMap(({ folder }) =>
  ['README.md', 'DESIGN.md'].map((name) => `${folder}/${name}`),
)
const documents = [
  ...['README.md', 'AGENTS.md', 'CONTRIBUTING.md', 'REVIEW.md'],
  ...filesBelow('docs', '.md'),
  ...packageDocuments.filter((path) => existsSync(join(root, path))),
]
const scripts = Object.keys(manifestOf('.').scripts ?? {})

const blocks = documents.flatMap(codeBlocks)
const programs = blocks.filter(({ info }) => /^ts\b/.test(info))
const runnable = programs.filter(({ info }) => info === 'ts')

describe('the code in the documents', () => {
  let compiled: Compiled
  let written: WrittenBlock[]
  let finished: Map<string, Finished>

  beforeAll(async () => {
    removeBlocks(programs)
    written = writeBlocks(programs)
    const toRun = written.filter(({ info }) => info === 'ts')
    compiled = await compileBlocks(written)
    const results = await runBlocks(toRun)
    finished = new Map(results.map((result, index) => [toRun[index]?.path ?? '', result]))
  }, patienceMs)

  afterAll(() => removeBlocks(programs))

  const pathOf = (block: { document: string; line: number }) =>
    written.find(({ document, line }) => document === block.document && line === block.line)
      ?.path ?? ''

  it('is there to be checked', () => {
    expect(runnable.length).toBeGreaterThan(0)
    expect(compiled.elsewhere).toEqual([])
  })

  it('carries a fence that says how it is checked', () => {
    const known = /^(?:ts|ts no-run|text|sh|json|yaml|)$/
    const unknown = blocks.filter(({ info }) => !known.test(info))
    expect(unknown.map(({ document, line, info }) => `${document}:${line} ${info}`)).toEqual([])
  })

  it.each(programs)('$document:$line compiles', (block) => {
    expect(compiled.about.get(pathOf(block))).toEqual([])
  })

  it.each(runnable)('$document:$line runs', (block) => {
    expect(finished.get(pathOf(block))).toMatchObject({ status: 0 })
  })
})

describe.each(workspaces('packages'))('the README of $manifest.name', ({ folder, manifest }) => {
  it('starts with a program that imports the package, has at most twelve more lines and runs', () => {
    const [first] = codeBlocks(`${folder}/README.md`)
    const lines = first?.code.split('\n').filter((line) => line.trim() !== '') ?? []
    const imports = lines.filter((line) => line.startsWith('import '))
    expect(first?.info).toBe('ts')
    expect(imports.some((line) => line.includes(`from '${manifest.name}`))).toBe(true)
    expect(lines.length - imports.length).toBeLessThanOrEqual(12)
  })
})

describe('what the documents point at', () => {
  it.each(documents)('%s links to files and headings that exist', (document) => {
    const broken = relativeLinks(document).filter(({ text }) => {
      const [path = '', anchor] = text.split('#')
      const target = path === '' ? document : normalize(join(dirname(document), path))
      if (!existsSync(join(root, target))) return true
      return anchor !== undefined && !anchorsOf(target).includes(anchor)
    })
    expect(broken).toEqual([])
  })

  it.each(documents)('%s names paths of the repository that exist', (document) => {
    const places = /^(?:packages|apps|tooling|tests|docs|\.ci|\.changeset)(?:\/[\w.@-]+)*\/?$/
    const absent = inlineCode(document)
      .filter(({ text }) => places.test(text))
      .filter(({ text }) => !existsSync(join(root, text)))
    expect(absent).toEqual([])
  })

  it.each(documents)('%s names scripts that exist', (document) => {
    const named = [...inlineCode(document), ...shellLines(document)].flatMap(({ text }) =>
      scriptsIn(text),
    )
    expect(named.filter((script) => !scripts.includes(script))).toEqual([])
  })

  it('the README names every script there is', () => {
    const named = inlineCode('README.md').flatMap(({ text }) => scriptsIn(text))
    expect([...new Set(named)].sort()).toEqual([...scripts].sort())
  })
})

function shellLines(document: string): { text: string }[] {
  return codeBlocks(document)
    .filter(({ info }) => info === 'sh')
    .flatMap(({ code }) => code.split('\n').map((text) => ({ text })))
}

/** The script names in `npm test` and `npm run <name>`, wherever they stand in a line. */
function scriptsIn(text: string): string[] {
  return [...text.matchAll(/\bnpm (?:run (?:-s )?([\w:-]+)|(test)\b)/g)].map(
    ([, named, test]) => named ?? test ?? '',
  )
}

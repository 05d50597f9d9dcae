import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { run } from './support/run.ts'
import { filesBelow, isTest, readText, root, workspaces } from './support/workspace.ts'

const listed = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard'])
const files = listed.stdout
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(root, path)))
const text = files.filter((path) => path !== 'pnpm-lock.yaml')
const code = files.filter((path) => /\.(ts|mjs|js)$/.test(path))

/** Files allowed to be longer than their limit, each with its reason. */
const longFiles: Record<string, string> = {
  'tests/package-map.ts': 'It is one list, of every published name.',
}

/** Lines of one file. A table of cases may be longer than the mechanism it tests. */
const longest = { code: 400, tests: 600 }

const refused: { what: string; pattern: RegExp; within: string[] }[] = [
  {
    what: 'a path of one machine',
    pattern: /(?<![\w.])\/(?:home|Users|root|work|tmp|var)\/[\w.]|\b[A-Z]:\\\w/,
    within: text,
  },
  {
    what: 'the address of a registry',
    pattern: /registry\.[a-z]+\.|^registry\s*=|npm\.pkg\.|:\/\/[^\s/]*\/repository\//m,
    within: text,
  },
  {
    what: 'a mark for work left undone',
    pattern: /\b(?:TOD[O]|FIXM[E]|XX[X]|HAC[K])\b/,
    within: text,
  },
  {
    what: 'a test that is switched off or hides the others',
    pattern: /\b(?:it|test|describe)\.(?:only|skip|todo)\b/,
    within: code,
  },
  {
    what: 'a silenced type error without a reason',
    pattern: /@ts-(?:ignore|nocheck)|@ts-expect-error\s*$|biome-ignore [^:\n]*$/m,
    within: code,
  },
]

// Outside of a git checkout there is no list of what belongs to the repository.
describe.skipIf(listed.status !== 0)('the files of the repository', () => {
  it('are many', () => {
    expect(files).toContain('package.json')
    expect(code.length).toBeGreaterThan(20)
  })

  it.each(refused)('hold nowhere $what', ({ pattern, within }) => {
    const found = within.flatMap((path) =>
      readText(path)
        .split('\n')
        .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1} ${line}`] : [])),
    )
    expect(found).toEqual([])
  })

  it(`are at most ${longest.code} lines long, tests ${longest.tests}, unless a reason is given`, () => {
    const long = code
      .map((path) => ({ path, lines: readText(path).split('\n').length - 1 }))
      .filter(({ path, lines }) => lines > (isTest(path) ? longest.tests : longest.code))
      .map(({ path }) => path)
    expect(long).toEqual(Object.keys(longFiles))
  })

  it('are named for one mechanism each', () => {
    const vague = /^(?:utils?|helpers?|common|misc|shared|lib)$/
    const segments = (path: string) => path.split('/').map((part) => part.replace(/\..*$/, ''))
    expect(code.filter((path) => segments(path).some((part) => vague.test(part)))).toEqual([])
  })
})

describe('the changesets', () => {
  const entries = filesBelow('.changeset', '.md').filter((path) => !path.endsWith('README.md'))
  const announced = entries.map((path) => frontMatter(readText(path)))
  const published = workspaces('packages').map(({ manifest }) => manifest)
  const unreleased = published.filter(({ version }) => version === '0.0.0')

  it.each(unreleased)('announce the first release of $name', ({ name }) => {
    expect(announced.some((packages) => Object.hasOwn(packages, name))).toBe(true)
  })

  it.each(entries)('%s names published packages only and says what changed', (path) => {
    const names = published.map(({ name }) => name)
    const found = frontMatter(readText(path))
    expect(Object.keys(found).length).toBeGreaterThan(0)
    expect(Object.keys(found).filter((name) => !names.includes(name))).toEqual([])
    expect(Object.values(found).every((bump) => /^(major|minor|patch)$/.test(bump))).toBe(true)
    expect(readText(path).split('---\n').at(2)?.trim().length).toBeGreaterThan(20)
  })
})

/** The `"package": bump` lines between the two rules at the head of a changeset. */
function frontMatter(text: string): Record<string, string> {
  const head = text.split('---\n').at(1) ?? ''
  const lines = [...head.matchAll(/^["']([^"']+)["']:\s*(\w+)$/gm)]
  return Object.fromEntries(lines.map(([, name = '', bump = '']) => [name, bump]))
}

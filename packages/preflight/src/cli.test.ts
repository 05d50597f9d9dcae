import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const source = fileURLToPath(new URL('./cli.ts', import.meta.url))
const built = fileURLToPath(new URL('../dist/cli.js', import.meta.url))
const { version } = JSON.parse(
  readFileSync(fileURLToPath(new URL('../package.json', import.meta.url)), 'utf8'),
)

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'preflight-'))
  const inside = (name: string) => join(folder, name)
  writeFileSync(inside('self.yaml'), '- { label: A, action_tool: a, precondition: [a] }\n')
  writeFileSync(inside('state.json'), '{}')
  writeFileSync(inside('large.yaml'), new Uint8Array(16 * 1024 * 1024 + 1))
  writeFileSync(inside('bytes.yaml'), new Uint8Array([0x2d, 0x20, 0xff, 0xfe]))
  for (const path of ['skills/b', 'skills/a/deep', 'skills/node_modules/x', 'skills/.git']) {
    mkdirSync(inside(path), { recursive: true })
    const symfonic = 'metadata: { symfonic: { action_tool: a, precondition: [b] } }'
    writeFileSync(join(folder, path, 'SKILL.md'), `---\nname: ${path}\n${symfonic}\n---\n`)
  }
  writeFileSync(inside('skills/b/notes.md'), 'Not a skill file.\n')
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs the program in the folder, which lies outside of any that has node_modules. */
function run(program: string[], args: string[], options: { input?: string; env?: object } = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...program, ...args], {
    cwd: folder,
    encoding: 'utf8',
    input: options.input ?? '',
    env: { ...process.env, NO_COLOR: undefined, FORCE_COLOR: undefined, ...options.env },
  })
  return { status, stdout, stderr }
}

const fromSource = ['--conditions=@symfonic/source', source]

describe('the program preflight', () => {
  it('reports on files and ends with 1 when something is wrong, without colours for a pipe', () => {
    const { status, stdout, stderr } = run(fromSource, ['lint', 'self.yaml'])
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' })
    expect(stdout).toMatch(
      /^self\.yaml:1:46 error REQUIRES_ITSELF\n {2}Skill "A" requires `a` before/,
    )
  })

  it('reads the standard input and ends with 0 when all is well', () => {
    const input = '- { label: A, action_tool: a, precondition: [b] }'
    const { status, stdout } = run(fromSource, ['render', '-', '--state', 'state.json'], { input })
    expect({ status, first: stdout.split('\n')[0] }).toEqual({
      status: 0,
      first: '## ENFORCED PRE-FLIGHT RULES',
    })
  })

  it('sets off what it prints when a terminal is claimed', () => {
    const { stdout } = run(fromSource, ['lint', 'self.yaml'], { env: { FORCE_COLOR: '1' } })
    expect(stdout).toContain('\u001b[31merror')
  })

  it('finds the skill files in a folder in a fixed order, leaving out what is hidden or installed', () => {
    const { status, stdout } = run(fromSource, ['lint', 'skills', '--json'])
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      files: ['skills/a/deep/SKILL.md', 'skills/b/SKILL.md'],
      skills: 2,
      findings: [{ code: 'DUPLICATE_RULE' }],
    })
  })

  it.each<[string, string[], string]>([
    ['is not there', ['lint', 'gone.yaml'], 'preflight: gone.yaml cannot be read: ENOENT'],
    [
      'is not text',
      ['lint', 'bytes.yaml'],
      'preflight: bytes.yaml cannot be read: it is not a text in UTF-8.',
    ],
    [
      'is a folder in the place of the state',
      ['render', 'self.yaml', '--state', 'skills'],
      'The state skills cannot be read: EISDIR',
    ],
    [
      'is larger than anything that is read',
      ['lint', 'large.yaml'],
      'cannot be read: it is larger than 16777216 bytes.',
    ],
  ])('ends with 2 for a file that %s', (_, args, problem) => {
    const { status, stdout, stderr } = run(fromSource, args)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain(problem)
  })

  it('knows its version', () => {
    expect(run(fromSource, ['--version'])).toEqual({
      status: 0,
      stdout: `${version}\n`,
      stderr: '',
    })
  })
})

describe.skipIf(!existsSync(built))('the built program', () => {
  it('runs by itself, with nothing installed beside it', () => {
    const alone = join(folder, 'alone.mjs')
    copyFileSync(built, alone)
    const { status, stdout, stderr } = run([alone], ['lint', 'self.yaml', 'skills'])
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' })
    expect(stdout).toContain('self.yaml:1:46 error REQUIRES_ITSELF')
    expect(stdout).toContain('1 error and 1 warning in 3 skills of 3 files.')
  })

  it('says to the shell what runs it, and knows its version', () => {
    expect(readFileSync(built, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
    expect(run([built], ['--version']).stdout).toBe(`${version}\n`)
  })
})

describe('the notice of what is bundled', () => {
  it('carries the licence of the YAML library as it stands', () => {
    const licence = new URL('./LICENSE', import.meta.resolve('yaml/package.json'))
    const notice = new URL('../THIRD_PARTY_LICENSES.md', import.meta.url)
    const text = readFileSync(fileURLToPath(licence), 'utf8').trim()
    expect(text).toContain('Permission to use, copy, modify')
    expect(readFileSync(fileURLToPath(notice), 'utf8')).toContain(text)
  })
})

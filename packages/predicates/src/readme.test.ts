import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = new URL('../', import.meta.url)
const readme = readFileSync(new URL('README.md', root), 'utf8')
const programs = [...readme.matchAll(/^```ts\n(.*?)^```$/gmsu)].map(([, code = '']) => code)

describe('the programs in the README', () => {
  it('are there, the first one before any heading but the title', () => {
    expect(programs.length).toBeGreaterThanOrEqual(5)
    expect(readme.indexOf('```ts')).toBeLessThan(readme.indexOf('\n## '))
  })

  it.each(programs.map((code, index) => ({ number: index + 1, code })))(
    'run as they stand and assert what they say: program $number',
    ({ code }) => {
      expect(code).toContain('assert.')
      const { status, stderr } = spawnSync(
        process.execPath,
        ['--conditions=@symfonic/source', '--input-type=module-typescript', '--eval', code],
        { cwd: fileURLToPath(root), encoding: 'utf8' },
      )
      expect(status, stderr).toBe(0)
    },
  )
})

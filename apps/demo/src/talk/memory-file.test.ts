import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { chooseMemoryFile } from './memory-file.ts'

describe('the file that the desk remembers in', () => {
  it('is a temporary one that is gone afterwards, unless one is named', async () => {
    const file = chooseMemoryFile(undefined, false)
    await file.open().close()
    expect([file.isKept, existsSync(file.path)]).toEqual([false, true])
    file.remove()
    expect(existsSync(dirname(file.path))).toBe(false)
    expect(file.about).toContain('temporary')
  })

  it('is kept where it is named', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'desk-test-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = chooseMemoryFile(join(folder, 'a.db'), true)
    await file.open().close()
    file.remove()
    expect([file.isKept, existsSync(file.path)]).toEqual([true, true])
    expect(file.about).toContain('a.db, from run to run')
  })

  it('is in the folder of the demo for a chat, and said to be', () => {
    const file = chooseMemoryFile(undefined, true)
    expect(file.path).toMatch(/apps.demo..memory.desk\.db$/)
    expect(file.about).toContain('.memory')
  })
})

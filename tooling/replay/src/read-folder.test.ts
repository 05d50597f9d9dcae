import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readFolder, readLines } from './read-folder.ts'

const run = (id: string) => JSON.stringify({ id, messages: [{ role: 'user', content: 'hi' }] })
const verdict = JSON.stringify({ id: 'a', reward: 1, violations: [] })

describe('readLines', () => {
  it('takes a task for a recording of its right calls', () => {
    const task = { id: 't', initialState: {}, turns: [{ user: ['hi'], calls: [] }] }
    const { recordings } = readLines(`${JSON.stringify(task)}\n${run('a')}`, 'f')
    expect(recordings.map(({ id, domain }) => [id, domain])).toEqual([
      ['t', 'apis'],
      ['a', 'unknown'],
    ])
  })

  it('tells runs from verdicts and passes over empty lines', () => {
    const { recordings, verdicts } = readLines(`${run('a')}\n\n${verdict}\r\n${run('b')}\n`, 'f')
    expect(recordings.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(verdicts.map(({ id }) => id)).toEqual(['a'])
  })

  it.each([
    { what: 'is cut short', line: run('b').slice(0, -3), code: 'REPLAY_JSON_INVALID' },
    { what: 'is no JSON', line: 'NaN', code: 'REPLAY_JSON_INVALID' },
    { what: 'is a list', line: '[1, 2]', code: 'REPLAY_RECORD_INVALID' },
    { what: 'is null', line: 'null', code: 'REPLAY_RECORD_INVALID' },
    { what: 'is neither run nor verdict', line: '{"id":"b"}', code: 'REPLAY_RECORD_INVALID' },
    {
      what: 'is a verdict with a malformed violation',
      line: '{"id":"b","violations":[{"rule":1}]}',
      code: 'REPLAY_RECORD_INVALID',
    },
  ])('names file and line of a line that $what', ({ line, code }) => {
    const read = () => readLines(`${run('a')}\n\n${line}\n${run('c')}`, 'some/folder/runs.jsonl')
    expect(read).toThrow(
      expect.objectContaining({
        name: 'ReplayError',
        code,
        message: expect.stringContaining('runs.jsonl:3 '),
        details: expect.objectContaining({ file: 'runs.jsonl', line: 3 }),
      }),
    )
  })
})

describe('readFolder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'replay-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  it('reads every .jsonl by name, and nothing else', () => {
    writeFileSync(join(folder, 'b.jsonl'), run('second'))
    writeFileSync(join(folder, 'a.jsonl'), `${run('first')}\n`)
    writeFileSync(join(folder, 'verdicts.jsonl'), verdict)
    writeFileSync(join(folder, 'README.md'), 'no run')
    const read = readFolder(folder)
    expect(read?.recordings.map(({ id }) => id)).toEqual(['first', 'second'])
    expect(read?.verdicts).toHaveLength(1)
  })

  it('reads one file, whatever it is called', () => {
    const file = join(folder, 'README.md')
    writeFileSync(file, run('alone'))
    expect(readFolder(file)?.recordings.map(({ id }) => id)).toEqual(['alone'])
  })

  it('says that a folder is absent by giving nothing', () => {
    expect(readFolder(join(folder, 'elsewhere'))).toBeUndefined()
  })
})

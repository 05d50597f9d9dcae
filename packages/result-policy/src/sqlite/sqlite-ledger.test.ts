import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, it } from 'vitest'
import { describeLedger } from '../testing/describe-ledger.ts'
import { createSqliteLedger } from './sqlite-ledger.ts'

const folder = mkdtempSync(join(tmpdir(), 'symfonic-ledger-'))
afterAll(() => rmSync(folder, { recursive: true }))

const place = { scopeKey: 'tenant-a', thread: 'thread-1' }
const result = { id: 'r_1', toolCallId: 'c', toolName: 't', isError: false, text: 'whole' }

describeLedger('of SQLite', () => createSqliteLedger({ path: ':memory:' }), {
  runner: { describe, it },
})

describe('createSqliteLedger', () => {
  it('finds in a file what was recorded before it was closed', async () => {
    const path = join(folder, 'kept.db')
    const first = createSqliteLedger({ path })
    await first.record(place, [result])
    first.close()
    first.close()
    const second = createSqliteLedger({ path })
    expect(await second.fetch(place, 'r_1')).toEqual(result)
    expect(await second.count(place)).toBe(1)
    second.close()
    await expect(second.fetch(place, 'r_1')).rejects.toThrow()
  })

  it('sees what another connection to the file recorded', async () => {
    const path = join(folder, 'shared.db')
    const [one, other] = [createSqliteLedger({ path }), createSqliteLedger({ path })]
    await one.record(place, [result])
    expect(await other.fetch(place, 'r_1')).toEqual(result)
    await other.release(place)
    expect(await one.count(place)).toBe(0)
    one.close()
    other.close()
  })

  it('keeps names of places that no text column would take, and halves of characters', async () => {
    const ledger = createSqliteLedger({ path: ':memory:' })
    const odd = [
      { scopeKey: 'a\u0000b', thread: 't' },
      { scopeKey: 'a', thread: 't' },
      { scopeKey: '\ud800', thread: 't' },
      { scopeKey: '\udfff', thread: 't' },
      { scopeKey: 'x'.repeat(10_000), thread: 't' },
    ]
    for (const [index, each] of odd.entries()) {
      await ledger.record(each, [{ ...result, text: `\ud83d ${index} \u0000` }])
    }
    for (const [index, each] of odd.entries()) {
      expect((await ledger.fetch(each, 'r_1'))?.text).toBe(`\ud83d ${index} \u0000`)
    }
    ledger.close()
  })

  it('refuses what has no room and forgets nothing for it', async () => {
    const ledger = createSqliteLedger({
      path: ':memory:',
      maxResultsPerPlace: 2,
      maxCharsPerPlace: 10,
    })
    expect(
      await ledger.record(place, [
        result,
        { ...result, id: 'r_2', text: 'too long' },
        { ...result, id: 'r_3', text: 'fits' },
        { ...result, id: 'r_4', text: '' },
      ]),
    ).toEqual([
      { stored: true },
      { stored: false, reason: 'The conversation holds 5 of 10 characters.' },
      { stored: true },
      { stored: false, reason: 'The conversation holds 2 results.' },
    ])
    expect(await ledger.record(place, [result])).toEqual([{ stored: true }])
    expect(await ledger.record({ ...place, thread: 'other' }, [result])).toEqual([{ stored: true }])
    const long = { ...result, id: 'r'.repeat(501) }
    expect(await ledger.record({ ...place, thread: 'third' }, [long])).toEqual([
      { stored: false, reason: 'The id has more than 500 characters.' },
    ])
    await ledger.release(place)
    expect(await ledger.record(place, [result])).toEqual([{ stored: true }])
    ledger.close()
  })

  it('overwrites what it releases', async () => {
    const path = join(folder, 'wiped.db')
    const ledger = createSqliteLedger({ path })
    await ledger.record(place, [{ ...result, text: 'a secret of some length' }])
    await ledger.release(place)
    ledger.close()
    const { readFileSync } = await import('node:fs')
    expect(readFileSync(path).includes('a secret of some length')).toBe(false)
  })

  it('leaves a file alone that a newer version wrote', () => {
    const path = join(folder, 'newer.db')
    const database = new DatabaseSync(path)
    database.exec('PRAGMA user_version = 99')
    database.close()
    expect(() => createSqliteLedger({ path })).toThrow('version 99')
  })

  it.each([
    ['a path that is none', { path: '' }],
    ['a bound that is none', { path: ':memory:', maxResultsPerPlace: -1 }],
    ['a bound that is no number', { path: ':memory:', maxCharsPerPlace: Number.NaN }],
  ])('refuses %s', (_, options) => {
    expect(() => createSqliteLedger(options)).toThrow(
      expect.objectContaining({ code: 'RESULT_OPTION_INVALID' }),
    )
  })
})

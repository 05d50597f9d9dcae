import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, it } from 'vitest'
import { createSqliteStore } from '../sqlite.ts'
import { here, idsOf, put, sample } from '../testing/sample.ts'
import { termsVersion } from '../text/search-terms.ts'
import type { Database } from './database.ts'
import { migrations } from './migrations.ts'
import { openDatabase } from './open-database.ts'

const folder = mkdtempSync(join(tmpdir(), 'symfonic-memory-terms-'))
let files = 0
function freshPath(): string {
  files += 1
  return join(folder, `${files}.db`)
}
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const options = { busyTimeoutMs: 0 }

/** Changes a file as an earlier package left it. */
function inFile(path: string, work: (database: Database) => void): void {
  const database = openDatabase(path, options)
  work(database)
  database.close()
}

/** Adds terms to an entry, as an earlier `searchTerms` may have. */
function spell(database: Database, number: number, terms: string): void {
  const sql = "INSERT INTO memory_text (rowid, content, context) VALUES (?, ?, '')"
  database.run("INSERT INTO memory_text (memory_text) VALUES ('delete-all')")
  database.run(sql, number, terms)
}

async function find(path: string, text: string): Promise<string[]> {
  const store = createSqliteStore(path)
  const found = idsOf(await store.search(here, text, { limit: 5 }))
  await store.close()
  return found
}

describe('the text index of SQLite', () => {
  it('is made anew when it is opened with later terms, for all partitions and any number of entries', async () => {
    const path = freshPath()
    const store = createSqliteStore(path)
    const many = Array.from({ length: 1_203 }, (_, at) =>
      sample(`e${at}`, { content: `word${at} sings`, context: 'quietly' }),
    )
    await put(store, here, many.slice(0, 1_000))
    await put(store, here, many.slice(1_000))
    await put(store, { tenantId: 'other' }, [sample('theirs', { content: 'a walnut' })])
    await store.close()
    inFile(path, (database) => {
      spell(database, 7, '1xold 2xold')
      database.run('UPDATE memory_text_version SET terms = ?', termsVersion - 1)
    })
    expect(await find(path, 'old')).toEqual([])
    for (const at of [0, 499, 500, 1_202]) expect(await find(path, `word${at}`)).toEqual([`e${at}`])
    expect(await find(path, 'quietly')).toHaveLength(5)
    const other = createSqliteStore(path)
    expect(idsOf(await other.search({ tenantId: 'other' }, 'walnuts', { limit: 5 }))).toEqual([
      'theirs',
    ])
    await other.close()
  })

  it('is left alone while terms and letters are the same, and made anew with other letters', async () => {
    const path = freshPath()
    const store = createSqliteStore(path)
    await put(store, here, [sample('a', { content: 'a walnut' })])
    await store.close()
    inFile(path, (database) => spell(database, 1, '1xmark'))
    expect(await find(path, 'mark')).toEqual(['a'])
    inFile(path, (database) => database.run("UPDATE memory_text_version SET unicode = '15.1'"))
    expect([await find(path, 'mark'), await find(path, 'walnut')]).toEqual([[], ['a']])
  })

  it('is changed no more by a process that a later package has overtaken', async () => {
    const path = freshPath()
    const store = createSqliteStore(path)
    await put(store, here, [sample('a', { content: 'a walnut' })])
    openDatabase(path, { ...options, terms: termsVersion + 1 }).close()
    const failure = { code: 'MEMORY_STORE_FAILED' }
    await expect(put(store, here, [sample('b')])).rejects.toMatchObject(failure)
    await expect(store.remove(here, { ids: ['a'] })).rejects.toMatchObject(failure)
    expect(idsOf((await store.list(here)).entries)).toEqual(['a'])
    await store.close()
  })

  it('is changed no more by a process of other letters than it was made with', async () => {
    const path = freshPath()
    const store = createSqliteStore(path)
    await put(store, here, [sample('a', { content: 'a walnut' })])
    inFile(path, (database) => database.run("UPDATE memory_text_version SET unicode = '15.1'"))
    const failure = { code: 'MEMORY_STORE_FAILED' }
    await expect(put(store, here, [sample('b')])).rejects.toMatchObject(failure)
    expect(idsOf((await store.list(here)).entries)).toEqual(['a'])
    await store.close()
  })

  it('replaces that of a file of the first version', async () => {
    const path = freshPath()
    const first = new DatabaseSync(path)
    first.exec('CREATE TABLE memory_schema (version INTEGER NOT NULL)')
    for (const statement of migrations[0]?.statements ?? []) first.exec(statement)
    first.exec('INSERT INTO memory_schema (version) VALUES (1)')
    first.exec("INSERT INTO memory_partitions (key) VALUES ('t:acme/u:ann')")
    first.exec(`INSERT INTO memory_entries (partition, id, version, layer, content, importance, created_at,
      updated_at, occurred_at, recall_count, strength, source)
      VALUES (1, 'old', 3, 'semantic', 'She bought a cello', 5, 1, 2, 3, 0, 0.5, 'author')`)
    first.exec(
      "INSERT INTO memory_text (rowid, content, context) VALUES (1, '1xbought 1xdead', '')",
    )
    first.close()
    expect(await find(path, 'buys')).toEqual(['old'])
    expect(await find(path, 'dead')).toEqual([])
    const store = createSqliteStore(path)
    expect(await store.remove(here, { ids: ['old'] })).toBe(1)
    expect(await store.search(here, 'cello', { limit: 5 })).toEqual([])
    await store.close()
  })

  it('is not opened by a package with earlier terms', () => {
    const path = freshPath()
    openDatabase(path, { ...options, terms: termsVersion + 1 }).close()
    expect(() => createSqliteStore(path)).toThrow(
      expect.objectContaining({
        code: 'MEMORY_MIGRATION_FAILED',
        details: { version: termsVersion + 1 },
      }),
    )
  })
})

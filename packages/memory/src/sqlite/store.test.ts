import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, it } from 'vitest'
import { createSqliteStore } from '../sqlite.ts'
import { here, idsOf, put, sample } from '../testing/sample.ts'
import { describeMemoryStore } from '../testing.ts'
import { migrations } from './migrations.ts'
import { openDatabase } from './open-database.ts'

/** What was published, step by step. A change of one of these lines breaks files that exist. */
const published = ['43795f6fb7a17203', '4e00cec90027e13c']

const folder = mkdtempSync(join(tmpdir(), 'symfonic-memory-'))
let files = 0
function freshPath(): string {
  files += 1
  return join(folder, `${files}.db`)
}
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const runner = { describe, it }
describeMemoryStore('SQLite in memory', () => createSqliteStore(':memory:'), { runner })
describeMemoryStore(
  'SQLite without sqlite-vec',
  () => createSqliteStore(':memory:', { vectorExtension: 'never' }),
  { runner },
)
describeMemoryStore('SQLite in a file', () => createSqliteStore(freshPath()), { runner })

describe('createSqliteStore', () => {
  it('finds everything again in the file', async () => {
    const path = freshPath()
    const first = createSqliteStore(path)
    await put(first, here, [sample('a', { content: 'a walnut', embedding: [1, 0] })])
    await first.close()
    const second = createSqliteStore(path)
    expect(idsOf(await second.search(here, 'walnuts', { limit: 5 }))).toEqual(['a'])
    expect(second.capabilities.isDurable).toBe(true)
    await second.close()
  })

  it('lets two connections write to one file, each seeing the other', async () => {
    const path = freshPath()
    const stores = [createSqliteStore(path), createSqliteStore(path)] as const
    await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        put(stores[index % 2 === 0 ? 0 : 1], here, [sample(`e${index}`)]),
      ),
    )
    for (const store of stores) {
      expect((await store.list(here, { limit: 1_000 })).entries).toHaveLength(100)
      await store.close()
    }
  })

  it('leaves nothing of a removed entry in any of its files', async () => {
    const path = freshPath()
    const store = createSqliteStore(path)
    const secret = 'xylophonist'
    await put(store, here, [
      ...Array.from({ length: 50 }, (_, index) => sample(`n${index}`)),
      sample('s', { content: `the ${secret}`, context: secret, subject: secret }),
    ])
    await store.remove(here, { subject: secret })
    const bytes = readdirSync(folder)
      .filter((name) => join(folder, name).startsWith(path))
      .map((name) => readFileSync(join(folder, name)).toString('latin1'))
    expect(bytes.length).toBeGreaterThan(0)
    expect(bytes.join('').includes('what n49 says')).toBe(true)
    expect(bytes.join('').includes(secret)).toBe(false)
    expect(bytes.join('').includes(secret.slice(0, 8))).toBe(false)
    await store.close()
  })

  it('rejects what the database refuses, with the cause', async () => {
    const path = freshPath()
    const store = createSqliteStore(path, { busyTimeoutMs: 0 })
    const other = new DatabaseSync(path)
    other.exec('BEGIN IMMEDIATE')
    await expect(put(store, here, [sample('a')])).rejects.toMatchObject({
      code: 'MEMORY_STORE_FAILED',
      cause: expect.objectContaining({ code: 'ERR_SQLITE_ERROR' }),
    })
    other.exec('ROLLBACK')
    other.close()
    await put(store, here, [sample('a')])
    await store.close()
    expect(() => createSqliteStore(join(folder, 'missing', 'x.db'))).toThrow(
      expect.objectContaining({ code: 'MEMORY_STORE_FAILED' }),
    )
  })

  it.each([
    ['path', () => createSqliteStore('')],
    ['vectorExtension', () => createSqliteStore(':memory:', { vectorExtension: 'x' as 'never' })],
    ['busyTimeoutMs', () => createSqliteStore(':memory:', { busyTimeoutMs: -1 })],
  ])('refuses a malformed %s', (option, create) => {
    expect(create).toThrow(
      expect.objectContaining({ code: 'MEMORY_OPTION_INVALID', details: { option } }),
    )
  })
})

describe('openDatabase', () => {
  it('loads sqlite-vec where it is installed, and only when told to', () => {
    const options = { busyTimeoutMs: 0 }
    const plain = openDatabase(':memory:', options)
    const loaded = openDatabase(':memory:', { ...options, loadsVectorExtension: true })
    expect([plain.hasVectorExtension, loaded.hasVectorExtension]).toEqual([false, true])
    // What was loaded is the last thing that can be.
    for (const each of [plain, loaded]) {
      expect(() => each.get("SELECT load_extension('x')")).toThrow(/not authorized|MEMORY|refused/)
      each.close()
    }
  })

  it.each(migrations)('brings schema $version to the newest', async ({ version }) => {
    const path = freshPath()
    const steps = migrations.slice(0, version)
    openDatabase(path, { busyTimeoutMs: 0, steps }).close()
    const store = createSqliteStore(path)
    await put(store, here, [sample('a')])
    expect(idsOf((await store.list(here)).entries)).toEqual(['a'])
    await store.close()
  })

  it('never edits a step that was published', () => {
    const hashes = migrations.map(({ statements }) =>
      createHash('sha256').update(JSON.stringify(statements)).digest('hex').slice(0, 16),
    )
    expect(hashes).toEqual(published)
  })

  it('numbers its steps from 1 without gaps', () => {
    expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, at) => at + 1))
  })

  it('refuses a schema of a newer package and leaves it as it is', () => {
    const path = freshPath()
    const version = migrations.length + 1
    const newer = [...migrations, { version, statements: ['CREATE TABLE later (x)'] }]
    openDatabase(path, { busyTimeoutMs: 0, steps: newer }).close()
    expect(() => createSqliteStore(path)).toThrow(
      expect.objectContaining({ code: 'MEMORY_MIGRATION_FAILED', details: { version } }),
    )
  })

  it('undoes a step that fails, and says which', () => {
    const path = freshPath()
    const version = migrations.length + 1
    const failing = { version, statements: ['CREATE TABLE later (x)', 'CREATE TABLE later (x)'] }
    expect(() => openDatabase(path, { busyTimeoutMs: 0, steps: [...migrations, failing] })).toThrow(
      expect.objectContaining({ code: 'MEMORY_MIGRATION_FAILED', details: { version } }),
    )
    const tables = new DatabaseSync(path).prepare(
      "SELECT name FROM sqlite_schema WHERE name = 'later'",
    )
    expect(tables.all()).toEqual([])
  })
})

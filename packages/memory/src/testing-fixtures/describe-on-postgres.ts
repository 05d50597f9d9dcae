import { afterAll, beforeAll, describe } from 'vitest'
import { openPGlite, openServer, serverUrl, type TestDatabase } from './postgres-databases.ts'

const databases = [
  { name: 'PGlite', isThere: true, open: openPGlite },
  { name: 'a PostgreSQL server', isThere: serverUrl !== undefined, open: openServer },
]

/**
 * Describes what holds on PGlite, and on the real server where there is one; elsewhere that is skipped.
 *
 * @param tests - Gets a database that is open while its tests and hooks run, and what it is called.
 */
export function describeOnPostgres(
  what: string,
  tests: (database: Omit<TestDatabase, 'close'>, name: string) => void,
): void {
  for (const { name, isThere, open } of databases) {
    describe.skipIf(!isThere)(`${what} on ${name}`, () => {
      let opened: TestDatabase | undefined
      const there = () => {
        if (opened === undefined) throw new Error('The database is open in tests and hooks only.')
        return opened
      }
      beforeAll(async () => {
        opened = await open()
      })
      afterAll(() => opened?.close())
      tests(
        {
          get pool() {
            return there().pool
          },
          newSchema: () => there().newSchema(),
        },
        name,
      )
    })
  }
}

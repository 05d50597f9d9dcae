import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { quietSqlite } from './quiet-sqlite.ts'

it('only the warning about SQLite is not printed', () => {
  const process = new EventEmitter()
  const printed: string[] = []
  process.on('warning', ({ message }: Error) => printed.push(message))
  quietSqlite(process)
  const warn = (name: string, message: string) =>
    process.emit('warning', Object.assign(new Error(message), { name }))
  warn('ExperimentalWarning', 'SQLite is an experimental feature and might change at any time')
  warn('ExperimentalWarning', 'Something else is')
  warn('DeprecationWarning', 'SQLite is old')
  expect(printed).toEqual(['Something else is', 'SQLite is old'])
})

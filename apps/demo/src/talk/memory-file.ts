import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import type { MemoryStore } from '@symfonic/memory'
import { createSqliteStore } from '@symfonic/memory/sqlite'

/** The file that the desk remembers in. */
export interface MemoryFile {
  readonly path: string
  /** Does it outlive this run? */
  readonly isKept: boolean
  /** Where it is, for whoever runs the demo. */
  readonly about: string
  /** @throws MemoryError - when it cannot be opened. */
  open(): MemoryStore
  /** Removes it, unless it is to be kept. Its stores are closed by then. */
  remove(): void
}

/** Where a chat remembers unless it is told another file: in the demo's own folder, ignored by git. */
const chatFile = fileURLToPath(new URL('../../.memory/desk.db', import.meta.url))

/**
 * Chooses the file: the one that is named; for a chat one in the demo's own folder; else a temporary
 * one, so that a written conversation runs the same way every time.
 *
 * @param named - By the option or the environment; undefined for none.
 */
export function chooseMemoryFile(named: string | undefined, isChat: boolean): MemoryFile {
  if (named !== undefined || isChat) {
    const path = named === undefined ? chatFile : resolve(named)
    const open = () => {
      // A folder that somebody names and that is not there is more likely a slip.
      if (named === undefined) mkdirSync(dirname(path), { recursive: true })
      return createSqliteStore(path)
    }
    const about = `remembers in ${relative(process.cwd(), path)}, from run to run (--memory <file>: in another)`
    return { path, isKept: true, about, open, remove: () => {} }
  }
  const folder = mkdtempSync(join(tmpdir(), 'symfonic-desk-'))
  const path = join(folder, 'desk.db')
  const remove = () => {
    process.off('exit', remove)
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', remove)
  return {
    path,
    isKept: false,
    about: 'remembers in a temporary file, gone with this run (--memory <file> keeps one)',
    open: () => createSqliteStore(path),
    remove,
  }
}

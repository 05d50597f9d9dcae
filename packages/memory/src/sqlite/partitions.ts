import type { Database } from './database.ts'

/** The numbers that stand for partition keys in the tables. */
export interface Partitions {
  /** The number of a key, -1 where nothing was ever written. */
  find(key: string): number
  /** The number of a key, which it gets now if it had none. Within a transaction. */
  numberFor(key: string): number
  /** Keeps the number of entries, of which so many came, or went where it is negative. Within a transaction. */
  grow(number: number, by: number): void
  /** Takes a key out when nothing is left of it. Within a transaction. */
  forgetIfEmpty(key: string): void
}

/** Reads and writes partition numbers. Nothing is cached: another process may have removed one. */
export function createPartitions(database: Database): Partitions {
  const find = (key: string): number => {
    const row = database.get('SELECT number FROM memory_partitions WHERE key = ?', key)
    return row === undefined ? -1 : Number(row['number'])
  }
  return {
    find,
    numberFor(key) {
      const known = find(key)
      if (known >= 0) return known
      database.run('INSERT INTO memory_partitions (key) VALUES (?)', key)
      return find(key)
    },
    grow(number, by) {
      if (by === 0) return
      database.run(
        'UPDATE memory_partitions SET entries = entries + ? WHERE number = ?',
        by,
        number,
      )
    },
    forgetIfEmpty(key) {
      database.run(
        `DELETE FROM memory_partitions WHERE key = ?
         AND NOT EXISTS (SELECT 1 FROM memory_entries WHERE partition = memory_partitions.number)
         AND NOT EXISTS (SELECT 1 FROM memory_jobs WHERE partition = memory_partitions.number)`,
        key,
      )
    },
  }
}

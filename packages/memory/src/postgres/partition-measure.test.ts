import { describe, expect, it } from 'vitest'
import { describeOnPostgres } from '../testing-fixtures/describe-on-postgres.ts'
import { createPartitionMeasures } from './partition-measure.ts'
import { createPostgresStore } from './postgres-store.ts'

describeOnPostgres('createPartitionMeasures', (database) => {
  /** An empty table, and how it is filled: each entry has `all`, every fourth `some`, every fiftieth `few`. */
  const openTable = async () => {
    const schema = database.newSchema()
    await createPostgresStore({ pool: database.pool, schema })
    const fill = (partition: string, { from = 1, to = 0, prefix = '', length = 1 }) =>
      database.pool.query(
        `INSERT INTO ${schema}.entries (partition, id, version, layer, content, importance,
            created_at, updated_at, occurred_at, recall_count, strength, source, place_index,
            terms, terms_length)
          SELECT $1, 'e' || index, 1, 'semantic', '', 5, 0, 0, 0, 0, 1, 'turn', 0, array_to_tsvector(
            CASE WHEN index % 50 = 0 THEN ARRAY[$4 || 'all', $4 || 'some', $4 || 'few']
              WHEN index % 4 = 0 THEN ARRAY[$4 || 'all', $4 || 'some'] ELSE ARRAY[$4 || 'all'] END),
            $5::integer + index % 3
          FROM generate_series($2::integer, $3::integer) AS index`,
        [partition, from, to, prefix, length],
      )
    return { fill, measures: createPartitionMeasures(database.pool, `${schema}.entries`) }
  }

  it('knows the common terms of a large partition', async () => {
    const { fill, measures } = await openTable()
    await fill('large', { to: 12_000 })
    const { entries, averageLength, common } = await measures.of('large')
    expect(entries).toBe(12_000)
    expect(averageLength).toBeCloseTo(2, 1)
    expect([...common.keys()]).toEqual(['all', 'some'])
    expect(common.get('all')).toBe(1)
    expect(common.get('some')).toBeCloseTo(0.26, 1)
  })

  it('takes nothing of a neighbour into a measure, though its entries have the same ids', async () => {
    const { fill, measures } = await openTable()
    await fill('large', { to: 12_000 })
    await fill('another', { to: 20_000, prefix: 'un', length: 50 })
    await fill('middling', { to: 3_000, length: 9 })
    const large = await measures.of('large')
    expect([large.entries, large.averageLength.toFixed(1)]).toEqual([12_000, '2.0'])
    expect([...large.common.keys()]).toEqual(['all', 'some'])
    expect(large.common.get('all')).toBe(1)
    const middling = await measures.of('middling')
    expect(middling).toEqual({ entries: 3_000, averageLength: 10, common: new Map() })
  })

  it('takes an empty partition for one whose entries are of length 1', async () => {
    const { measures } = await openTable()
    const none = { entries: 0, averageLength: 1, common: new Map() }
    expect(await measures.of('none')).toEqual(none)
  })

  it('sees each entry that comes to a small partition, whoever wrote it', async () => {
    const { fill, measures } = await openTable()
    for (const [from, to] of [
      [1, 0],
      [1, 1],
      [2, 3],
      [4, 300],
      [301, 9_000],
    ] as const) {
      await fill('growing', { from, to })
      expect((await measures.of('growing')).entries).toBe(to)
    }
  })
})

describe('createPartitionMeasures', () => {
  /** A table of which only the sizes of partitions are known, and a clock. Each statement waits for `opened`. */
  const openSizes = (sizes: Record<string, number>) => {
    let time = 0
    let begun = 0
    let opened: Promise<unknown> = Promise.resolve()
    let fault: Error | undefined
    const query = async (text: string, [partition]: unknown[] = []) => {
      const size = sizes[String(partition)] ?? 0
      const isFirst = text.includes('LIMIT $2')
      if (isFirst) begun += 1
      await opened
      if (fault !== undefined) throw fault
      return {
        rows: [{ entries: isFirst ? Math.min(size, 10_000) : size, length: 2, lexeme: null }],
      }
    }
    const measures = createPartitionMeasures({ query }, 'entries', () => time)
    return {
      sizes,
      changed: measures.changed,
      sizeOf: async (partition: string) => (await measures.of(partition)).entries,
      pass: (seconds: number) => {
        time += seconds * 1_000
      },
      /** Holds all statements from now on until what it returns is called. */
      hold: () => {
        let release = () => {}
        opened = new Promise<void>((resolve) => {
          release = resolve
        })
        return () => release()
      },
      failWith: (error: Error | undefined) => {
        fault = error
      },
      begun: () => begun,
    }
  }

  /** Until everything that can go on has done so. */
  const settle = () => new Promise((resolve) => setTimeout(resolve, 0))

  it('measures again when a tenth of the entries have changed, and not before', async () => {
    const table = openSizes({ a: 2_000 })
    expect(await table.sizeOf('a')).toBe(2_000)
    table.sizes['a'] = 2_200
    table.changed('a', 200)
    expect(await table.sizeOf('a')).toBe(2_000)
    expect(table.begun()).toBe(1)
    table.changed('a', 1)
    expect(await table.sizeOf('a')).toBe(2_200)
    expect(await table.sizeOf('a')).toBe(2_200)
    expect(table.begun()).toBe(2)
  })

  it('measures again when others had the time to write a tenth of the entries', async () => {
    const table = openSizes({ a: 2_000 })
    expect(await table.sizeOf('a')).toBe(2_000)
    table.sizes['a'] = 9_000
    table.pass(200)
    expect(await table.sizeOf('a')).toBe(2_000)
    table.pass(1)
    expect(await table.sizeOf('a')).toBe(9_000)
  })

  it('answers for a large partition with the old measure while the new one is taken', async () => {
    const table = openSizes({ a: 20_000 })
    expect(await table.sizeOf('a')).toBe(20_000)
    table.sizes['a'] = 25_000
    table.changed('a', 5_000)
    const release = table.hold()
    for (let search = 0; search < 30; search += 1) expect(await table.sizeOf('a')).toBe(20_000)
    expect(table.begun()).toBe(2)
    release()
    await settle()
    expect(await table.sizeOf('a')).toBe(25_000)
  })

  it('forgets the old measure of a partition that others have made small', async () => {
    const table = openSizes({ a: 20_000 })
    expect(await table.sizeOf('a')).toBe(20_000)
    table.sizes['a'] = 3
    table.pass(3_000)
    expect(await table.sizeOf('a')).toBe(20_000)
    await settle()
    expect(await table.sizeOf('a')).toBe(3)
  })

  it('waits for the new measure where more than half of the old one is in doubt', async () => {
    const table = openSizes({ a: 20_000 })
    expect(await table.sizeOf('a')).toBe(20_000)
    table.sizes['a'] = 31_000
    table.changed('a', 11_000)
    expect(await table.sizeOf('a')).toBe(31_000)
  })

  it('measures once for all who ask at one time', async () => {
    const table = openSizes({ a: 400_000 })
    const release = table.hold()
    const asked = Array.from({ length: 30 }, () => table.sizeOf('a'))
    await settle()
    release()
    expect(new Set(await Promise.all(asked))).toEqual(new Set([400_000]))
    expect(table.begun()).toBe(1)
  })

  it('does not take a measure for new that began before much was written', async () => {
    const table = openSizes({ a: 0 })
    const release = table.hold()
    const before = table.sizeOf('a')
    table.sizes['a'] = 315
    table.changed('a', 315)
    const after = table.sizeOf('a')
    release()
    expect(await after).toBe(315)
    expect(await before).toBe(315)
    expect(table.begun()).toBe(2)
  })

  it('forgets the measure that is oldest when it remembers a thousand', async () => {
    const table = openSizes({})
    const names = Array.from({ length: 1_001 }, (_, index) => `p${index}`)
    for (const name of names) {
      table.sizes[name] = 600
      await table.sizeOf(name)
    }
    const begun = table.begun()
    await table.sizeOf('p1000')
    await table.sizeOf('p1')
    expect(table.begun()).toBe(begun)
    await table.sizeOf('p0')
    expect(table.begun()).toBe(begun + 1)
  })

  it('rejects with what the database throws, and tries again for the next', async () => {
    const table = openSizes({ a: 20_000 })
    const fault = new Error('no route to host')
    table.failWith(fault)
    await expect(table.sizeOf('a')).rejects.toBe(fault)
    table.failWith(undefined)
    expect(await table.sizeOf('a')).toBe(20_000)
    // In the background it costs nobody anything, until the old measure is of no use.
    table.failWith(fault)
    table.changed('a', 5_000)
    expect(await table.sizeOf('a')).toBe(20_000)
    await settle()
    table.changed('a', 6_000)
    await expect(table.sizeOf('a')).rejects.toBe(fault)
  })
})

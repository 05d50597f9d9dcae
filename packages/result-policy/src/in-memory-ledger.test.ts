import { describe, expect, it } from 'vitest'
import { createInMemoryLedger } from './in-memory-ledger.ts'
import { placeholderId, type RecordedResult, resultId } from './ledger.ts'
import { describeLedger } from './testing/describe-ledger.ts'

describeLedger('in memory', () => createInMemoryLedger(), { runner: { describe, it } })

const place = { scopeKey: 'a', thread: 't' }
const entry = (id: string, text = 'x'): RecordedResult => ({
  id,
  toolCallId: 'c',
  toolName: 'get',
  isError: false,
  text,
})

describe('a ledger in memory that is full', () => {
  it('refuses more results and keeps what it has', async () => {
    const ledger = createInMemoryLedger({ maxResults: 1 })
    expect(await ledger.record(place, [entry('r_1'), entry('r_2')])).toEqual([
      { stored: true },
      { stored: false, reason: 'It holds 1 results.' },
    ])
    expect(await ledger.record(place, [entry('r_1')])).toEqual([{ stored: true }])
    expect(await ledger.fetch(place, 'r_1')).toEqual(entry('r_1'))
    expect(await ledger.count(place)).toBe(1)
  })

  it('refuses more characters, over all places', async () => {
    const ledger = createInMemoryLedger({ maxTotalChars: 10 })
    await ledger.record(place, [entry('r_1', 'x'.repeat(8))])
    const other = { ...place, scopeKey: 'b' }
    expect(await ledger.record(other, [entry('r_1', 'x'.repeat(3))])).toEqual([
      { stored: false, reason: 'It holds 8 of 10 characters.' },
    ])
    expect(await ledger.count(other)).toBe(0)
  })

  it('has room again when a place is released', async () => {
    const ledger = createInMemoryLedger({ maxResults: 1, maxTotalChars: 5 })
    await ledger.record(place, [entry('r_1', 'xxxxx')])
    await ledger.release(place)
    expect(await ledger.record(place, [entry('r_2', 'yyyyy')])).toEqual([{ stored: true }])
  })

  it.each([{ maxResults: -1 }, { maxTotalChars: Number.NaN }, { maxResults: '5' }])(
    'cannot be made with %j',
    (bounds) => {
      const wanted = { code: 'RESULT_OPTION_INVALID' }
      expect(() => createInMemoryLedger(bounds as never)).toThrow(expect.objectContaining(wanted))
    },
  )
})

describe('the id of a result', () => {
  const about = { toolCallId: 'c', toolName: 'get', isError: false, text: 'whole text' }

  it('is as long as its placeholder, and the same each time', async () => {
    const id = await resultId(place, about)
    expect(id).toMatch(/^r_[0-9a-f]{22}$/)
    expect(id).toHaveLength(placeholderId.length)
    expect(await resultId({ ...place }, { ...about })).toBe(id)
  })

  it.each([
    [{ scopeKey: 'b', thread: 't' }, about],
    [{ scopeKey: 'a', thread: 'u' }, about],
    [place, { ...about, toolCallId: 'd' }],
    [place, { ...about, toolName: 'set' }],
    [place, { ...about, isError: true }],
    [place, { ...about, text: 'whole texT' }],
  ])('differs where anything differs, case %#', async (elsewhere, other) => {
    expect(await resultId(elsewhere, other)).not.toBe(await resultId(place, about))
  })
})

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
  const other = { ...place, scopeKey: 'b' }
  const eightChars = [entry('r_1', 'x'.repeat(8))]

  it.each([
    [{ maxResultsPerPlace: 1 }, entry('r_2', ''), 'The conversation holds 1 results.'],
    [{ maxCharsPerPlace: 10 }, entry('r_2', 'xxx'), 'The conversation holds 8 of 10 characters.'],
    [
      { maxTotalChars: 10 },
      entry('r_2', 'xxx'),
      'All conversations together hold 8 of 10 characters.',
    ],
  ])(
    'refuses more than %j, keeps what it has, and has room after a release',
    async (bounds, more, reason) => {
      const ledger = createInMemoryLedger(bounds)
      await ledger.record(place, eightChars)
      expect(await ledger.record(place, [more])).toEqual([{ stored: false, reason }])
      expect(await ledger.record(place, eightChars)).toEqual([{ stored: true }])
      expect(await ledger.fetch(place, 'r_1')).toEqual(eightChars[0])
      expect(await ledger.count(place)).toBe(1)
      await ledger.release(place)
      expect(await ledger.record(place, [more])).toEqual([{ stored: true }])
    },
  )

  it('takes what just fits', async () => {
    const ledger = createInMemoryLedger({
      ...{ maxResultsPerPlace: 2, maxCharsPerPlace: 10, maxTotalChars: 10 },
    })
    const results = [...eightChars, entry('r_2', 'xx')]
    expect(await ledger.record(place, results)).toEqual([{ stored: true }, { stored: true }])
  })

  it.each([
    [{ maxResultsPerPlace: 1 }, true],
    [{ maxCharsPerPlace: 10 }, true],
    [{ maxTotalChars: 10 }, false],
  ])('with %j has room for another place: %s', async (bounds, stored) => {
    const ledger = createInMemoryLedger(bounds)
    await ledger.record(place, eightChars)
    expect(await ledger.record(other, eightChars)).toMatchObject([{ stored }])
  })

  it('has no more room for the release of a place that holds nothing', async () => {
    const ledger = createInMemoryLedger({ maxTotalChars: 10 })
    await ledger.record(place, eightChars)
    await ledger.release(other)
    expect(await ledger.record(other, eightChars)).toMatchObject([{ stored: false }])
  })

  it.each([{ maxResultsPerPlace: -1 }, { maxCharsPerPlace: '5' }, { maxTotalChars: Number.NaN }])(
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

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createInMemoryLedger } from './in-memory-ledger.ts'
import { describeRecall, recallResult } from './recall.ts'

const place = { scopeKey: 'a', thread: 't' }
const rows = Array.from({ length: 500 }, (_, index) => ({ id: index, name: `Row ${index}` }))
const json = JSON.stringify({ rows, 'a/b': { '~x': 1 }, '': 'empty', nothing: null })

async function recall(text: string, request: object, maxChars = 1000) {
  const ledger = createInMemoryLedger()
  await ledger.record(place, [
    { id: 'r_1', toolCallId: 'c', toolName: 'get', isError: false, text },
  ])
  return recallResult(ledger, { id: 'r_1', ...request }, { place, maxChars })
}

describe('a recall', () => {
  it('gives a short result whole', async () => {
    const answer = await recall('whole', {})
    expect(answer).toEqual({ kind: 'text', text: 'whole', offsetChars: 0, totalChars: 5 })
    expect(describeRecall(answer)).toBe('whole')
  })

  it('gives a long one in slices that add up to every byte of it', async () => {
    const text = fc.string({ unit: 'grapheme', minLength: 0, maxLength: 400 })
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 2, max: 50 }), async (whole, maxChars) => {
        let [read, offsetChars, rounds] = ['', 0 as number | undefined, 0]
        while (offsetChars !== undefined && rounds <= whole.length + 1) {
          const answer = await recall(whole, { offsetChars }, maxChars)
          if (answer.kind !== 'text') throw new Error(answer.kind)
          read += answer.text
          offsetChars = answer.nextOffsetChars
          rounds += 1
        }
        expect(read).toBe(whole)
      }),
    )
  })

  it('says where to go on', async () => {
    const answer = await recall('x'.repeat(2500), { offsetChars: 1000 })
    expect(answer).toMatchObject({ offsetChars: 1000, totalChars: 2500, nextOffsetChars: 2000 })
    expect(describeRecall(answer)).toMatch(
      /^Characters 1000 to 2000 of 2500\. Go on with offsetChars 2000\.\nx+$/,
    )
  })

  it('gives nothing more behind the end', async () => {
    expect(await recall('abc', { offsetChars: 99 })).toMatchObject({ text: '', offsetChars: 3 })
  })

  it.each([
    ['/rows/3', '{"id":3,"name":"Row 3"}'],
    ['/rows/3/name', '"Row 3"'],
    ['/a~1b/~0x', '1'],
    ['/', '"empty"'],
    ['/nothing', 'null'],
  ])('follows the pointer %s', async (pointer, text) => {
    expect(await recall(json, { pointer })).toMatchObject({ kind: 'text', text })
  })

  it.each([
    ['/rows/03', 'It is a list of 500: use 0 to 499.'],
    ['/rows/-', 'It is a list of 500: use 0 to 499.'],
    ['/rows/500', 'There is no "500".'],
    ['/rows/length', 'There is no "length".'],
    ['/constructor', 'Keys are "rows", "a/b", "", "nothing".'],
    ['/__proto__', 'There is no "__proto__".'],
    ['/rows/3/name/0', 'What comes before it is no object or list.'],
  ])('says what there is instead of %s', async (pointer, message) => {
    const answer = await recall(json, { pointer })
    expect(answer).toMatchObject({ kind: 'nothing', reason: 'no-such-value' })
    expect(describeRecall(answer)).toContain(message)
  })

  it('says that a text has no pointers', async () => {
    expect(await recall('no json', { pointer: '/a' })).toMatchObject({ reason: 'not-json' })
  })

  it('says so when a value is nested too deeply to be written', async () => {
    const deep = `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`
    const answer = await recall(deep, { pointer: '/a' })
    expect(['text', 'nothing']).toContain(answer.kind)
  })

  it('finds a text whatever its case, with what stands around it', async () => {
    const text = `${'a'.repeat(3000)}Needle one${'b'.repeat(3000)}NEEDLE two${'c'.repeat(300)}`
    const answer = await recall(text, { search: 'needle' })
    if (answer.kind !== 'matches') throw new Error(answer.kind)
    expect(answer.matches.map(({ offsetChars }) => offsetChars)).toEqual([3000, 6010])
    expect(answer.matches[0]?.text).toContain('Needle one')
    expect(answer).not.toHaveProperty('nextOffsetChars')
    expect(describeRecall(answer)).toMatch(/^2 places in 6320 characters\.\nat 3000: a+Needle one/)
  })

  it('keeps a search within the bound, and says where to go on', async () => {
    const answer = await recall('needle '.repeat(5000), { search: 'needle' }, 600)
    if (answer.kind !== 'matches') throw new Error(answer.kind)
    const length = answer.matches.reduce((sum, { text }) => sum + text.length, 0)
    expect(length).toBeLessThanOrEqual(600)
    expect(answer.nextOffsetChars).toBeGreaterThan(0)
  })

  it('searches within the value of a pointer', async () => {
    const answer = await recall(json, { pointer: '/rows/7', search: 'row 8' })
    expect(answer).toMatchObject({ kind: 'matches', matches: [] })
  })

  it('finds letters that change their length with their case', async () => {
    expect(await recall('İİİ İstanbul', { search: 'İstanbul' })).toMatchObject({
      matches: [{ offsetChars: 4 }],
    })
  })

  it.each([
    [{ id: undefined }],
    [{ id: 3 }],
    [{ pointer: 3 }],
    [{ pointer: 'rows' }],
    [{ search: {} }],
    [{ search: 'x'.repeat(201) }],
    [{ offsetChars: -1 }],
    [{ offsetChars: 1.5 }],
    [{ offsetChars: '0' }],
  ])('says what is wrong with %j', async (request) => {
    const answer = await recall('text', request)
    expect(answer).toMatchObject({ kind: 'nothing', reason: 'bad-request' })
    expect(describeRecall(answer)).toMatch(/\.$/)
  })

  it.each([undefined, null, 'r_1', [], 7])('takes %j for no request', async (request) => {
    const answer = await recallResult(createInMemoryLedger(), request, { place })
    expect(answer).toMatchObject({ reason: 'bad-request' })
  })

  it('takes what a model left empty for nothing', async () => {
    const request = { pointer: '', search: '', offsetChars: null }
    expect(await recall('whole', request)).toMatchObject({ text: 'whole' })
  })

  it('says that the ledger is down, and does not throw', async () => {
    const fetch = async () => {
      throw new Error('secret host name')
    }
    const answer = await recallResult({ fetch }, { id: 'r_1' }, { place })
    expect(answer).toMatchObject({ reason: 'unavailable' })
    expect(describeRecall(answer)).not.toContain('secret')
  })
})

describe('an id that is not of this conversation', () => {
  it('gets the answer of an id that does not exist, byte for byte', async () => {
    const ledger = createInMemoryLedger()
    const entry = { toolCallId: 'c', toolName: 'get', isError: false, text: 'secret' }
    await ledger.record({ scopeKey: 'b', thread: 't' }, [{ id: 'r_b', ...entry }])
    await ledger.record({ scopeKey: 'a', thread: 'u' }, [{ id: 'r_u', ...entry }])
    const answers = await Promise.all(
      ['r_b', 'r_u', 'r_guessed', '', '__proto__'].map((id) =>
        recallResult(ledger, { id }, { place }),
      ),
    )
    for (const answer of answers) expect(answer).toEqual(answers[2])
    expect(answers[2]).toMatchObject({ kind: 'nothing', reason: 'unknown-id' })
  })
})

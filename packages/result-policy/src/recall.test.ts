import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createInMemoryLedger } from './in-memory-ledger.ts'
import { describeRecall, recallResult } from './recall.ts'

const place = { scopeKey: 'a', thread: 't' }
const rows = Array.from({ length: 500 }, (_, index) => ({ id: index, name: `Row ${index}` }))
const json = JSON.stringify({ rows, 'a/b': { '~x': 1 }, '~1': 'tilde', '': 'empty', nothing: null })

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
    ['/~01', '"tilde"'],
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
    ['/constructor', 'Keys are "rows", "a/b", "~1", "", "nothing".'],
    ['/__proto__', 'There is no "__proto__".'],
    ['/rows/3/name/0', 'What comes before it is no object or list.'],
  ])('says what there is instead of %s', async (pointer, message) => {
    const answer = await recall(json, { pointer })
    expect(answer).toMatchObject({ kind: 'nothing', reason: 'no-such-value' })
    expect(describeRecall(answer)).toContain(message)
  })

  it.each([
    ['/list', 'It is an empty list.'],
    ['/object', 'It is an object without keys.'],
    ['/number', 'What comes before it is no object or list.'],
  ])('says that there is nothing in %s', async (pointer, message) => {
    const answer = await recall('{"list":[],"object":{},"number":1.0}', {
      pointer: `${pointer}/rawJSON`,
    })
    expect(describeRecall(answer)).toBe(`There is no "rawJSON". ${message}`)
  })

  it('gives every number of a value as it was written', async () => {
    const order = '{"order_id":9007199254740993,"total":1e400,"x":1.0,"ids":[12345678901234567890]}'
    const text = `{"order": ${order}}`
    expect(await recall(text, { pointer: '/order' })).toMatchObject({ text: order })
    expect(await recall(text, { pointer: '/order/ids/0' })).toMatchObject({
      text: '12345678901234567890',
    })
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

  it('is never more than 200 characters longer than its bound', async () => {
    const keys = Array.from({ length: 99 }, (_, index) => `${'\u0001'.repeat(60)}${index}`)
    const texts = [
      'a'.repeat(200_000),
      'ab '.repeat(70_000),
      JSON.stringify(Object.fromEntries(keys.map((key) => [key, 1]))),
    ]
    const requests = [
      {},
      { search: 'a' },
      { search: 'ab' },
      { offsetChars: 999 },
      { pointer: `/${'\u0002'.repeat(99)}` },
    ]
    for (const text of texts) {
      for (const request of requests) {
        for (const maxChars of [200, 4000, 100_000]) {
          const answer = await recall(text, request, maxChars)
          expect(describeRecall(answer).length).toBeLessThanOrEqual(maxChars + 200)
        }
      }
    }
  })

  it('searches within the value of a pointer', async () => {
    const answer = await recall(json, { pointer: '/rows/7', search: 'row 8' })
    expect(answer).toMatchObject({ kind: 'matches', matches: [] })
  })

  it.each([
    ['İİİ İstanbul', 'İstanbul', 4],
    ['İ: the Needle', 'needle', 7],
    ['İstanbul', 'ISTANBUL', 0],
    ['the needle', 'İ', undefined],
    ['ΟΔΟΣ ΟΔΟΣΑ', 'οδοσα', 5],
    ['ß ẞ K', 'ẞ k', 2],
    ['𐐀𐐁', '𐐩', 2],
  ])('finds in %j the text %j, whatever the case of any letter', async (text, wanted, at) => {
    const answer = await recall(text, { search: wanted })
    const found = answer.kind === 'matches' ? answer.matches.map((match) => match.offsetChars) : []
    expect(found).toEqual(at === undefined ? [] : [at])
  })

  it('finds what stands behind any letter at its place', async () => {
    for (let code = 0; code <= 0x10ffff; code += 0x1000) {
      const codes = Array.from({ length: 0x1000 }, (_, index) => code + index)
      const letters = codes.map((point) => String.fromCodePoint(point)).join('')
      const answer = await recall(`${letters}Needle`, { search: 'nEEDLE' })
      expect(answer).toMatchObject({ matches: [{ offsetChars: letters.length }] })
    }
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

  it('does not wait for a ledger longer than it is given, and says that it could not look', async () => {
    const fetch = () => new Promise<never>(() => {})
    const about = { place, ledgerTimeoutMs: 20 }
    const answer = await recallResult({ fetch }, { id: 'r_1' }, about)
    expect(answer).toMatchObject({ kind: 'nothing', reason: 'unavailable' })
    expect(describeRecall(answer)).toBe(
      'The result could not be looked up just now. Try again, or call the tool again.',
    )
  })

  it.each([
    ['unavailable', {}],
    ['unavailable', { text: undefined }],
    ['unavailable', { text: 7 }],
    ['unavailable', 'a text'],
    ['unknown-id', null],
    ['unknown-id', undefined],
  ])('is %s where a ledger finds %j', async (reason, found) => {
    const fetch = async () => found as never
    expect(await recallResult({ fetch }, { id: 'r_1' }, { place })).toMatchObject({ reason })
  })

  it('is unavailable where what a ledger finds throws when it is read', async () => {
    const found = new Proxy(
      {},
      {
        get: (_, key) => {
          if (key !== 'then') throw new Error('down')
        },
      },
    )
    const fetch = async () => found as never
    expect(await recallResult({ fetch }, { id: 'r_1' }, { place })).toMatchObject({
      reason: 'unavailable',
    })
  })

  it('takes a ledger that answers at once, and one that throws at once', async () => {
    const result = { id: 'r_1', toolCallId: 'c', toolName: 'get', isError: false, text: 'whole' }
    const atOnce = { fetch: () => result as never }
    expect(await recallResult(atOnce, { id: 'r_1' }, { place })).toMatchObject({ text: 'whole' })
    const down = {
      fetch: () => {
        throw new Error('down')
      },
    }
    expect(await recallResult(down, { id: 'r_1' }, { place })).toMatchObject({
      reason: 'unavailable',
    })
  })

  it.each(['get', 'getOwnPropertyDescriptor'])(
    'takes a request whose %s throws for none',
    async (trap) => {
      const throwing = () => {
        throw new Error('no')
      }
      const request = new Proxy({ id: 'r_1' }, { [trap]: throwing })
      const answer = await recallResult(createInMemoryLedger(), request, { place })
      expect(answer).toMatchObject({ reason: 'bad-request' })
    },
  )
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

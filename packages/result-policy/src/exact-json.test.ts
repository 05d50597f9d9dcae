import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { digestOf } from './digest.ts'
import { isComposite, numberText, parseExactly } from './exact-json.ts'

/** A number as some language may write it. */
const written = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.stringMatching(/^(?:0|[1-9]\d{0,24})$/),
    fc.stringMatching(/^(?:\.\d{1,24}|)$/),
    fc.stringMatching(/^(?:[eE][+-]?\d{1,3}|)$/),
  )
  .map((parts) => parts.join(''))

function textOf(json: string): string {
  return JSON.stringify(parseExactly(json)?.value)
}

describe('JSON that is read exactly', () => {
  it('writes every number as it was written', () => {
    fc.assert(
      fc.property(fc.array(written), written, (numbers, one) => {
        const json = `{"list":[${numbers.join(',')}],"one":${one}}`
        expect(textOf(json)).toBe(json)
        expect(textOf(`[ ${one} ]`)).toBe(`[${one}]`)
      }),
      { numRuns: 2000 },
    )
  })

  it('is what JSON.parse makes of it, save for the numbers', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        expect(textOf(`[${json}]`).length).toBeGreaterThan(0)
        const plain: unknown = JSON.parse(textOf(`[${json}, 1.0]`))
        expect(plain).toEqual([JSON.parse(json), 1])
      }),
    )
  })

  it.each(['', '[1.0', '{"a":1e}', '[01.0]', 'text 1.0,', '[1.0]]'])('does not take %j', (text) => {
    expect(parseExactly(text)).toBeUndefined()
  })

  it('says what a number says, and does not step into one', () => {
    const value = parseExactly('[1.50, 2, {"rawJSON":"3"}, "1.50"]')?.value
    expect(isComposite(value)).toBe(true)
    const [exact, plain, object, text] = value as unknown[]
    expect([exact, plain, object, text].map(numberText)).toEqual([
      '1.50',
      '2',
      undefined,
      undefined,
    ])
    expect([exact, plain, object, text, null].map(isComposite)).toEqual([
      false,
      false,
      true,
      false,
      false,
    ])
  })

  it('does without what is nested too deeply to be kept', () => {
    const deep = `${'['.repeat(200_000)}1.0${']'.repeat(200_000)}`
    expect(parseExactly(deep)).toBeUndefined()
  })
})

describe('an engine that cannot keep numbers as they are written', () => {
  afterEach(() => void vi.unstubAllGlobals())

  it('takes a text whose numbers would change for no JSON, and any other for what it is', () => {
    vi.stubGlobal('JSON', { parse: JSON.parse, stringify: JSON.stringify })
    expect(parseExactly('[12345678901234567890]')).toBeUndefined()
    expect(parseExactly('{"id":17}')).toEqual({ value: { id: 17 } })
    expect([17, { rawJSON: '1' }].map(numberText)).toEqual(['17', undefined])
    expect(isComposite({ rawJSON: '1' })).toBe(true)
  })
})

describe('a digest', () => {
  it.each([
    '9007199254740993',
    '12345678901234567890',
    '1e400',
    '1.50',
    '-0',
    '0.0000001',
    '1E5',
    '0.1000000000000000055',
  ])('shows the number %s as it is', (number) => {
    expect(digestOf(`{"order_id":${number},"rows":[[${number}]]}`, 400)).toBe(
      `ids order_id=${number}; {order_id: ${number}, rows: [1 items, first [1 items, first ${number}]]}`,
    )
  })

  it('keeps to its budget whatever is written for a number', () => {
    const digest = digestOf(
      `{"id":${'1'.repeat(5000)},"a":[${'0.'.concat('1'.repeat(5000))}]}`,
      200,
    )
    expect(digest).toMatch(/^ids id=1{48}…; \{id: 1{40}…, a: \[1 items, first 0\.1{38}…\]\}$/)
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { extractionLimits } from './faults.ts'
import { createExtractionStripper, stripExtraction } from './stripper.ts'

const open = '<memory_extraction>'
const close = '</memory_extraction>'
const fact = '{"kind":"fact","content":"likes tea"}'
const block = `${open}\n${fact}\n${close}`

describe('stripping a whole text', () => {
  it.each([
    { what: 'no block', text: 'Hello.', shown: 'Hello.', blocks: [] },
    { what: 'nothing at all', text: '', shown: '', blocks: [] },
    { what: 'a block at the end', text: `Hello.\n${block}`, shown: 'Hello.\n', blocks: [fact] },
    { what: 'a block at the start', text: `${block}\nHello.`, shown: 'Hello.', blocks: [fact] },
    { what: 'only a block', text: block, shown: '', blocks: [fact] },
    {
      what: 'a block between lines',
      text: `Hello.\n\n${block}\nBye.`,
      shown: 'Hello.\n\nBye.',
      blocks: [fact],
    },
    {
      what: 'a block with Windows line breaks',
      text: `Hello.\r\n${block.replaceAll('\n', '\r\n')}\r\nBye.`,
      shown: 'Hello.\r\nBye.',
      blocks: [fact],
    },
    {
      what: 'a block within a line',
      text: `Hello ${block} you.\nBye.`,
      shown: 'Hello  you.\nBye.',
      blocks: [fact],
    },
    {
      what: 'a block at the end of a line',
      text: `Hello.${block}\nBye.`,
      shown: 'Hello.\nBye.',
      blocks: [fact],
    },
    {
      what: 'a bracket before the closing tag',
      text: `a${open}x<${close}b`,
      shown: 'ab',
      blocks: ['x<'],
    },
    {
      what: 'a longer name inside of a block',
      text: `a${open}</memory_extractions>${close}b`,
      shown: 'ab',
      blocks: ['</memory_extractions>'],
    },
    { what: 'two blocks', text: `${block}\nA${block}B`, shown: 'AB', blocks: [fact, fact] },
    { what: 'two blocks in a row', text: `${block}${block}`, shown: '', blocks: [fact, fact] },
    {
      what: 'a block in a code fence',
      text: `\`\`\`\n${block}\n\`\`\`\n`,
      shown: '```\n```\n',
      blocks: [fact],
    },
    {
      what: 'tags in other letter cases',
      text: `a<Memory_EXTRACTION>${fact}</MEMORY_extraction>b`,
      shown: 'ab',
      blocks: [fact],
    },
    {
      what: 'tags with blanks',
      text: `a<memory_extraction >${fact}</memory_extraction \t>b`,
      shown: 'ab',
      blocks: [fact],
    },
    {
      what: 'a closing tag without its bracket',
      text: `${open}${fact}</memory_extraction\nHello.`,
      shown: 'Hello.',
      blocks: [fact],
    },
    { what: 'an empty tag', text: 'a<memory_extraction/>b', shown: 'ab', blocks: [''] },
    {
      what: 'an empty tag with a blank',
      text: 'a<memory_extraction />b',
      shown: 'ab',
      blocks: [''],
    },
    {
      what: 'an opening tag inside of a block',
      text: `a${open}${open}x${close}b`,
      shown: 'ab',
      blocks: [`${open}x`],
    },
    {
      what: 'a closing tag inside of a text of JSON',
      text: `a${open}{"content":"say \\"${close}\\" twice"}\n${close}b`,
      shown: 'ab',
      blocks: [`{"content":"say \\"${close}\\" twice"}`],
    },
    {
      what: 'a line with a quotation mark too many',
      text: `a${open}{"content":"\n${close}b`,
      shown: 'ab',
      blocks: ['{"content":"'],
    },
  ])('takes out what is there and leaves the rest: $what', ({ text, shown, blocks }) => {
    const stripped = stripExtraction(text)
    expect(stripped.text).toBe(shown)
    expect(stripped.blocks.map((each) => each.trim())).toEqual(blocks)
    expect(stripped.faults).toEqual({})
  })

  it.each([
    'a < b << c <<< d',
    '<memory>, <memory_extract> and </memory_extracts>',
    '<memory_extractions> is another tag, as is <memory_extraction-x>',
    '&lt;memory_extraction&gt; and memory_extraction',
    'a\r\rb\n\r\n<',
    '<memory_',
    '</memory_',
  ])('leaves %j as it is', (text) => {
    expect(stripExtraction(text)).toEqual({ text, blocks: [], faults: {} })
  })

  it.each([
    { text: `Hi.\n${open}\n${fact}`, shown: 'Hi.\n', faults: { 'block-unterminated': 1 } },
    { text: `Hi.${open}\n"${close}`, shown: 'Hi.', faults: { 'block-unterminated': 1 } },
    { text: `Hi.${open}x</memory_extraction`, shown: 'Hi.', faults: { 'block-unterminated': 1 } },
    { text: `A${close}B${close}`, shown: 'AB', faults: { 'stray-delimiter': 2 } },
    { text: 'Hi.<memory_ex', shown: 'Hi.', faults: { 'stray-delimiter': 1 } },
    { text: 'Hi.</MEMORY_extraction', shown: 'Hi.', faults: { 'stray-delimiter': 1 } },
  ])('keeps a broken tag or block from the user and reads nothing of it: $text', (row) => {
    expect(stripExtraction(row.text)).toEqual({ text: row.shown, blocks: [], faults: row.faults })
  })

  it('reads nothing of a block that is too large, and shows what follows it', () => {
    const largest = 'x'.repeat(extractionLimits.blockChars - '>'.length)
    expect(stripExtraction(`a${open}${largest}${close}b`)).toMatchObject({
      text: 'ab',
      blocks: [largest],
      faults: {},
    })
    expect(stripExtraction(`a${open}${largest}xx${close}b`)).toEqual({
      text: 'ab',
      blocks: [],
      faults: { 'block-too-large': 1 },
    })
  })

  it('reads a bounded number of blocks, and hides them all', () => {
    const { text, blocks, faults } = stripExtraction(
      `a${block}`.repeat(extractionLimits.blocks + 3),
    )
    expect(text).toBe('a'.repeat(extractionLimits.blocks + 3))
    expect(blocks).toHaveLength(extractionLimits.blocks)
    expect(faults).toEqual({ 'too-many-blocks': 3 })
  })

  it('never lets two pieces of text join into a tag', () => {
    expect(stripExtraction(`<memory_ext${block}raction>x`).text).toBe('<memory_ext raction>x')
    expect(stripExtraction(`<m${block}${block}x`).text).toBe('<m x')
    expect(stripExtraction(`<m<b>${block}x`).text).toBe('<m<b>x')
  })

  it('ends with no beginning of a tag that only a tag cut off has cut off', () => {
    expect(stripExtraction('<memory_ext<memory_extraction').text).toBe('<memory_ext ')
    expect(stripExtraction('<memory_ext</memory_ex').text).toBe('<memory_ext ')
  })
})

describe('stripping a stream', () => {
  it('shows text at once and holds back only what may become a tag', () => {
    const stripper = createExtractionStripper()
    const shown = ['Hel', 'lo <b>you', '</b> <', 'mem', 'o> <memory_extraction', '>{}', close].map(
      stripper.push,
    )
    expect(shown).toEqual(['Hel', 'lo <b>you', '</b> ', '', '<memo> ', '', ''])
    expect(stripper.push(' bye')).toBe(' bye')
    expect(stripper.end()).toEqual({ text: '', blocks: ['{}'], faults: {} })
  })

  it('is as new after its end', () => {
    const stripper = createExtractionStripper()
    stripper.push(`a${open}x`)
    expect(stripper.end().faults).toEqual({ 'block-unterminated': 1 })
    expect(stripper.push('b<m<')).toBe('b<m')
    expect(stripper.end()).toEqual({ text: '<', blocks: [], faults: {} })
    expect(stripper.push(`${block}\nc`)).toBe('c')
    expect(stripper.end().blocks).toHaveLength(1)
  })

  it('keeps nothing of a block that runs on for ever', () => {
    const stripper = createExtractionStripper()
    stripper.push(open)
    const piece = 'x'.repeat(10_000)
    for (let count = 0; count < 200; count += 1) expect(stripper.push(piece)).toBe('')
    expect(stripper.push(`${close}Hello.`)).toBe('Hello.')
    expect(stripper.end()).toEqual({ text: '', blocks: [], faults: { 'block-too-large': 1 } })
  })

  const piece = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom(open, close, fact, '\n', '\r\n', '\r', ' ', '"', '\\'),
    },
    fc.constantFrom(
      '<',
      '</',
      '<memory_',
      'memory_ext',
      'raction',
      '>',
      '/>',
      '_',
      '<MEMORY_Extraction',
    ),
    fc.string({ unit: 'binary', maxLength: 5 }),
  )
  const texts = fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join(''))

  it('shows and takes the same, however the text is cut', () => {
    fc.assert(
      fc.property(texts, fc.array(fc.nat(9), { maxLength: 60 }), (text, sizes) => {
        const stripper = createExtractionStripper()
        let shown = ''
        let from = 0
        for (const size of sizes) {
          shown += stripper.push(text.slice(from, from + size))
          from += size
        }
        shown += stripper.push(text.slice(from))
        const { text: rest, ...taken } = stripper.end()
        expect({ text: shown + rest, ...taken }).toEqual(stripExtraction(text))
      }),
      { numRuns: 3_000 },
    )
  })

  it('never shows a tag: stripping what is shown changes nothing', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const once = stripExtraction(text).text
        expect(stripExtraction(once)).toEqual({ text: once, blocks: [], faults: {} })
      }),
      { numRuns: 3_000 },
    )
  })

  it('never takes back what was shown, and shows nothing that was not said', () => {
    fc.assert(
      fc.property(texts, fc.nat(40), (text, at) => {
        const stripper = createExtractionStripper()
        const early = stripper.push(text.slice(0, at))
        expect(stripExtraction(text).text.startsWith(early)).toBe(true)
      }),
    )
  })

  it('leaves text without the name of the tag as it is', () => {
    const plain = fc.string({ unit: fc.constantFrom('<', '>', '/', 'm', 'e', '\n', ' ', '"') })
    fc.assert(
      fc.property(plain, (text) => {
        expect(stripExtraction(text)).toEqual({ text, blocks: [], faults: {} })
      }),
    )
  })
})

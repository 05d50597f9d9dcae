import { existsSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { extractionDelimiter } from './delimiter.ts'
import { extractionLimits } from './faults.ts'
import { parseExtractionBlocks, readExtraction } from './read-extraction.ts'
import { extractionTemplates } from './templates.ts'

const { open, close } = extractionDelimiter
const fact = '{"kind":"fact","content":"likes tea"}'

describe('reading an answer', () => {
  it('gives the text, the notes in their order, and what was wrong', () => {
    const text = `Hello.\n${open}\n${fact}\nnonsense\n{"kind":"entity","label":"Ana","type":"person"}\n${close}\nBye.${close}`
    expect(readExtraction(text)).toEqual({
      text: 'Hello.\nBye.',
      directives: [
        { kind: 'fact', content: 'likes tea' },
        { kind: 'entity', label: 'Ana', type: 'person' },
      ],
      faults: { 'stray-delimiter': 1, 'not-json': 1 },
    })
  })

  it('skips blank lines and the marks of a code fence', () => {
    expect(parseExtractionBlocks([`\n\`\`\`json\r\n${fact}\r\n\`\`\`\n\n`])).toEqual({
      directives: [{ kind: 'fact', content: 'likes tea' }],
      faults: {},
    })
  })

  it('loses the line that a careless tag spoils, and no other', () => {
    const { directives, faults } = readExtraction(`<memory_extraction v="1">\n${fact}\n${close}`)
    expect(directives).toHaveLength(1)
    expect(faults).toEqual({ 'not-json': 1 })
  })

  it('takes a bounded number of notes from one text', () => {
    const lines = `${fact}\n`.repeat(extractionLimits.directives + 5)
    const { directives, faults } = readExtraction(`${open}\n${lines}${close}`)
    expect(directives).toHaveLength(extractionLimits.directives)
    expect(faults).toEqual({ 'too-many-directives': 5 })
  })

  it('shows nothing of a block and throws nothing, whatever it holds', () => {
    const content = fc.string({ unit: 'binary' }).filter((text) => !/["<]/.test(text))
    fc.assert(
      fc.property(content, (text) => {
        expect(readExtraction(`A\n${open}\n${text}\n${close}\nB`).text).toBe('A\nB')
      }),
    )
  })
})

describe.each(Object.entries(extractionTemplates))('the template %s', (_, template) => {
  it('shows examples that are read without a fault', () => {
    const { directives, faults } = readExtraction(template.slice(template.indexOf(`\n${open}\n{`)))
    expect(directives.length).toBeGreaterThan(0)
    expect(faults).toEqual({})
  })

  it('names shapes of which each is read once its gaps are filled', () => {
    const shapes = template.split('\n').filter((line) => line.startsWith('{"kind"'))
    const filled = shapes.map((line) => line.replaceAll('…', 'x'))
    const { directives, faults } = parseExtractionBlocks(filled)
    expect(faults).toEqual({})
    expect(new Set(directives.map(({ kind }) => kind)).size).toBe(7)
  })
})

describe.each(['prompt-injection/texts.jsonl', 'naughty-strings/strings.jsonl'])(
  'texts of %s',
  (file) => {
    const url = new URL(`../../../../../shared/data/${file}`, import.meta.url)
    const present = existsSync(url)
    const texts = present
      ? readFileSync(url, 'utf8')
          .trim()
          .split('\n')
          .map((line) => (JSON.parse(line) as { text: string }).text)
      : []

    it.skipIf(!present)('pass as text, stay hidden as blocks, and are data as notes', () => {
      expect(texts.length).toBeGreaterThan(20)
      for (const text of texts) {
        expect(readExtraction(text)).toEqual({ text, directives: [], faults: {} })
        const raw = readExtraction(`A\n${open}\n${text}\n${close}\nB`)
        expect(raw.text).toBe('A\nB')
        expect(raw.directives).toEqual([])
        const note = { kind: 'fact', content: text, label: text.slice(0, 200) }
        const { directives, faults, ...shown } = readExtraction(
          `A\n${open}\n${JSON.stringify(note)}\n${close}\nB`,
        )
        expect(shown).toEqual({ text: 'A\nB' })
        const outcome = directives[0] ?? faults
        expect([
          { content: text.trim() },
          { 'invalid-value': 1 },
          { 'line-too-large': 1 },
        ]).toContainEqual('content' in outcome ? { content: outcome.content } : outcome)
      }
    })
  },
)

import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { renderExtraction, splitExtraction } from './render-extraction.ts'
import { createMemoryExtractionSection } from './section.ts'
import { selectExtractionTemplate } from './select-template.ts'

const file = new URL('../../../../../shared/spec/vectors.json', import.meta.url)
const present = existsSync(file)

// biome-ignore lint/suspicious/noExplicitAny: a vector may hold anything
type Any = any
interface Vector {
  id: string
  kind: string
  title: string
  input: Any
  expected: Any
}

const vectors: Vector[] = present ? JSON.parse(readFileSync(file, 'utf8')).vectors : []
const ofKind = (kind: string) => vectors.filter((vector) => vector.kind === kind)

describe.skipIf(!present)('the conformance vectors', () => {
  it('all have a kind that is answered here', () => {
    const mine = vectors.filter(({ kind }) => kind.startsWith('extraction.'))
    expect(mine).toHaveLength(21)
    expect([...new Set(mine.map(({ kind }) => kind))].sort()).toEqual([
      'extraction.render',
      'extraction.renderSplit',
      'extraction.sectionDefaults',
      'extraction.selectTemplate',
    ])
  })

  it.each(ofKind('extraction.renderSplit'))('$id $title', ({ input, expected }) => {
    const split = () => splitExtraction(input.template, input.state)
    if (expected.error !== undefined) {
      expect(split).toThrow(expect.objectContaining({ code: 'MEMORY_EXTRACTION_PLACEHOLDERS' }))
      for (const part of expected.error.messageIncludes) expect(split).toThrow(part)
      return
    }
    expect(split().stable).toBe(expected.stable)
    if (expected.volatileNonEmpty) expect(split().volatile).toMatch(/^[^\n]/)
    else expect(split().volatile).toBe(expected.volatile)
  })

  it.each(ofKind('extraction.render'))('$id $title', ({ input, expected }) => {
    const text = renderExtraction(input.template, input.state)
    if (expected.text === undefined) expect(text).toMatch(/^A\n\n## .+B$/s)
    else expect(text).toBe(expected.text)
  })

  it.each(ofKind('extraction.sectionDefaults'))('$id $title', ({ expected }) => {
    expect(createMemoryExtractionSection()).toMatchObject(expected)
  })

  it.each(ofKind('extraction.selectTemplate'))('$id $title', ({ input, expected }) => {
    const { extractionTemplatePath: templatePath = null, ...choice } = input
    expect(selectExtractionTemplate({ templatePath, ...choice })).toEqual(expected)
  })
})

import { parseExtractionBlocks, stripExtraction } from '@symfonic/memory'
import { describe, expect, it } from 'vitest'
import { noteDown, writeNotes } from './note-down.ts'

const mind = { noteTag: 'memory_extraction', speaker: 'Mia Lindqvist' }
const noteOf = (clause: string) => noteDown({ clause, note: 'it' }, mind)?.note

describe('noting down what people say of themselves', () => {
  it.each([
    ['I prefer an aisle seat', 'preference', 'Mia Lindqvist prefers an aisle seat.', 'seat'],
    ['By the way, I am vegan.', 'fact', 'Mia Lindqvist is vegan.', 'meal'],
    ['I always travel with my cello', 'fact', 'Mia Lindqvist always travels with their cello.'],
  ])('%s', (clause, kind, content, label?: string) => {
    const labelled = label === undefined ? {} : { label }
    expect(noteOf(clause)).toEqual({ kind, content, subject: 'Mia Lindqvist', ...labelled })
  })

  it.each(['Remember that I like trains', 'She likes trains', 'I'])('not: %s', (clause) => {
    expect(noteDown({ clause }, mind)).toBeUndefined()
  })

  it.each([
    { what: 'no notes are asked for', about: { ...mind, noteTag: undefined } },
    { what: 'nobody is known to speak', about: { ...mind, speaker: undefined } },
  ])('not where $what', ({ about }) => {
    expect(noteDown({ clause: 'I like trains' }, about)).toBeUndefined()
  })

  it('writes a block that memory reads whole, whatever people say', () => {
    const note = noteOf('I like </memory_extraction> "seats"')
    const written = writeNotes(note ? [note] : [], mind)
    const { text, blocks } = stripExtraction(`Noted.${written}`)
    expect(text.trimEnd()).toBe('Noted.')
    const { directives } = parseExtractionBlocks(blocks)
    expect(directives).toMatchObject([{ kind: 'preference', subject: 'Mia Lindqvist' }])
  })

  it('writes no block without notes', () => {
    expect(writeNotes([], mind)).toBe('')
  })
})

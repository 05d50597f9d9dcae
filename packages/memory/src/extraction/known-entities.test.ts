import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { renderKnownEntities } from './known-entities.ts'

const people = [{ id: 'e1', label: 'Ana', type: 'person' }]

describe('known entities', () => {
  it('leave out what is no entity, and the header when nothing is left', () => {
    const trap = {
      get id() {
        throw new Error('read')
      },
    }
    for (const list of [[{}], [null, 7, 'x'], [{ id: 'e', label: '', type: 't' }], [trap]]) {
      expect(renderKnownEntities(list)).toBe('')
    }
  })

  it('show a bounded number of entities', () => {
    const many = Array.from({ length: 500 }, (_, index) => ({ ...people[0], id: `e${index}` }))
    expect(renderKnownEntities(many).trimStart().split('\n')).toHaveLength(102)
  })

  it('cannot be made to write the prompt by the names of entities', () => {
    const name = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1 }),
      fc.constantFrom('\n## Rules', '- id "x"', '</memory_extraction>', '"', '\u2028# a'),
    )
    fc.assert(
      fc.property(name, name, name, (id, label, type) => {
        const lines = renderKnownEntities([{ id, label, type }])
          .trimStart()
          .split(/[\n\v\f\r\x85\u2028\u2029]/u)
        expect(lines).toHaveLength(3)
        expect(lines[2]).toMatch(/^- id "[^<>]*"…?: "[^<>]*"…? \(type "[^<>]*"…?\)$/)
      }),
    )
  })
})

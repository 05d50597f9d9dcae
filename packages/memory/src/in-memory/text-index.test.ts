import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sample } from '../testing/sample.ts'
import { createTextIndex } from './text-index.ts'

const word = fc.constantFrom('apple', 'pear', 'plum', 'fig', 'quince')
const text = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(' '))

describe('createTextIndex', () => {
  it('ranks after removals as an index that never had what was removed', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(text, fc.boolean()), { maxLength: 30 }),
        text,
        (rows, query) => {
          const entries = rows.map(([content], index) => sample(`e${index}`, { content }))
          const worn = createTextIndex()
          const fresh = createTextIndex()
          for (const entry of entries) worn.add(entry)
          for (const [index, [, isKept]] of rows.entries()) {
            const entry = entries[index]
            if (entry !== undefined) (isKept ? fresh.add : worn.remove)(entry)
          }
          expect(worn.search(query, 50, () => true)).toEqual(fresh.search(query, 50, () => true))
        },
      ),
    )
  })

  it('ranks a rare word above a common one, and a short text above a long one', () => {
    const index = createTextIndex()
    index.add(sample('common', { content: 'apple tree' }))
    index.add(sample('rare', { content: 'quince tree' }))
    index.add(sample('long', { content: 'apple and very many other words that say little' }))
    const ids = index.search('apple quince', 9, () => true).map(({ id }) => id)
    expect(ids).toEqual(['rare', 'common', 'long'])
  })
})

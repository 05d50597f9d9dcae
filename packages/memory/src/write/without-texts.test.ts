import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { StoredEntry } from '../entry.ts'
import { noon, sample } from '../testing/sample.ts'
import { turnEntries } from './turn-entries.ts'
import { withoutTexts } from './without-texts.ts'

/** A conversation as it is stored. */
function told(texts: readonly string[]): StoredEntry[] {
  const messages = texts.map((text) => ({ role: 'user', text }) as const)
  const turn = { turnId: 't', sessionId: 's', messages }
  const entries = turnEntries(turn, { index: 0, before: [], now: noon })
  return entries.map((entry) => ({ ...entry, version: 3 }))
}

describe('withoutTexts', () => {
  it('makes contexts as if what went had never been said, whatever it looks like', () => {
    const text = fc.oneof(
      fc.constantFrom('Yes.', 'a. b. c', '. ', '. . ', 'user', `${'x. '.repeat(99)}..\u{1f600}. y`),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 400 }),
    )
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 8 }), fc.nat(7), (texts, which) => {
        const session = told(texts)
        const gone = session[which % session.length]
        fc.pre(gone !== undefined)
        const left = session.filter(({ id }) => id !== gone.id)
        const puts = withoutTexts(left, [gone.content])
        const now = new Map(left.map(({ id, context }) => [id, context]))
        for (const { entry, expectedVersion } of puts) {
          expect(expectedVersion).toBe(3)
          now.set(entry.id, entry.context)
        }
        const anew = told(left.map(({ content }) => content)).map(({ context }) => context)
        const place = session.indexOf(gone)
        // Only the two messages after it held it.
        expect([...now.values()].slice(place, place + 2)).toEqual(anew.slice(place, place + 2))
      }),
    )
  })

  it('takes a text out of a context that a host wrote itself', () => {
    const own = sample('own', {
      context: 'See: My secret.',
      sequence: { sessionId: 's', index: 4 },
    })
    const [put] = withoutTexts([{ ...own, version: 1 }], ['My secret.'])
    expect(put?.entry.context).not.toContain('secret')
    expect(withoutTexts([{ ...own, version: 1 }], ['Another one.'])).toEqual([])
    expect(withoutTexts([{ ...own, version: 1 }], [])).toEqual([])
  })
})

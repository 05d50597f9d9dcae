import { resolvePath } from '@symfonic/predicates'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createPathKeys } from './path-keys.ts'

describe('path keys', () => {
  it.each<[string, string, string, string | undefined]>([
    ['page_context', 'PAGE_CONTEXT.page_context', 'page_context', undefined],
    ['PAGE_CONTEXT', 'PAGE_CONTEXT.page_context', 'page_context', undefined],
    ['pageContext', 'PAGE_CONTEXT.page_context', 'page_context', 'pageContext'],
    ['PageContext', 'PAGE_CONTEXT.page_context', 'page_context', 'PageContext'],
    ['page-context', 'PAGE_CONTEXT.page_context', 'page_context', 'page-context'],
    ['1', '1.1', '1', undefined],
    ['__proto__', '__PROTO__.__proto__', '__proto__', undefined],
    ['straße', 'STRASSE.straße', 'straße', undefined],
    ['a b', 'A B.a b', 'a b', undefined],
  ])('of %s are those that a state is asked for', (path, family, snake, written) => {
    expect(createPathKeys()(path)).toEqual([{ family, snake, written }])
  })

  it('go by segment', () => {
    const pathKeys = createPathKeys()
    expect(pathKeys('a.bC.a').map(({ snake }) => snake)).toEqual(['a', 'b_c', 'a'])
    expect(pathKeys('a.bC.a')).toBe(pathKeys('a.bC.a'))
  })

  it('lead to a value in the order in which a path is resolved', () => {
    const segment = fc.stringMatching(/^[a-zA-Z0-9_-]{1,8}$/)
    fc.assert(
      fc.property(segment, (path) => {
        const [keys] = createPathKeys()(path)
        const [upper = '', snake = ''] = keys?.family.split('.') ?? []
        const order = [upper, snake, ...(keys?.written === undefined ? [] : [keys.written])]
        expect(keys?.snake).toBe(snake)
        for (const [at, key] of order.entries()) {
          const state = Object.fromEntries(order.slice(at).map((one) => [one, one]))
          expect(resolvePath(path, state).keys).toEqual([key])
        }
      }),
    )
  })
})

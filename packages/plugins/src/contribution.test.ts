import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ContributionSource, defineContribution, withOrigin } from './contribution.ts'
import { PluginError } from './errors.ts'

const define = (source: unknown) => defineContribution(source as ContributionSource)

function attempt(source: unknown): unknown {
  try {
    return define(source)
  } catch (error) {
    return error
  }
}

describe('defineContribution', () => {
  it('fills in the defaults and freezes (PLUG-17)', () => {
    const contribution = define({ content: 'x' })
    expect(contribution).toEqual({
      content: 'x',
      position: 'cached',
      order: 100,
      header: undefined,
      origin: undefined,
      cacheTtl: undefined,
    })
    expect(Object.isFrozen(contribution)).toBe(true)
  })

  it('keeps what is given, null meaning none', () => {
    const full = { position: 'volatile', order: -5, header: '', cacheTtl: '1h', origin: 'a' }
    expect(define({ content: '', ...full })).toEqual({ content: '', ...full })
    const none = { header: null, origin: null, cacheTtl: null, order: undefined }
    expect(define({ content: 'x', ...none })).toEqual(define({ content: 'x' }))
    expect(define({ content: 'x', position: 'kernel' }).position).toBe('kernel')
  })

  it.each<[string, unknown, string, string | undefined]>([
    ['nothing', null, 'PLUGIN_CONTRIBUTION_TYPE', undefined],
    ['a bare text', 'x', 'PLUGIN_CONTRIBUTION_TYPE', undefined],
    ['a list', ['x'], 'PLUGIN_CONTRIBUTION_TYPE', undefined],
    ['no content', {}, 'PLUGIN_CONTRIBUTION_TYPE', 'content'],
    ['content that is no text', { content: 7 }, 'PLUGIN_CONTRIBUTION_TYPE', 'content'],
    ['a text object', { content: new String('x') }, 'PLUGIN_CONTRIBUTION_TYPE', 'content'],
    [
      'an unknown position',
      { content: 'x', position: 'suffix' },
      'PLUGIN_CONTRIBUTION_VALUE',
      'position',
    ],
    [
      'a position of every object',
      { content: 'x', position: 'toString' },
      'PLUGIN_CONTRIBUTION_VALUE',
      'position',
    ],
    [
      'a position that is a number',
      { content: 'x', position: 1 },
      'PLUGIN_CONTRIBUTION_VALUE',
      'position',
    ],
    ['an order in words', { content: 'x', order: '1' }, 'PLUGIN_CONTRIBUTION_TYPE', 'order'],
    [
      'an order that sorts nowhere',
      { content: 'x', order: Number.NaN },
      'PLUGIN_CONTRIBUTION_VALUE',
      'order',
    ],
    ['an endless order', { content: 'x', order: -Infinity }, 'PLUGIN_CONTRIBUTION_VALUE', 'order'],
    ['a header that is no text', { content: 'x', header: 1 }, 'PLUGIN_CONTRIBUTION_TYPE', 'header'],
    [
      'an origin that is no text',
      { content: 'x', origin: {} },
      'PLUGIN_CONTRIBUTION_TYPE',
      'origin',
    ],
    [
      'an unknown lifetime',
      { content: 'x', cacheTtl: '24h' },
      'PLUGIN_CONTRIBUTION_VALUE',
      'cacheTtl',
    ],
    [
      'a lifetime in numbers',
      { content: 'x', cacheTtl: 300 },
      'PLUGIN_CONTRIBUTION_TYPE',
      'cacheTtl',
    ],
  ])('refuses %s (PLUG-18, PLUG-19, OPEN-PLUG-5)', (_, source, code, key) => {
    const error = attempt(source)
    expect(error).toBeInstanceOf(PluginError)
    expect(error).toMatchObject({ code })
    expect((error as PluginError).details['key']).toBe(key)
    expect((error as PluginError).message).toMatch(/(Give|Write) [^.]+\.$/)
  })

  it.each(['postion', 'cache_ttl', 'cacheTTL', 'orders', 'text', '__proto__', 'toString', '0'])(
    'refuses the unknown key %s, which would leave a default in the place of what was meant',
    (key) => {
      const source = Object.defineProperty({ content: 'x' }, key, { value: 'y', enumerable: true })
      expect(attempt(source)).toMatchObject({
        code: 'PLUGIN_CONTRIBUTION_VALUE',
        details: { key },
        message: `A contribution has "${key}", which is not known. Give only content, position, order, header, origin, cacheTtl.`,
      })
    },
  )

  it('minds neither what is inherited nor what is out of sight', () => {
    class Piece {
      content = 'x'
      get size() {
        return 1
      }
    }
    const source = Object.defineProperty(new Piece(), 'hidden', { value: 1 })
    expect(define(source)).toEqual(define({ content: 'x' }))
  })

  it('gives a typed error with the cause for a source that throws', () => {
    const cause = new Error('trap')
    const source = Object.defineProperty({ content: 'x' }, 'order', {
      get: () => {
        throw cause
      },
    })
    expect(attempt(source)).toMatchObject({ code: 'PLUGIN_CONTRIBUTION_UNREADABLE', cause })
  })

  it('gives a contribution or an error of ours, whatever it is given', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true }), fc.anything(), (content, other) => {
        const results = [
          attempt(content),
          attempt({ content }),
          attempt({ content: 'x', position: other, order: content, header: other }),
        ]
        for (const result of results) {
          if (!(result instanceof PluginError)) expect(Object.isFrozen(result)).toBe(true)
        }
      }),
    )
  })

  it('gives its own contributions back as they are, and no look-alike', () => {
    const contribution = define({ content: 'x' })
    expect(define(contribution)).toBe(contribution)
    expect(define({ ...contribution })).not.toBe(contribution)
    expect(attempt({ ...contribution, position: 'x' })).toBeInstanceOf(PluginError)
  })
})

describe('withOrigin', () => {
  it('copies and leaves the original untouched (PLUG-27)', () => {
    const contribution = define({ content: 'x', order: 3 })
    const copy = withOrigin(contribution, 'billing')
    expect(copy).toEqual({ ...contribution, origin: 'billing' })
    expect(contribution.origin).toBeUndefined()
    expect(Object.isFrozen(copy)).toBe(true)
  })

  it('checks what was not made here', () => {
    const copy = withOrigin({ content: 'x' } as never, 'a')
    expect(copy).toEqual({ ...define({ content: 'x' }), origin: 'a' })
    for (const source of [{ content: 5, order: 'x' }, { content: 'x', postion: 'y' }, null]) {
      expect(() => withOrigin(source as never, 'a')).toThrow(PluginError)
    }
  })

  it('refuses an origin that is no text', () => {
    expect(() => withOrigin(define({ content: 'x' }), 7 as never)).toThrow(PluginError)
  })
})

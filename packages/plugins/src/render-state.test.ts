import { describe, expect, it } from 'vitest'
import { buildRenderState } from './render-state.ts'

describe('buildRenderState', () => {
  it('has the four keys whatever is known (PLUG-11, PLUG-12)', () => {
    const none = { TENANT_ID: '', NAMESPACE: '', DOMAIN_NAME: '', QUERY: '' }
    expect(buildRenderState()).toEqual(none)
    expect(
      buildRenderState({ tenantId: null, namespace: undefined, domainName: null, query: null }),
    ).toEqual(none)
  })

  it('fills them from the context (PLUG-13)', () => {
    const context = { tenantId: 't1', namespace: 'n1', domainName: 'clinic', query: 'hello' }
    const state = { TENANT_ID: 't1', NAMESPACE: 'n1', DOMAIN_NAME: 'clinic', QUERY: 'hello' }
    expect(buildRenderState(context)).toEqual(state)
    expect(Object.isFrozen(buildRenderState(context))).toBe(true)
  })

  it('adds further keys, which cannot replace the four (PLUG-14)', () => {
    const extra = { TOOL_MANIFEST: 'x', TENANT_ID: 'other', QUERY: undefined }
    expect(buildRenderState({ tenantId: 't1', extra })).toEqual({
      TOOL_MANIFEST: 'x',
      TENANT_ID: 't1',
      NAMESPACE: '',
      DOMAIN_NAME: '',
      QUERY: '',
    })
  })

  it('takes a key called __proto__ for a key', () => {
    const state = buildRenderState({ extra: JSON.parse('{"__proto__":{"TENANT_ID":"x","p":1}}') })
    expect(Object.getPrototypeOf(state)).toBe(Object.prototype)
    expect(state['p']).toBeUndefined()
    expect(state.TENANT_ID).toBe('')
    expect(({} as Record<string, unknown>)['p']).toBeUndefined()
  })

  it.each([
    ['a tenant that is no text', { tenantId: 7 }, 'tenantId'],
    ['a query that is no text', { query: ['x'] }, 'query'],
    ['no object', 'x', 'context'],
    ['nothing', null, 'context'],
    ['a misspelt key', { tenant: 'acme' }, 'tenant'],
    ['a key of the state', { TENANT_ID: 'acme' }, 'TENANT_ID'],
    ['further keys that are a text', { extra: 'abc' }, 'extra'],
    ['further keys that are a list', { extra: ['abc'] }, 'extra'],
  ])('refuses %s', (_, context, key) => {
    expect(() => buildRenderState(context as never)).toThrow(
      expect.objectContaining({ code: 'PLUGIN_RENDER_STATE_INVALID', details: { key } }),
    )
  })

  it('names the keys there are when it refuses one', () => {
    expect(() => buildRenderState({ ['tenant\u202e']: 'x' } as never)).toThrow(
      'The tenant\\u{202e} of a render state is not known. Give only tenantId, namespace, domainName, query, extra.',
    )
  })

  it('gives a typed error with the cause for a context that throws', () => {
    const cause = new Error('trap')
    const extra = Object.defineProperty({}, 'X', {
      enumerable: true,
      get: () => {
        throw cause
      },
    })
    expect(() => buildRenderState({ extra })).toThrow(
      expect.objectContaining({ code: 'PLUGIN_RENDER_STATE_INVALID', cause }),
    )
  })
})

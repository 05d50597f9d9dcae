import { describe, expect, it } from 'vitest'
import { PredicateError } from './errors.ts'
import { parsePrecondition } from './precondition.ts'

// The refusals of precondition.ts, apart from what it accepts: the table alone fills a file.

const state = (more: Record<string, unknown>) => [{ state: { path: 'a', ...more } }]

describe('parsePrecondition refuses', () => {
  describe('with a code and a place:', () => {
    it.each<[string, unknown, string, number | undefined, (string | number)[]]>([
      ['a single object outside a list', { tool: 'a' }, 'PREDICATE_SHAPE', undefined, []],
      ['a state outside a list', state({ op: 'exists' })[0], 'PREDICATE_SHAPE', undefined, []],
      ['a number', 42, 'PREDICATE_SHAPE', undefined, []],
      ['true', true, 'PREDICATE_SHAPE', undefined, []],
      ['a Set of names', new Set(['a']), 'PREDICATE_SHAPE', undefined, []],
      ['a function', () => [], 'PREDICATE_SHAPE', undefined, []],
      ['an empty bare string', '', 'PREDICATE_TOOL_NAME', undefined, []],
      ['an empty name in a list', ['a', ''], 'PREDICATE_TOOL_NAME', 1, []],
      ['a blank name', ['  '], 'PREDICATE_TOOL_NAME', 0, []],
      ['white space around a name', ['get_status\n'], 'PREDICATE_TOOL_NAME', 0, []],
      ['a control character in a name', ['get\u0000status'], 'PREDICATE_TOOL_NAME', 0, []],
      ['a line separator in a name', ['get\u2028status'], 'PREDICATE_TOOL_NAME', 0, []],
      ['a tool that is not text', [{ tool: 5 }], 'PREDICATE_TOOL_NAME', 0, ['tool']],
      ['a tool that is a list', [{ tool: ['a'] }], 'PREDICATE_TOOL_NAME', 0, ['tool']],
      ['an undefined tool', [{ tool: undefined }], 'PREDICATE_TOOL_NAME', 0, ['tool']],
      ['a very long name', ['x'.repeat(257)], 'PREDICATE_TOO_LARGE', 0, []],
      ['a number as an entry', ['a', 42], 'PREDICATE_ENTRY_SHAPE', 1, []],
      ['null as an entry', [null], 'PREDICATE_ENTRY_SHAPE', 0, []],
      ['a hole', new Array(1), 'PREDICATE_ENTRY_SHAPE', 0, []],
      ['a list as an entry', [['a']], 'PREDICATE_ENTRY_SHAPE', 0, []],
      ['an empty object', [{}], 'PREDICATE_ENTRY_SHAPE', 0, []],
      ['another shape', [{ foo: 'bar' }], 'PREDICATE_ENTRY_SHAPE', 0, []],
      ['a bare predicate', [{ path: 'a', op: 'exists' }], 'PREDICATE_ENTRY_SHAPE', 0, []],
      [
        'tool and state at once',
        [{ tool: 'a', ...state({ op: 'exists' })[0] }],
        'PREDICATE_ENTRY_SHAPE',
        0,
        [],
      ],
      ['a Map as an entry', [new Map([['tool', 'a']])], 'PREDICATE_ENTRY_SHAPE', 0, []],
      ['an inherited tool', [Object.create({ tool: 'a' })], 'PREDICATE_ENTRY_SHAPE', 0, []],
      [
        'an unknown key beside tool',
        [{ tool: 'a', when: 1 }],
        'PREDICATE_UNKNOWN_KEY',
        0,
        ['when'],
      ],
      [
        'an own __proto__ key',
        JSON.parse('[{"tool":"a","__proto__":{}}]'),
        'PREDICATE_UNKNOWN_KEY',
        0,
        ['__proto__'],
      ],
      [
        'an unknown key beside state',
        [{ ...state({ op: 'exists' })[0], not: true }],
        'PREDICATE_UNKNOWN_KEY',
        0,
        ['not'],
      ],
      [
        'an unknown key in state',
        state({ op: 'exists', negate: true }),
        'PREDICATE_UNKNOWN_KEY',
        0,
        ['state', 'negate'],
      ],
      ['a state that is text', [{ state: 'a.b' }], 'PREDICATE_ENTRY_SHAPE', 0, ['state']],
      ['a state that is a list', [{ state: [] }], 'PREDICATE_ENTRY_SHAPE', 0, ['state']],
      ['a state that is null', [{ state: null }], 'PREDICATE_ENTRY_SHAPE', 0, ['state']],
      ['no path', [{ state: { op: 'exists' } }], 'PREDICATE_PATH_REQUIRED', 0, ['state', 'path']],
      [
        'an inherited path',
        [{ state: Object.create({ path: 'a' }) }],
        'PREDICATE_ENTRY_SHAPE',
        0,
        ['state'],
      ],
      [
        'an empty path',
        [{ state: { path: '', op: 'exists' } }],
        'PREDICATE_PATH_INVALID',
        0,
        ['state', 'path'],
      ],
      [
        'an empty segment',
        [{ state: { path: 'a..b', op: 'exists' } }],
        'PREDICATE_PATH_INVALID',
        0,
        ['state', 'path'],
      ],
      [
        'a path that is a list',
        [{ state: { path: ['a'], op: 'exists' } }],
        'PREDICATE_PATH_INVALID',
        0,
        ['state', 'path'],
      ],
      [
        'a path that is null',
        [{ state: { path: null, op: 'exists' } }],
        'PREDICATE_PATH_INVALID',
        0,
        ['state', 'path'],
      ],
      ['no operator', state({ value: 1 }), 'PREDICATE_OPERATOR_REQUIRED', 0, ['state', 'op']],
      ['lt', state({ op: 'lt', value: 1 }), 'PREDICATE_UNKNOWN_OPERATOR', 0, ['state', 'op']],
      ['gt', state({ op: 'gt', value: 1 }), 'PREDICATE_UNKNOWN_OPERATOR', 0, ['state', 'op']],
      [
        'contains',
        state({ op: 'contains', value: 1 }),
        'PREDICATE_UNKNOWN_OPERATOR',
        0,
        ['state', 'op'],
      ],
      [
        'regex',
        state({ op: 'regex', value: '(a+)+' }),
        'PREDICATE_UNKNOWN_OPERATOR',
        0,
        ['state', 'op'],
      ],
      ['EQ', state({ op: 'EQ', value: 1 }), 'PREDICATE_UNKNOWN_OPERATOR', 0, ['state', 'op']],
      [
        'toString',
        state({ op: 'toString', value: 1 }),
        'PREDICATE_UNKNOWN_OPERATOR',
        0,
        ['state', 'op'],
      ],
      [
        'an operator that is not text',
        state({ op: ['eq'], value: 1 }),
        'PREDICATE_UNKNOWN_OPERATOR',
        0,
        ['state', 'op'],
      ],
      ['eq without value', state({ op: 'eq' }), 'PREDICATE_VALUE_REQUIRED', 0, ['state', 'value']],
      [
        'neq without value',
        state({ op: 'neq' }),
        'PREDICATE_VALUE_REQUIRED',
        0,
        ['state', 'value'],
      ],
      ['in without value', state({ op: 'in' }), 'PREDICATE_VALUE_REQUIRED', 0, ['state', 'value']],
      [
        'eq with undefined',
        state({ op: 'eq', value: undefined }),
        'PREDICATE_VALUE_REQUIRED',
        0,
        ['state', 'value'],
      ],
      [
        'in with text',
        state({ op: 'in', value: 'slackweb' }),
        'PREDICATE_LIST_REQUIRED',
        0,
        ['state', 'value'],
      ],
      [
        'in with a number',
        state({ op: 'in', value: 3 }),
        'PREDICATE_LIST_REQUIRED',
        0,
        ['state', 'value'],
      ],
      [
        'in with null',
        state({ op: 'in', value: null }),
        'PREDICATE_LIST_REQUIRED',
        0,
        ['state', 'value'],
      ],
      [
        'in with a record',
        state({ op: 'in', value: { slack: true } }),
        'PREDICATE_LIST_REQUIRED',
        0,
        ['state', 'value'],
      ],
      [
        'in with a Map',
        state({ op: 'in', value: new Map() }),
        'PREDICATE_LIST_REQUIRED',
        0,
        ['state', 'value'],
      ],
      [
        'NaN deep in a value',
        state({ op: 'eq', value: { a: [Number.NaN] } }),
        'PREDICATE_NOT_JSON',
        0,
        ['state', 'value', 'a', 0],
      ],
      [
        'a function in a list for in',
        state({ op: 'in', value: [1, () => 1] }),
        'PREDICATE_NOT_JSON',
        0,
        ['state', 'value', 1],
      ],
      [
        'a Set for eq',
        state({ op: 'eq', value: new Set() }),
        'PREDICATE_NOT_JSON',
        0,
        ['state', 'value'],
      ],
    ])('%s', (_, source, code, index, keyPath) => {
      const error = refusalOf(source)
      expect(error.code).toBe(code)
      expect(error.details['index']).toBe(index)
      expect(error.details['keyPath']).toEqual(keyPath)
      expect(error.message).toMatch(/[.?!:] [A-Z].*\.$/su)
      if (!code.endsWith('REQUIRED') || code === 'PREDICATE_LIST_REQUIRED') {
        if (code !== 'PREDICATE_TOO_LARGE') expect(error.details['value']).toBeTypeOf('string')
      }
    })
  })

  it.each<[unknown, string]>([
    ['slackweb', 'Operator "in" needs a list, got "slackweb". Write ["slackweb"].'],
    ['slack, web', 'Operator "in" needs a list, got "slack, web". Write ["slack", "web"].'],
    [3, 'Operator "in" needs a list, got 3. Write [3].'],
    [
      { slack: true },
      'Operator "in" needs a list, got {"slack":true}. Write a list of the values it may have, like ["slack", "web"].',
    ],
  ])('says what to write when "in" is given %j', (value, message) => {
    expect(refusalOf(state({ op: 'in', value })).message).toBe(message)
  })

  it('says that regex is deferred, and why', () => {
    const { message } = refusalOf(state({ op: 'regex', value: '.*' }))
    expect(message).toContain('Operator "regex" does not exist.')
    expect(message).toContain('deferred')
    expect(message).toContain('ReDoS')
  })

  it('points at the first fault in the order of the author', () => {
    const error = refusalOf(['ok', ...state({ op: 'exists' }), { tool: '' }, 42])
    expect(error.details['index']).toBe(2)
  })
})

function refusalOf(source: unknown): PredicateError {
  try {
    parsePrecondition(source)
  } catch (error) {
    if (error instanceof PredicateError) return error
    throw error
  }
  throw new Error('expected a refusal')
}

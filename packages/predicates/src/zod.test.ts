import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { PredicateError } from './errors.ts'
import { evaluatePrecondition } from './evaluate.ts'
import { type Precondition, type PreconditionSource, parsePrecondition } from './precondition.ts'
import { preconditionSchema } from './zod.ts'

const body = z.object({ label: z.string(), precondition: preconditionSchema })

const accepted: [string, unknown][] = [
  ['null', null],
  ['a bare string', 'get_status'],
  ['an empty list', []],
  ['strings', ['a', 'b c']],
  ['a tool entry', [{ tool: 'a' }]],
  ['eq', [{ state: { path: 'a.b', op: 'eq', value: { c: [null] } } }]],
  ['neq with null', [{ state: { path: 'a', op: 'neq', value: null } }]],
  ['in', [{ state: { path: 'a', op: 'in', value: [] } }]],
  ['exists', [{ state: { path: 'a', op: 'exists' } }]],
  ['exists with a value', [{ state: { path: 'a', op: 'exists', value: 1 } }]],
  ['a path at the limit', [{ state: { path: new Array(32).fill('a').join('.'), op: 'exists' } }]],
]

const refused: [string, unknown, (string | number)[]][] = [
  ['an object outside a list', { tool: 'a' }, []],
  ['a number', 5, []],
  ['empty text', '', []],
  ['padded text', ['ok', ' a'], [1]],
  ['a line break in a name', ['a\nb'], [0]],
  ['a number in a list', [1], [0]],
  ['null in a list', [null], [0]],
  ['another shape', [{ foo: 1 }], [0]],
  ['two shapes at once', [{ tool: 'a', state: { path: 'a', op: 'exists' } }], [0]],
  ['an extra key', [{ tool: 'a', x: 1 }], [0, 'x']],
  ['an extra key in state', [{ state: { path: 'a', op: 'exists', x: 1 } }], [0, 'state', 'x']],
  ['no path', [{ state: { op: 'exists' } }], [0, 'state', 'path']],
  ['an empty segment', [{ state: { path: 'a..b', op: 'exists' } }], [0, 'state', 'path']],
  ['a padded segment', [{ state: { path: 'a. b', op: 'exists' } }], [0, 'state', 'path']],
  [
    'too many segments',
    [{ state: { path: new Array(33).fill('a').join('.'), op: 'exists' } }],
    [0, 'state', 'path'],
  ],
  ['regex', [{ state: { path: 'a', op: 'regex', value: '.*' } }], [0, 'state', 'op']],
  ['eq without a value', [{ state: { path: 'a', op: 'eq' } }], [0, 'state', 'value']],
  ['in with text', [{ state: { path: 'a', op: 'in', value: 'slackweb' } }], [0, 'state', 'value']],
]

describe('preconditionSchema', () => {
  it.each(accepted)('gives the compiled precondition for %s', (_, source) => {
    expect(preconditionSchema.parse(source)).toEqual(parsePrecondition(source))
  })

  it('gives something that can be evaluated', () => {
    const { precondition } = body.parse({
      label: 'x',
      precondition: [{ state: { path: 'page.platform', op: 'eq', value: 'slack' } }],
    })
    expect(evaluatePrecondition(precondition, { page: { platform: 'slack' } })).toBe(true)
    expect(evaluatePrecondition(precondition, { page: { platform: 'web' } })).toBe(false)
  })

  it('may be left out of an object, and is then no precondition', () => {
    expect(body.parse({ label: 'x' }).precondition).toEqual({ tools: [], predicates: [] })
  })

  it.each(refused)(
    'turns the refusal of %s into one issue with its message and path',
    (_, source, path) => {
      const error = refusalOf(source)
      expect(body.safeParse({ label: 'x', precondition: source }).error?.issues).toEqual([
        {
          code: 'custom',
          message: error.message,
          path: ['precondition', ...path],
          params: { code: error.code, details: error.details },
        },
      ])
    },
  )

  it('reports other faults of the object beside its own', () => {
    const result = body.safeParse({ precondition: 5 })
    expect(result.error?.issues.map((issue) => issue.path)).toEqual([['label'], ['precondition']])
  })

  it('has an input and an output type', () => {
    expectTypeOf<z.input<typeof preconditionSchema>>().toEqualTypeOf<PreconditionSource>()
    expectTypeOf<z.output<typeof preconditionSchema>>().toEqualTypeOf<Precondition>()
    expectTypeOf<{ label: string }>().toExtend<z.input<typeof body>>()
  })

  describe('as JSON Schema', () => {
    const jsonSchema = z.toJSONSchema(preconditionSchema, { io: 'input' })
    const validator = z.fromJSONSchema(JSON.parse(JSON.stringify(jsonSchema)))

    it.each(accepted)('accepts %s, as the parser does', (_, source) => {
      expect(validator.safeParse(source).success).toBe(true)
    })

    it.each(refused)('refuses %s, as the parser does', (_, source) => {
      expect(validator.safeParse(source).success).toBe(false)
    })

    it('is an optional property of an object, and the same each time', () => {
      const schema = () => z.toJSONSchema(body, { io: 'input' })
      expect(schema()).toEqual(schema())
      expect(schema()).toMatchObject({ required: ['label'], properties: { precondition: {} } })
    })

    it.each(['draft-2020-12', 'draft-7', 'openapi-3.0'] as const)('can be had as %s', (target) => {
      const text = JSON.stringify(z.toJSONSchema(body, { io: 'input', target }))
      for (const op of ['eq', 'neq', 'in', 'exists']) expect(text).toContain(`"${op}"`)
    })
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

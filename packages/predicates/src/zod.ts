import { z } from 'zod'
import { PredicateError } from './errors.ts'
import { predicateLimits } from './limits.ts'
import { type PreconditionSource, parsePrecondition } from './precondition.ts'

const source = z.custom<PreconditionSource>()
// zod asks a schema of its own making for its JSON form here, and keeps what it is given.
source._zod.toJSONSchema = sourceJsonSchema

/**
 * A zod schema for a `precondition` field of another schema: an HTTP body, a configuration file.
 * Its input is `PreconditionSource`, absent included; its output is the compiled `Precondition`.
 *
 * A refusal becomes one issue with the message of the `PredicateError`, a `path` of the entry's
 * index followed by the error's `keyPath`, and `params.code` and `params.details`.
 * `z.toJSONSchema(schema, { io: 'input' })` describes the three entry shapes; the output of the
 * schema is not JSON, so `io: 'output'` is refused by zod.
 *
 * @see PRED-05, PRED-23, OPEN-PRED-11
 */
export const preconditionSchema = source.optional().transform((value, context) => {
  try {
    return parsePrecondition(value)
  } catch (error) {
    if (!(error instanceof PredicateError)) throw error
    const { index, keyPath } = error.details
    context.addIssue({
      code: 'custom',
      message: error.message,
      path: issuePath(index, keyPath),
      params: { code: error.code, details: error.details },
    })
    return z.NEVER
  }
})

function issuePath(index: unknown, keyPath: unknown): PropertyKey[] {
  const keys = Array.isArray(keyPath) ? (keyPath as PropertyKey[]) : []
  return typeof index === 'number' ? [index, ...keys] : [...keys]
}

// As pattern text: what may stand nowhere in a tool name, and one segment of a path.
const control = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029'
const segment = '[^.\\s]([^.]*[^.\\s])?'

/**
 * The grammar as JSON Schema, bounds on the size of values aside. Made afresh for each caller: zod
 * writes its own keywords into what it is given.
 */
function sourceJsonSchema(): object {
  const tool = {
    description: 'A tool that must have been called first.',
    type: 'string',
    minLength: 1,
    maxLength: predicateLimits.toolNameChars,
    pattern: `^[^\\s${control}]([^${control}]*[^\\s${control}])?$`,
  }
  const path = {
    description: 'Dotted path into the state.',
    type: 'string',
    minLength: 1,
    maxLength: predicateLimits.pathChars,
    pattern: `^${segment}(\\.${segment}){0,${predicateLimits.pathSegments - 1}}$`,
  }
  const state = (op: readonly string[], value: object | undefined) => ({
    type: 'object',
    properties: { path, op: { type: 'string', enum: op }, value: value ?? {} },
    required: value === undefined ? ['path', 'op'] : ['path', 'op', 'value'],
    additionalProperties: false,
  })
  const entry = {
    anyOf: [
      tool,
      {
        type: 'object',
        properties: { tool },
        required: ['tool'],
        additionalProperties: false,
      },
      {
        type: 'object',
        properties: {
          state: {
            anyOf: [
              state(['eq', 'neq'], { description: 'Any JSON value.' }),
              state(['in'], { type: 'array', description: 'The values it may have.' }),
              state(['exists'], undefined),
            ],
          },
        },
        required: ['state'],
        additionalProperties: false,
      },
    ],
  }
  return {
    anyOf: [
      { type: 'null' },
      tool,
      { type: 'array', maxItems: predicateLimits.entries, items: entry },
    ],
  }
}

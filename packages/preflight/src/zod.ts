import { preconditionSchema } from '@symfonic/predicates/zod'
import { z } from 'zod'
import { readKeyPath } from './key-path.ts'
import { readSkill } from './read-skill.ts'
import type { Skill } from './skill.ts'
import { onWire } from './wire-names.ts'

const source = z.custom<unknown>()
// zod asks a schema of its own making for its JSON form here, and keeps what it is given.
source._zod.toJSONSchema = skillJsonSchema

/**
 * A zod schema for a skill that comes from outside: the body of a request that creates one, an entry
 * of a configuration. Its output is the checked, frozen `Skill`; keys may be spelled as on the wire
 * (`action_tool`) or as in code.
 *
 * Every fault becomes one issue, with the key as its `path` and the fault's code as `params.code`, so
 * an endpoint can answer 422 with all of them at once. `z.toJSONSchema(schema, { io: 'input' })`
 * describes the wire form; the output is not JSON, so `io: 'output'` is refused by zod.
 *
 * @see SKILL-08, SKILL-09, SKILL-10, HTTP-01
 */
export const skillSchema = source.transform((value, context): Skill => {
  const reading = readSkill(value, 0, onWire)
  if ('skill' in reading) return reading.skill
  for (const { keyPath, message, code } of reading.faults) {
    context.addIssue({ code: 'custom', message, path: [...readKeyPath(keyPath)], params: { code } })
  }
  return z.NEVER
})

function skillJsonSchema(): object {
  const { $schema: _, ...precondition } = z.toJSONSchema(preconditionSchema, { io: 'input' })
  return {
    type: 'object',
    properties: {
      label: { type: 'string', minLength: 1, description: 'Name shown to the model.' },
      content: { type: 'string' },
      action_tool: { type: 'string', minLength: 1, description: 'The tool the skill is about.' },
      precondition,
      importance: { type: 'number', default: 0 },
      steps: { type: 'array', items: { type: 'string' } },
      source_tag: { type: 'string' },
    },
    required: ['label'],
    additionalProperties: false,
  }
}

import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { parseSkills } from './define-skill.ts'
import { skillSchema } from './zod.ts'

const body = {
  label: 'Slack-only mrkdwn',
  content: '…',
  action_tool: 'format_links',
  precondition: ['read', { state: { path: 'page_context.platform', op: 'eq', value: 'slack' } }],
  importance: 2,
  source_tag: 'authored:desk',
}

describe('skillSchema', () => {
  it('gives the skill that parseSkills gives', () => {
    expect(skillSchema.parse(body)).toEqual(parseSkills([body])[0])
    expect(z.object({ skill: skillSchema }).parse({ skill: body }).skill.label).toBe(body.label)
  })

  it('turns every fault into an issue with its path and code', () => {
    const result = skillSchema.safeParse({
      ...body,
      label: ' ',
      importance: 'high',
      precondition: ['read', { state: { path: 'a', op: 'regex', value: '.*' } }],
      when: 'never',
    })
    expect(result.error?.issues.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        ['label'],
        ['importance'],
        ['precondition', 1, 'state', 'op'],
        ['when'],
      ]),
    )
    expect(result.error?.issues).toContainEqual(
      expect.objectContaining({ params: { code: 'PREDICATE_UNKNOWN_OPERATOR' } }),
    )
  })

  it.each<[object, PropertyKey[]]>([
    [{ 'a.b': 1 }, ['a.b']],
    [{ 'my key[0]': 1 }, ['my key[0]']],
    [{ '': 1 }, ['']],
    [{ '0': 1 }, ['0']],
    [
      { precondition: [{ state: { path: 'a', op: 'exists', 'foo bar': 1 } }] },
      ['precondition', 0, 'state', 'foo bar'],
    ],
    [
      { precondition: [{ state: { path: 'a', op: 'eq', value: { 'a.b': () => 1 } } }] },
      ['precondition', 0, 'state', 'value', 'a.b'],
    ],
  ])('gives each key of %j as one segment of a path, whatever its characters', (given, path) => {
    const result = skillSchema.safeParse({ label: 'x', ...given })
    expect(result.error?.issues.map((issue) => issue.path)).toEqual([path])
  })

  it.each([undefined, null, 'text', 42, [body]])('refuses %j as a skill', (value) => {
    const result = skillSchema.safeParse(value)
    expect(result.error?.issues.map(({ path }) => path)).toEqual([[]])
  })

  it('describes its wire form as JSON Schema', () => {
    const schema = z.toJSONSchema(skillSchema, { io: 'input' })
    expect(schema).toMatchObject({
      type: 'object',
      required: ['label'],
      additionalProperties: false,
    })
    expect(Object.keys(schema.properties ?? {})).toEqual([
      'label',
      'content',
      'action_tool',
      'precondition',
      'importance',
      'steps',
      'source_tag',
    ])
    expect(JSON.stringify(schema)).toContain('exists')
  })
})

import { parsePrecondition } from '@symfonic/predicates'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseProceduralCreateRequest } from './procedural-create-request.ts'

const onSlack = { state: { path: 'page_context.platform', op: 'eq', value: 'slack' } }
const least = { label: 'Slack only', content: 'Use mrkdwn.' }

describe('a create request', () => {
  it('is accepted in the spelling of the wire and read in the spelling of code', () => {
    const body = {
      ...least,
      precondition: ['memory_read', onSlack, { tool: 'b' }],
      action_tool: 'send',
      steps: ['one', 'two'],
      importance: 7,
      source_tag: 'authored:support',
    }
    expect(parseProceduralCreateRequest(body)).toEqual({
      accepted: true,
      request: {
        ...least,
        precondition: ['memory_read', 'b', onSlack],
        actionTool: 'send',
        steps: ['one', 'two'],
        importance: 7,
        sourceTag: 'authored:support',
      },
    })
  })

  it('needs only label and content; null is as good as absent', () => {
    const request = { ...least, precondition: [] }
    expect(parseProceduralCreateRequest(least)).toEqual({ accepted: true, request })
    const nulls = { ...least, precondition: null, action_tool: null, steps: null, importance: null }
    expect(parseProceduralCreateRequest(nulls)).toEqual({ accepted: true, request })
  })

  it('keeps a precondition that can be parsed again, a value of null and a missing one included', () => {
    const precondition = [
      { state: { path: 'a', op: 'exists' } },
      { state: { path: 'b', op: 'neq', value: null } },
      'c',
    ]
    const outcome = parseProceduralCreateRequest({ ...least, precondition })
    if (!outcome.accepted) throw new Error('It was refused.')
    expect(parsePrecondition(outcome.request.precondition)).toEqual(parsePrecondition(precondition))
    expect(JSON.parse(JSON.stringify(outcome.request.precondition))).toStrictEqual(
      outcome.request.precondition,
    )
  })

  it.each([
    { body: undefined, path: [], code: 'BODY_INVALID' },
    { body: null, path: [], code: 'BODY_INVALID' },
    { body: [], path: [], code: 'BODY_INVALID' },
    { body: 'label', path: [], code: 'BODY_INVALID' },
    { body: { content: 'x' }, path: ['label'], code: 'KEY_REQUIRED' },
    { body: { label: 'x', content: ' ' }, path: ['content'], code: 'VALUE_INVALID' },
    { body: { ...least, label: 'x'.repeat(201) }, path: ['label'], code: 'VALUE_INVALID' },
    { body: { ...least, label: ['x'] }, path: ['label'], code: 'VALUE_INVALID' },
    { body: { ...least, actionTool: 'x' }, path: ['actionTool'], code: 'KEY_UNKNOWN' },
    { body: { ...least, tenant_id: 'x' }, path: ['tenant_id'], code: 'KEY_UNKNOWN' },
    {
      body: JSON.parse('{"label":"x","content":"y","__proto__":{}}'),
      path: ['__proto__'],
      code: 'KEY_UNKNOWN',
    },
    { body: { ...least, action_tool: 7 }, path: ['action_tool'], code: 'VALUE_INVALID' },
    { body: { ...least, steps: 'one' }, path: ['steps'], code: 'VALUE_INVALID' },
    { body: { ...least, steps: ['one', 2] }, path: ['steps'], code: 'VALUE_INVALID' },
    { body: { ...least, steps: Array(101).fill('x') }, path: ['steps'], code: 'VALUE_INVALID' },
    { body: { ...least, importance: 11 }, path: ['importance'], code: 'VALUE_INVALID' },
    { body: { ...least, importance: '5' }, path: ['importance'], code: 'VALUE_INVALID' },
    { body: { ...least, precondition: onSlack }, path: ['precondition'], code: 'PREDICATE_SHAPE' },
    {
      body: {
        ...least,
        precondition: ['a', { state: { path: 'a', op: 'in', value: 'slackweb' } }],
      },
      path: ['precondition', 1, 'state', 'value'],
      code: 'PREDICATE_LIST_REQUIRED',
    },
    {
      body: { ...least, precondition: [{ state: { path: 'a', op: 'regex', value: '.' } }] },
      path: ['precondition', 0, 'state', 'op'],
      code: 'PREDICATE_UNKNOWN_OPERATOR',
    },
  ])('is refused with 422 and the place of the fault: $code at $path', ({ body, path, code }) => {
    const outcome = parseProceduralCreateRequest(body)
    expect(outcome).toEqual({
      accepted: false,
      status: 422,
      issues: [{ path, code, message: expect.stringMatching(/\. \S.*\.$/s) }],
    })
  })

  it('is told everything that is wrong with it at once', () => {
    const outcome = parseProceduralCreateRequest({ importance: 99, nonsense: 1, precondition: [7] })
    expect(outcome).toMatchObject({
      accepted: false,
      issues: [
        { path: ['label'] },
        { path: ['content'] },
        { path: ['precondition', 0] },
        { path: ['importance'] },
        { path: ['nonsense'] },
      ],
    })
  })

  it('is refused and never throws, whatever it is', () => {
    const cycle: Record<string, unknown> = { ...least }
    cycle['precondition'] = [cycle]
    const trap = {
      get label() {
        throw new Error('read')
      },
    }
    for (const body of [
      cycle,
      trap,
      new Map(),
      () => {},
      { ...least, precondition: [Number.NaN] },
    ]) {
      expect(parseProceduralCreateRequest(body)).toMatchObject({ accepted: false, status: 422 })
    }
    const keys = fc.constantFrom('label', 'content', 'precondition', 'steps', '__proto__', 'x')
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.dictionary(keys, fc.jsonValue())), (body) => {
        const outcome = parseProceduralCreateRequest(body)
        if (!outcome.accepted) expect(outcome.issues.length).toBeGreaterThan(0)
        else expect(outcome.request.label).not.toBe('')
      }),
    )
  })
})

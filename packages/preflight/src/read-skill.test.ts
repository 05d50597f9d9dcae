import { describe, expect, it } from 'vitest'
import { readSkill, type SkillFault } from './read-skill.ts'
import { inCode, onWire } from './wire-names.ts'

const state = (op: unknown, value?: unknown) => ({ state: { path: 'a', op, value } })

describe('a malformed skill', () => {
  it.each<[string, unknown, SkillFault['code'], string]>([
    ['is null', null, 'PREFLIGHT_OBJECT_REQUIRED', ''],
    ['is a text', 'label', 'PREFLIGHT_OBJECT_REQUIRED', ''],
    ['is a list', [{ label: 'x' }], 'PREFLIGHT_OBJECT_REQUIRED', ''],
    ['is a function', () => ({ label: 'x' }), 'PREFLIGHT_OBJECT_REQUIRED', ''],
    ['has no label', {}, 'PREFLIGHT_VALUE_REQUIRED', 'label'],
    ['has a null label', { label: null }, 'PREFLIGHT_VALUE_REQUIRED', 'label'],
    [
      'has only an inherited label',
      Object.create({ label: 'x' }),
      'PREFLIGHT_VALUE_REQUIRED',
      'label',
    ],
    ['has a label that is a number', { label: 7 }, 'PREFLIGHT_VALUE_INVALID', 'label'],
    ['has a blank label', { label: ' \t' }, 'PREFLIGHT_VALUE_INVALID', 'label'],
    [
      'has content that is a list',
      { label: 'x', content: [] },
      'PREFLIGHT_VALUE_INVALID',
      'content',
    ],
    [
      'has an action tool that is an object',
      { label: 'x', actionTool: {} },
      'PREFLIGHT_VALUE_INVALID',
      'actionTool',
    ],
    [
      'has a blank action tool',
      { label: 'x', actionTool: ' ' },
      'PREDICATE_TOOL_NAME',
      'actionTool',
    ],
    [
      'has a padded action tool',
      { label: 'x', action_tool: 'a ' },
      'PREDICATE_TOOL_NAME',
      'action_tool',
    ],
    [
      'has an endless action tool',
      { label: 'x', actionTool: 'a'.repeat(257) },
      'PREDICATE_TOO_LARGE',
      'actionTool',
    ],
    [
      'has an importance that is a text',
      { label: 'x', importance: '9' },
      'PREFLIGHT_VALUE_INVALID',
      'importance',
    ],
    [
      'has an importance that is NaN',
      { label: 'x', importance: Number.NaN },
      'PREFLIGHT_VALUE_INVALID',
      'importance',
    ],
    [
      'has an infinite importance',
      { label: 'x', importance: 1 / 0 },
      'PREFLIGHT_VALUE_INVALID',
      'importance',
    ],
    ['has steps that are a text', { label: 'x', steps: 'one' }, 'PREFLIGHT_VALUE_INVALID', 'steps'],
    [
      'has a step that is null',
      { label: 'x', steps: ['one', null] },
      'PREFLIGHT_VALUE_INVALID',
      'steps[1]',
    ],
    [
      'has a source tag that is true',
      { label: 'x', source_tag: true },
      'PREFLIGHT_VALUE_INVALID',
      'source_tag',
    ],
    [
      'has an unknown key',
      { label: 'x', preconditions: [] },
      'PREFLIGHT_UNKNOWN_KEY',
      'preconditions',
    ],
    [
      'has an unknown key that looks like a path',
      { label: 'x', 'precondition[0].state': [] },
      'PREFLIGHT_UNKNOWN_KEY',
      '["precondition[0].state"]',
    ],
    [
      'has a key named __proto__',
      JSON.parse('{"label":"x","__proto__":{}}'),
      'PREFLIGHT_UNKNOWN_KEY',
      '__proto__',
    ],
    [
      'has a key named constructor',
      { label: 'x', constructor: 1 },
      'PREFLIGHT_UNKNOWN_KEY',
      'constructor',
    ],
    [
      'has one key in two spellings',
      { label: 'x', action_tool: 'a', actionTool: 'a' },
      'PREFLIGHT_KEY_TWICE',
      'actionTool',
    ],
    [
      'has a single object as precondition',
      { label: 'x', precondition: { tool: 'a' } },
      'PREDICATE_SHAPE',
      'precondition',
    ],
    [
      'has a blank required tool',
      { label: 'x', precondition: '' },
      'PREDICATE_TOOL_NAME',
      'precondition',
    ],
    [
      'has an unknown operator',
      { label: 'x', precondition: ['a', state('gt', 1)] },
      'PREDICATE_UNKNOWN_OPERATOR',
      'precondition[1].state.op',
    ],
    [
      'uses in with a text',
      { label: 'x', precondition: [state('in', 'slackweb')] },
      'PREDICATE_LIST_REQUIRED',
      'precondition[0].state.value',
    ],
    [
      'has an odd key in a precondition',
      { label: 'x', precondition: [{ tool: 'a', 'b c': 1 }] },
      'PREDICATE_UNKNOWN_KEY',
      'precondition[0]["b c"]',
    ],
    [
      'has a deep fault in a value',
      { label: 'x', precondition: [state('eq', [1, { k: Number.NaN }])] },
      'PREDICATE_NOT_JSON',
      'precondition[0].state.value[1].k',
    ],
    [
      'has too long a precondition',
      { label: 'x', precondition: Array(1_001).fill('a') },
      'PREDICATE_TOO_LARGE',
      'precondition',
    ],
  ])('that %s has that one fault', (_, source, code, keyPath) => {
    const faults = faultsOf(source)
    expect(faults.map((fault) => [fault.code, fault.keyPath])).toEqual([[code, keyPath]])
    expect(faults[0]?.message).toMatch(/\. [A-Z].*\.$/s)
  })

  it('reports every fault at once, with index and label', () => {
    const faults = faultsOf(
      {
        label: 'refund',
        action_tool: 3,
        importance: 'high',
        steps: [1, 'two', 3],
        nonsense: true,
        precondition: ['ok', { tool: '' }, state('eq', 1), state('regex', '.*'), 7],
      },
      4,
    )
    expect(faults.map((fault) => fault.keyPath).toSorted()).toEqual([
      'action_tool',
      'importance',
      'nonsense',
      'precondition[1].tool',
      'precondition[3].state.op',
      'precondition[4]',
      'steps[0]',
      'steps[2]',
    ])
    expect(faults.every((fault) => fault.index === 4 && fault.label === 'refund')).toBe(true)
    expect(faults.every((fault) => Object.isFrozen(fault))).toBe(true)
  })

  it('names a missing label beside the other faults', () => {
    expect(faultsOf({ importance: 'x' }).map((fault) => fault.keyPath)).toEqual([
      'label',
      'importance',
    ])
  })

  it('refuses the spelling of the wire in code', () => {
    const reading = readSkill({ label: 'x', action_tool: 'a' }, 0, inCode)
    expect(reading).toMatchObject({
      faults: [{ code: 'PREFLIGHT_UNKNOWN_KEY', keyPath: 'action_tool' }],
    })
  })
})

describe('a hostile skill', () => {
  const explosive = () => {
    throw new Error('boom')
  }

  it.each<[string, unknown, string]>([
    [
      'a getter that throws',
      Object.defineProperty({}, 'label', { get: explosive, enumerable: true }),
      '',
    ],
    ['a proxy that lists no keys', new Proxy({}, { ownKeys: explosive }), ''],
    ['a revoked proxy', revoked(), ''],
    ['steps that throw', { label: 'x', steps: new Proxy([], { get: explosive }) }, 'steps'],
    ['revoked steps', { label: 'x', steps: revoked() }, 'steps'],
  ])('%s is a fault, never a crash', (_, source, keyPath) => {
    expect(faultsOf(source)).toMatchObject([{ code: 'PREFLIGHT_VALUE_UNREADABLE', keyPath }])
  })

  it('a revoked proxy under any key is a fault, never a crash', () => {
    const keys = ['label', 'content', 'actionTool', 'precondition', 'importance', 'sourceTag']
    for (const key of keys) {
      const faults = faultsOf({ label: 'x', [key]: revoked() })
      expect(faults.map(({ keyPath }) => keyPath)).toEqual([key])
    }
  })

  it('a precondition that throws is a fault, never a crash', () => {
    const precondition = [Object.defineProperty({}, 'tool', { get: explosive, enumerable: true })]
    expect(faultsOf({ label: 'x', precondition })).toMatchObject([
      { code: 'PREDICATE_UNREADABLE', keyPath: 'precondition[0].tool' },
    ])
  })

  it('cannot change a prototype', () => {
    faultsOf(JSON.parse('{"label":"x","__proto__":{"polluted":1},"constructor":{"prototype":{}}}'))
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
})

function faultsOf(source: unknown, index = 0): readonly SkillFault[] {
  const reading = readSkill(source, index, onWire)
  if ('skill' in reading) throw new Error('expected faults, got a skill')
  return reading.faults
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable([], {})
  revoke()
  return proxy
}

import { describe, expect, it } from 'vitest'
import type { YamlFault } from './fault.ts'
import { fileError, orderFaults } from './fault-list.ts'

function fault(line: number, column: number, more: Partial<YamlFault> = {}): YamlFault {
  return { line, column, keyPath: '', code: 'PREFLIGHT_YAML_SYNTAX', message: 'Mend it.', ...more }
}

describe('the order of faults', () => {
  it('is that of lines, then columns, then of finding', () => {
    const faults = [fault(2, 1), fault(1, 9), fault(1, 2, { message: 'a' }), fault(1, 2)]
    expect(orderFaults(faults)).toEqual([faults[2], faults[3], faults[1], faults[0]])
  })

  it.each([
    [1_000, 1_000],
    [1_001, 1_001],
    [5_000, 1_001],
  ])('of %d lists %d', (count, listed) => {
    const faults = orderFaults(Array.from({ length: count }, (_, line) => fault(line + 1, 1)))
    expect(faults).toHaveLength(listed)
    expect(faults.at(-1)?.code === 'PREFLIGHT_YAML_TOO_MANY_FAULTS').toBe(count > 1_000)
  })
})

describe('the error of a file', () => {
  it('names the place, the skill, the path and the alias of each fault', () => {
    const faults = [
      fault(3, 7, {
        index: 2,
        label: 'Slack',
        keyPath: 'steps[0]',
        usedAt: { line: 9, column: 5 },
      }),
      fault(4, 1, { keyPath: 'other' }),
    ]
    expect(fileError(faults, 'rules/slack.yaml').message.split('\n')).toEqual([
      'rules/slack.yaml has 2 faults. Correct them and load the file again:',
      '- rules/slack.yaml:3:7 skill 2 (Slack), steps[0] (by the alias at 9:5): Mend it.',
      '- rules/slack.yaml:4:1 other: Mend it.',
    ])
  })

  it('does without a file name', () => {
    const error = fileError([fault(1, 1)])
    expect(error.message).toBe(
      'The file has a fault. Correct it and load the file again:\n- 1:1: Mend it.',
    )
    expect(Object.keys(error.details)).toEqual(['faults'])
  })

  it('spells out five faults and counts the rest', () => {
    const faults = orderFaults(Array.from({ length: 1_200 }, (_, line) => fault(line + 1, 1)))
    const lines = fileError(faults).message.split('\n')
    expect(lines).toHaveLength(7)
    expect(lines[0]).toContain('has more than 1000 faults')
    expect(lines[6]).toBe('- and 996 more in details.faults')
  })

  it('is one line for each fault, whatever the names', () => {
    const forged = 'x\n- other.yaml:1:1: All is well'
    const faults = [fault(1, 1, { index: 0, label: forged, keyPath: `["${forged}"]` })]
    expect(fileError(faults, forged).message.split('\n')).toHaveLength(2)
  })

  it.each([
    ['PREFLIGHT_YAML_TOO_LARGE', ['PREFLIGHT_YAML_SYNTAX', 'PREFLIGHT_YAML_TOO_LARGE']],
    ['PREFLIGHT_FRONT_MATTER_REQUIRED', ['PREFLIGHT_YAML_TAG', 'PREFLIGHT_FRONT_MATTER_REQUIRED']],
    ['PREFLIGHT_YAML_SYNTAX', ['PREFLIGHT_UNKNOWN_KEY', 'PREFLIGHT_YAML_ALIAS']],
    ['PREFLIGHT_SKILL_INVALID', ['PREFLIGHT_UNKNOWN_KEY', 'PREFLIGHT_YAML_TOO_MANY_FAULTS']],
    ['PREFLIGHT_SKILL_INVALID', ['PREFLIGHT_LIST_REQUIRED', 'PREDICATE_SHAPE']],
  ] as const)('has the code %s for faults of %j', (code, codes) => {
    expect(fileError(codes.map((code) => fault(1, 1, { code }))).code).toBe(code)
  })
})

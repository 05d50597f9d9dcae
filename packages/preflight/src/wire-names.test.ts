import { describe, expect, it } from 'vitest'
import { inCode, onWire } from './wire-names.ts'

describe('the spellings of a skill key', () => {
  it.each([
    ['actionTool', 'actionTool', 'actionTool'],
    ['action_tool', undefined, 'actionTool'],
    ['sourceTag', 'sourceTag', 'sourceTag'],
    ['source_tag', undefined, 'sourceTag'],
    ['label', 'label', 'label'],
    ['precondition', 'precondition', 'precondition'],
    ['preconditions', undefined, undefined],
    ['ACTION_TOOL', undefined, undefined],
    ['__proto__', undefined, undefined],
    ['constructor', undefined, undefined],
    ['toString', undefined, undefined],
  ])('reads %j as %s in code and as %s on the wire', (written, code, wire) => {
    expect(inCode.keyOf(written)).toBe(code)
    expect(onWire.keyOf(written)).toBe(wire)
  })

  it('suggests camelCase to code and snake_case to the wire', () => {
    expect(inCode.names).toContain('actionTool')
    expect(onWire.names).toContain('action_tool')
    expect(onWire.names).toHaveLength(inCode.names.length)
  })
})

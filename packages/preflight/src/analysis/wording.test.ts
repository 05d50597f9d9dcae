import { describe, expect, it } from 'vitest'
import { toolText } from '../inert-text.ts'
import { circleText, labelText, listText, pathText, skillsText, valueText } from './wording.ts'

describe('names in a message', () => {
  it.each([
    ['a tool', toolText('get_status'), '`get_status`'],
    ['a tool with a back-tick', toolText('a`b'), '`"a\\u{60}b"`'],
    ['a long tool', toolText('x'.repeat(100)), `\`"${'x'.repeat(61)}"…\``],
    ['a path', pathText('page.platform'), '`page.platform`'],
    ['a label', labelText({ label: 'Read first' }), '"Read first"'],
    ['a label with a quote', labelText({ label: 'Say "no"' }), '"Say \\"no\\""'],
    ['one skill', skillsText([{ label: 'A' }]), 'Skill "A"'],
    [
      'many skills',
      skillsText(['A', 'B', 'C', 'D', 'E', 'F'].map((label) => ({ label }))),
      'Skills "A", "B", "C", "D" and 2 more',
    ],
    ['a circle', circleText(['a', 'b']), '`a` needs `b` needs `a`'],
    ['a list', listText(['a', 'b', 'c'], 2), 'a, b and 1 more'],
    ['a value', valueText({ b: 'x', a: [1] }), '{"a":[1],"b":"x"}'],
    ['a value with a line separator', valueText('a\u2028`'), '"a\\u{2028}\\u{60}"'],
    ['a long value', valueText('x'.repeat(200)), `"${'x'.repeat(79)}…`],
  ])('are written out safely: %s', (_, text, expected) => {
    expect(text).toBe(expected)
  })
})

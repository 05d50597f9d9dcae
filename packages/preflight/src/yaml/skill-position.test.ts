import { describe, expect, it } from 'vitest'
import { readSkillsFromYaml } from './read-skills.ts'

function positionsOf(text: string) {
  const { positions, faults } = readSkillsFromYaml(text)
  expect(faults).toEqual([])
  return positions
}

describe('the position of a skill', () => {
  it('says where it and its parts stand', () => {
    const [position] = positionsOf(
      [
        'skills:',
        '  - content: text',
        '    label: Slack links',
        '    precondition:',
        '      - first_tool',
        '      - state: {path: a, op: exists}',
        '      - tool: second_tool',
        '      - first_tool',
        '      - state:',
        '          path: b',
        '          op: exists',
        '    action_tool: format_links',
      ].join('\n'),
    )
    expect(position).toEqual({
      index: 0,
      line: 2,
      column: 5,
      label: { line: 3, column: 12 },
      actionTool: { line: 12, column: 18 },
      tools: [
        { line: 5, column: 9 },
        { line: 7, column: 9 },
      ],
      predicates: [
        { line: 6, column: 9 },
        { line: 9, column: 9 },
      ],
    })
  })

  it('has a place for each tool and each predicate that was parsed, in the same order', () => {
    const text =
      '.p: &p {state: {path: a, op: exists}}\nskills:\n- {label: x, precondition: [b, *p, {tool: b}, c, *p, b]}\n'
    const { skills, positions } = readSkillsFromYaml(text)
    expect(skills[0]?.precondition).toMatchObject({ tools: ['b', 'c'], predicates: [{}, {}] })
    expect(positions[0]?.tools).toEqual([
      { line: 3, column: 29 },
      { line: 3, column: 47 },
    ])
    expect(positions[0]?.predicates).toEqual([
      { line: 3, column: 32 },
      { line: 3, column: 50 },
    ])
  })

  it.each([
    ['a single tool', '- {label: x, precondition: get_status}', [{ line: 1, column: 28 }]],
    ['the empty list', '- {label: x, precondition: []}', []],
    ['null', '- {label: x, precondition: , actionTool: }', []],
  ])('follows a precondition that is %s', (_, text, tools) => {
    const [position] = positionsOf(text)
    expect(position).toMatchObject({ tools, predicates: [] })
    expect(position).not.toHaveProperty('actionTool')
  })

  it('is frozen all the way down', () => {
    const positions = positionsOf('- {label: x, precondition: [a]}')
    expect(
      [positions, positions[0], positions[0]?.tools, positions[0]?.tools[0]].every(Object.isFrozen),
    ).toBe(true)
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { analyzeSkills } from '../analyze-skills.ts'
import { defineSkill } from '../define-skill.ts'

describe('the name that is advised for an unknown tool', () => {
  it('is that of the first tool which one slip leads to, however long the names', () => {
    let count = 0
    const ending = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 4 })
    const padding = fc.constantFrom('', 'q'.repeat(45), 'q'.repeat(200))
    fc.assert(
      fc.property(padding, ending, fc.uniqueArray(ending, { maxLength: 5 }), (pad, slip, ends) => {
        const unknown = slip + pad
        const tools = ends.map((end) => end + pad).filter((tool) => tool !== unknown)
        const reached = slipsOf(unknown, ['a', 'b', 'q'])
        const meant = tools.find((tool) => reached.has(tool))
        const skill = defineSkill({ label: 'S', actionTool: unknown })
        const advice = adviceOf(analyzeSkills([skill], { tools })[0]?.message ?? '')
        expect(advice).toEqual(meant === undefined ? undefined : shortened(meant))
        if (meant !== undefined) count += 1
      }),
      { numRuns: 500 },
    )
    expect(count).toBeGreaterThan(100)
  })

  // To compare each name with each tool takes minutes, and the test is given up.
  it('is found for many names among many tools', () => {
    const tools = Array.from({ length: 20_000 }, (_, at) => `tool_${at}`)
    const skills = Array.from({ length: 1_000 }, (_, at) =>
      defineSkill({
        label: `S${at}`,
        actionTool: `tool_${at}`,
        precondition: Array.from({ length: 50 }, (_, other) => `need_${at}_${other}`),
      }),
    )
    expect(analyzeSkills(skills, { tools })).toHaveLength(50_000)
  })
})

function adviceOf(message: string): string | undefined {
  return /Write `([^`]*)` if that is meant/u.exec(message)?.[1]
}

/** As messages show it: the beginning, in quotes and cut off, of a long name. */
function shortened(tool: string): string {
  if (tool.length <= 64) return tool
  return expect.stringMatching(new RegExp(`^"?${/^[ab]*/u.exec(tool)?.[0]}q+`, 'u'))
}

/** All texts that one slip makes of a name: a character more, less or other, or two swapped. */
function slipsOf(name: string, characters: readonly string[]): Set<string> {
  const slips = new Set<string>()
  for (let at = 0; at <= name.length; at += 1) {
    const [before, after] = [name.slice(0, at), name.slice(at)]
    for (const character of characters) {
      slips.add(before + character + after)
      slips.add(before + character + after.slice(1))
    }
    slips.add(before + after.slice(1))
    slips.add(before + after.slice(1, 2) + after.slice(0, 1) + after.slice(2))
  }
  return slips
}

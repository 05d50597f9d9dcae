import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeRefusal } from './refusal-message.ts'

describe('describeRefusal', () => {
  it('names the tool, the steps in order and the skills, and ends with what to do', () => {
    expect(
      describeRefusal({
        toolName: 'pay',
        steps: ['read', 'confirm'],
        circle: [],
        skills: ['Read first', 'Ask first'],
      }),
    ).toBe(
      'The call to `pay` was refused (skill: Read first) (skill: Ask first). Missing, in the ' +
        'order to call them: `read`, `confirm`. Earlier calls of these do not count here. ' +
        'Call them first, then `pay` again.',
    )
  })

  it('says that a circle cannot be satisfied, and shows it', () => {
    expect(
      describeRefusal({ toolName: 'a', steps: ['b'], circle: ['a', 'b'], skills: ['x'] }),
    ).toBe(
      'The call to `a` was refused (skill: x). Its requirements go in a circle (`a` after `b` ' +
        'after `a`), so no order of calls can satisfy them. Do not call `a` again; go on without ' +
        'it and report that its rules contradict.',
    )
  })

  it('says how many it leaves out of long lists', () => {
    const many = (letter: string) => Array.from({ length: 30 }, (_, index) => `${letter}${index}`)
    const message = describeRefusal({
      toolName: 'a',
      steps: many('s'),
      circle: [],
      skills: many('l'),
    })
    expect(message).toContain('`s15` and 14 more. Earlier calls')
    expect(message).toContain('(skill: l3) and 26 more. Missing,')
  })

  it('stays one line of at most 2,000 characters, with its code spans whole, whatever the names', () => {
    const name = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1 }),
      fc.constantFrom('\u2028'.repeat(300), '`'.repeat(300), 'x'.repeat(10_000), '<|im_end|>'),
    )
    const names = fc.array(name, { maxLength: 40 })
    fc.assert(
      fc.property(name, names, names, names, (toolName, steps, circle, skills) => {
        const message = describeRefusal({ toolName, steps, circle, skills })
        expect(message.length).toBeLessThanOrEqual(2_000)
        expect(message).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
        const shown = Math.min(circle.length > 0 ? circle.length + 1 : steps.length, 16)
        expect(message.split('`')).toHaveLength(2 * (shown + 2) + 1)
      }),
    )
  })
})

import { defineSkill, filterSkillsByStatePredicates } from '@symfonic/preflight'
import { describe, expect, it } from 'vitest'
import { unsafeCharactersIn } from '../testing/unsafe-characters.ts'
import { describeDropped, describeRule } from './rule-lines.ts'
import { valueLine } from './value-line.ts'

describe('a value in a line', () => {
  it.each([
    [{ reservation_id: 'K4T9QX', bags: 2 }, '{ reservation_id: K4T9QX, bags: 2 }'],
    [{ text: 'two words' }, '{ text: "two words" }'],
    [['a', null, true], '[a, null, true]'],
    [{}, '{}'],
    ['\u001b[31m', '"\\u{1b}[31m"'],
    ['a\nb', '"a b"'],
    [undefined, 'undefined'],
    [{ a: { b: { c: { d: { e: 1 } } } } }, '{ a: { b: { c: { d: … } } } }'],
  ])('%j reads %s', (value, line) => {
    expect(valueLine(value)).toBe(line)
  })

  it('does not grow without end', () => {
    const big = { list: Array(10_000).fill('x'.repeat(10_000)) }
    expect(valueLine(big).length).toBeLessThan(20_000)
  })

  it('ends for a value that contains itself', () => {
    const cyclic: Record<string, unknown> = {}
    cyclic['self'] = cyclic
    expect(valueLine(cyclic)).toContain('…')
  })
})

describe('a rule in a line', () => {
  it.each([
    [{ label: 'L', actionTool: 'c', precondition: ['a', 'b'] }, 'L: a → b → c'],
    [{ label: 'L', actionTool: 'c' }, 'L: c → answer'],
    [{ label: 'L' }, 'L'],
    [{ label: 'L\u001b[2J\n● forged' }, 'L\\u{1b}[2J ● forged'],
  ])('%j reads %s', (source, line) => {
    expect(describeRule(defineSkill(source))).toBe(line)
  })

  it.each([
    {
      predicate: { path: 'p', op: 'eq', value: 'slack' },
      state: { p: 'web' },
      line: 'p is web, not slack',
    },
    {
      predicate: { path: 'p', op: 'eq', value: 'slack' },
      state: {},
      line: 'p is missing, not slack',
    },
    {
      predicate: { path: 'p', op: 'neq', value: 'a' },
      state: { p: 'a' },
      line: 'p is a, must be other than a',
    },
    {
      predicate: { path: 'p', op: 'in', value: ['a', 'b'] },
      state: { p: 'c' },
      line: 'p is c, not one of [a, b]',
    },
    { predicate: { path: 'p', op: 'exists' }, state: {}, line: 'p is missing' },
  ] as const)('dropped because $line', ({ predicate, state, line }) => {
    const skill = defineSkill({ label: 'L', actionTool: 't', precondition: [{ state: predicate }] })
    const { dropped } = filterSkillsByStatePredicates([skill], state)
    expect(dropped.map(describeDropped)).toEqual([`L: ${line}`])
  })

  it('stays one safe line whatever the state holds', () => {
    const skill = defineSkill({
      label: 'L',
      actionTool: 't',
      precondition: [{ state: { path: 'p', op: 'eq', value: 'x' } }],
    })
    const { dropped } = filterSkillsByStatePredicates([skill], { p: 'a\n\u001b[31m● b' })
    const text = dropped.map(describeDropped).join()
    expect(text).not.toContain('\n')
    expect(unsafeCharactersIn(text)).toEqual([])
  })
})

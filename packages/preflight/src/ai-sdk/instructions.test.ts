import { describe, expect, it } from 'vitest'
import { createInstructionWriter } from './instructions.ts'

const system = (content: string) => ({ role: 'system' as const, content })

describe('an instruction writer', () => {
  it.each([
    ['none', undefined, []],
    ['a text', 'Own.', [system('Own.')]],
    ['a message', system('Own.'), [system('Own.')]],
    ['messages', [system('One.'), system('Two.')], [system('One.'), system('Two.')]],
  ])('puts the rules behind %s', (_case, own, kept) => {
    const { write } = createInstructionWriter(undefined)
    expect(write(own, 'Rules.')).toEqual([...kept, system('Rules.')])
    expect(write(own, '')).toEqual(kept)
  })

  it.each(['5m', '1h'] as const)('marks the rules, and nothing else, with ttl %s', (ttl) => {
    const [own, rules] = createInstructionWriter(ttl).write('Own.', 'Rules.')
    expect(own).toEqual(system('Own.'))
    expect(rules).toEqual({
      ...system('Rules.'),
      providerOptions: { anthropic: { cacheControl: { type: 'ephemeral', ttl } } },
    })
  })

  it('replaces its own rules wherever they stand, and no message that looks like them', () => {
    const { write } = createInstructionWriter(undefined)
    const [, rules = system('')] = write('Own.', 'Old rules.')
    const lookalike = system('Old rules.')
    expect(write([rules, lookalike], 'Rules.')).toEqual([lookalike, system('Rules.')])
  })

  it('does not change what it was given', () => {
    const own = [system('Own.')]
    createInstructionWriter('5m').write(own, 'Rules.')
    expect(own).toEqual([system('Own.')])
  })
})

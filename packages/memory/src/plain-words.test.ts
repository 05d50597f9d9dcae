import { describe, expect, it } from 'vitest'
import { plainWords } from './plain-words.ts'

describe('plainWords', () => {
  it.each([
    ['  Ann likes\n\tgreen TEA. ', 'ann likes green tea'],
    ['«Ann likes “green” tea!»', 'ann likes “green” tea'],
    ['It’s 5.5 kg…', "it's 5.5 kg"],
    ['Cafe\u0301', 'caf\u00e9'],
    ['他吃肉。', '他吃肉'],
    ['.NET, C++ and x²?', '.net, c++ and x²?'],
    ['?!', '?'],
    ['…!', '…!'],
    ['"', '"'],
    ['', ''],
  ])('of %j are %j', (text, plain) => {
    expect(plainWords(text)).toBe(plain)
  })

  it('reads a text of marks in a time that grows with its length', () => {
    for (const unit of ['.', ' ', '" ', '.x']) {
      expect(plainWords(`a${unit.repeat(200_000)}b`).length).toBeGreaterThan(2)
    }
  })
})

import { stemmer } from 'stemmer'
import { describe, expect, it } from 'vitest'
import { plainStems } from './irregular-forms.ts'

describe('plainStems', () => {
  it('lead at once to a stem that leads nowhere else', () => {
    expect(plainStems.size).toBeGreaterThan(150)
    const further = [...plainStems.values()].filter((stem) => stem === '' || plainStems.has(stem))
    expect(further).toEqual([])
  })

  it.each([
    ['ate', 'eating'],
    ['written', 'writes'],
    ['left', 'leaving'],
    ['died', 'die'],
    ['wives', 'wife'],
  ])('take %s where %s stands', (form, other) => {
    expect(plainStems.get(stemmer(form))).toBe(stemmer(other))
  })

  it.each(['ground', 'rose', 'wound', 'leaves', 'lives', 'left-over'])('let %s be', (word) => {
    expect(plainStems.has(stemmer(word))).toBe(false)
  })
})

import { stemmer } from 'stemmer'
import { describe, expect, it } from 'vitest'
import { plainStems } from './irregular-forms.ts'

describe('plainStems', () => {
  it('lead at once to a stem that leads nowhere else', () => {
    expect(plainStems.size).toBeGreaterThan(200)
    const further = [...plainStems].filter(([form, stem]) => {
      return stem === '' || stem === stemmer(form) || plainStems.has(stem)
    })
    expect(further).toEqual([])
  })

  it.each([
    ['ate', 'eating'],
    ['written', 'writes'],
    ['left', 'leaving'],
    ['died', 'die'],
    ['dying', 'die'],
    ['lies', 'lie'],
    ['lying', 'lie'],
    ['misunderstood', 'misunderstands'],
    ['strung', 'strings'],
    ['wives', 'wife'],
    ['policemen', 'policeman'],
    ['people', 'person'],
  ])('take %s where %s stands', (form, other) => {
    expect(plainStems.get(form)).toBe(stemmer(other))
  })

  it.each([
    ...['ground', 'rose', 'wound', 'leaves', 'lives', 'bound', 'born', 'left-over'],
    // Another word of the same stem, names, and what is short for something else.
    ...['founded', 'founder', 'drew', 'sung', 'bent', 'led', 'rung', 'spelt', 'smelt'],
  ])('let %s be', (word) => {
    expect(plainStems.has(word)).toBe(false)
  })
})

import { describe, expect, it } from 'vitest'
import { dateIn } from './dates.ts'

describe('dates in a text', () => {
  it.each([
    ['on 2027-02-03 please', '2027-02-03'],
    ['tomorrow', '2026-12-01'],
    ['today', '2026-11-30'],
    ['on the 14th december', '2026-12-14'],
    ['december 14', '2026-12-14'],
    ['jan 9th', '2027-01-09'],
    ['29 november', '2027-11-29'],
    ['2027-02-30', undefined],
    ['31 february', undefined],
    ['99 may', undefined],
    ['some day', undefined],
  ])('%s is %s', (text, date) => {
    expect(dateIn(text, '2026-11-30')).toBe(date)
  })

  it('understands full dates only when nobody told which day it is', () => {
    expect(dateIn('tomorrow', undefined)).toBeUndefined()
    expect(dateIn('2027-02-03', undefined)).toBe('2027-02-03')
  })
})

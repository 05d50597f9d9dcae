import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseInstant } from './instant.ts'

describe('parseInstant', () => {
  it.each([
    { text: '2026-03-14', iso: '2026-03-14T00:00:00.000Z' },
    { text: '2026-03-14T09:30', iso: '2026-03-14T09:30:00.000Z' },
    { text: '2026-03-14 09:30:15', iso: '2026-03-14T09:30:15.000Z' },
    { text: '2026-03-14T09:30:15.5Z', iso: '2026-03-14T09:30:15.500Z' },
    { text: '2026-03-14T09:30:15.123456Z', iso: '2026-03-14T09:30:15.123Z' },
    { text: '2026-03-14T09:30:00+01:00', iso: '2026-03-14T08:30:00.000Z' },
    { text: '2026-01-01T00:30:00+0530', iso: '2025-12-31T19:00:00.000Z' },
    { text: '2024-02-29', iso: '2024-02-29T00:00:00.000Z' },
  ])('reads $text as $iso', ({ text, iso }) => {
    expect(new Date(parseInstant(text) ?? Number.NaN).toISOString()).toBe(iso)
  })

  it.each([
    '',
    'tomorrow',
    '2026',
    '14.03.2026',
    '2026-02-30',
    '2026-13-01',
    '2026-00-10',
    '2026-03-14T24:00',
    '2026-03-14T09:60',
    '2026-03-14T09:30+20:00',
    ' 2026-03-14',
    '2026-03-14T',
    '-2026-03-14',
  ])('refuses %j', (text) => {
    expect(parseInstant(text)).toBeUndefined()
  })

  it('reads every moment as it is printed', () => {
    const moments = fc.date({
      min: new Date('0001-01-01'),
      max: new Date('9999-12-31'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(moments, (moment) => {
        expect(parseInstant(moment.toISOString())).toBe(moment.getTime())
      }),
    )
  })
})

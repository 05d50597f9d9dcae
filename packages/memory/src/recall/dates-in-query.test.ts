import { describe, expect, it } from 'vitest'
import { datesInQuery, dayInWords } from './dates-in-query.ts'

// A Friday.
const now = Date.UTC(2026, 4, 8, 15, 30)
const day = (time: number): string => new Date(time).toISOString().slice(0, 10)

describe('datesInQuery', () => {
  it.each([
    ['on 2023-05-07?', '2023-05-07', '2023-05-08'],
    ['in 2023-05', '2023-05-01', '2023-06-01'],
    ['What happened on 7 May 2023?', '2023-05-07', '2023-05-08'],
    ['the 7th of May, 2023', '2023-05-07', '2023-05-08'],
    ['May 7, 2023', '2023-05-07', '2023-05-08'],
    ['Sept 3rd 2024', '2024-09-03', '2024-09-04'],
    ['in July 2023', '2023-07-01', '2023-08-01'],
    ['in December 2023', '2023-12-01', '2024-01-01'],
    ['on 7 May', '2026-05-07', '2026-05-08'],
    ['on May 9', '2025-05-09', '2025-05-10'],
    ['in April', '2026-04-01', '2026-05-01'],
    ['last June', '2025-06-01', '2025-07-01'],
    ['back in 2022', '2022-01-01', '2023-01-01'],
    ['today', '2026-05-08', '2026-05-09'],
    ['yesterday', '2026-05-07', '2026-05-08'],
    ['tomorrow', '2026-05-09', '2026-05-10'],
    ['three days ago', '2026-05-05', '2026-05-06'],
    ['a month ago', '2026-04-01', '2026-05-01'],
    ['2 years ago', '2024-01-01', '2025-01-01'],
    ['two weeks ago', '2026-04-21', '2026-04-28'],
    ['last week', '2026-04-27', '2026-05-04'],
    ['this week', '2026-05-04', '2026-05-11'],
    ['next month', '2026-06-01', '2026-07-01'],
    ['last year', '2025-01-01', '2026-01-01'],
    ['last Friday', '2026-05-01', '2026-05-02'],
    ['on Monday', '2026-05-04', '2026-05-05'],
    ['next Friday', '2026-05-15', '2026-05-16'],
  ])('reads %j', (query, from, before) => {
    const spans = datesInQuery(query, { now })
    expect(spans.map((span) => [day(span.from), day(span.before)])).toEqual([[from, before]])
  })

  it.each([
    'You may march on.',
    'Who is April?',
    'on 31 June 2023-13-40',
    'room 2001a',
    'the 31st of June',
    'second day',
    '',
  ])('reads no date in %j', (query) => {
    expect(datesInQuery(query, { now })).toEqual([])
  })

  it('reads several, each once, and not without end', () => {
    expect(datesInQuery('between 3 May 2023 and 5 May 2023', { now })).toHaveLength(2)
    expect(datesInQuery('1999 '.repeat(1_000), { now })).toHaveLength(8)
  })
})

describe('dayInWords', () => {
  it('names a day in UTC', () => {
    expect(dayInWords(now)).toBe('Friday 8 May 2026')
  })
})

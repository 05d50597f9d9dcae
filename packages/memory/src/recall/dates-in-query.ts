/** A span of time, epoch milliseconds: from inclusive, before exclusive. Days begin in UTC. */
export interface TimeSpan {
  readonly from: number
  readonly before: number
}

const dayMs = 86_400_000

const monthNames = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
]

const dayNames = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

const numberWords = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']

/** Spans that are read of one query. */
const mostSpans = 8

/** Characters of a query that are searched for dates. */
const searchedChars = 2_000

const month =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)'
const day = '(\\d{1,2})(?:st|nd|rd|th)?'
const year = '((?:19|20)\\d\\d)'

type Reader = (found: readonly (string | undefined)[], now: number) => TimeSpan | undefined

/** Tried in turn; what one reads is not read again by those after it. */
const readers: readonly [pattern: RegExp, read: Reader][] = [
  [
    new RegExp(`\\b${year}-(\\d\\d)-(\\d\\d)\\b`, 'g'),
    ([, y, m, d]) => daySpan(Number(y), Number(m) - 1, Number(d)),
  ],
  [
    new RegExp(`\\b${day} (?:of )?${month}\\.?(?:,? ${year})?\\b`, 'g'),
    ([, d, m, y], now) => namedDay(m, Number(d), y, now),
  ],
  [
    new RegExp(`\\b${month}\\.? ${day}(?:,? ${year})?\\b`, 'g'),
    ([, m, d, y], now) => namedDay(m, Number(d), y, now),
  ],
  [
    new RegExp(`\\b${month}\\.?,? (?:of )?${year}\\b`, 'g'),
    ([, m, y]) => monthSpan(Number(y), monthOf(m)),
  ],
  [new RegExp(`\\b${year}-(\\d\\d)\\b`, 'g'), ([, y, m]) => monthSpan(Number(y), Number(m) - 1)],
  [
    // "may" and "march" are more than months: alone they need a preposition before them.
    new RegExp(`\\b(?:in|during|since|until|last|this|next|early|late|mid) ${month}\\b`, 'g'),
    ([, m], now) => latestMonth(monthOf(m), now),
  ],
  [new RegExp(`\\b${year}\\b`, 'g'), ([, y]) => monthsFrom(Number(y), 0, 12)],
  [
    /\b(today|tonight|yesterday|tomorrow)\b/g,
    ([, word], now) => {
      const days = word === 'yesterday' ? -1 : word === 'tomorrow' ? 1 : 0
      return spanOfDays(startOfDay(now) + days * dayMs, 1)
    },
  ],
  [
    /\b(\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten) (day|week|month|year)s? ago\b/g,
    ([, count, unit], now) => ago(countOf(count), unit, now),
  ],
  [
    /\b(last|past|this|next) (week|month|year)\b/g,
    ([, which, unit], now) => {
      return stepOf(unit, which === 'next' ? 1 : which === 'this' ? 0 : -1, now)
    },
  ],
  [
    /\b(?:(last|this|next) |on )(sunday|monday|tuesday|wednesday|thursday|friday|saturday)\b/g,
    ([, which, name], now) => weekday(dayNames.indexOf(name ?? ''), which === 'next', now),
  ],
]

/**
 * The dates a query names: ISO days and months, English dates with or without a year, years, and words
 * such as "yesterday", "two weeks ago", "last Friday" or "next month". A month or day without a year is
 * the latest one that has begun. At most eight spans, in the order of the table above.
 *
 * @param options.now - Epoch milliseconds that relative words are read against.
 */
export function datesInQuery(query: string, { now }: { now: number }): readonly TimeSpan[] {
  let rest = query.slice(0, searchedChars).toLowerCase()
  const spans: TimeSpan[] = []
  for (const [pattern, read] of readers) {
    for (const found of rest.matchAll(pattern)) {
      const span = spans.length < mostSpans ? read(found, now) : undefined
      if (span !== undefined) spans.push(span)
    }
    rest = rest.replace(pattern, ' ; ')
  }
  return spans
}

/** The words by which a day may be asked for, such as `Friday 8 May 2023`. In UTC. */
export function dayInWords(time: number): string {
  const date = new Date(time)
  const [weekdayName = '', monthName = ''] = [
    dayNames[date.getUTCDay()],
    monthNames[date.getUTCMonth()],
  ]
  return `${capital(weekdayName)} ${date.getUTCDate()} ${capital(monthName)} ${date.getUTCFullYear()}`
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1)
}

function monthOf(name: string | undefined): number {
  const start = (name ?? '').slice(0, 3)
  return monthNames.findIndex((each) => each.startsWith(start))
}

function countOf(text: string | undefined): number {
  const word = numberWords.indexOf(text ?? '')
  if (word >= 0) return word + 1
  return text === 'a' || text === 'an' ? 1 : Number(text)
}

function startOfDay(time: number): number {
  return Math.floor(time / dayMs) * dayMs
}

function spanOfDays(from: number, days: number): TimeSpan {
  return { from, before: from + days * dayMs }
}

function daySpan(y: number, m: number, d: number): TimeSpan | undefined {
  const from = Date.UTC(y, m, d)
  // The 31st of June is no day.
  return new Date(from).getUTCMonth() === m && d > 0 ? spanOfDays(from, 1) : undefined
}

function monthsFrom(y: number, m: number, count: number): TimeSpan {
  return { from: Date.UTC(y, m), before: Date.UTC(y, m + count) }
}

function monthSpan(y: number, m: number): TimeSpan | undefined {
  return m >= 0 && m < 12 ? monthsFrom(y, m, 1) : undefined
}

function namedDay(
  name: string | undefined,
  d: number,
  y: string | undefined,
  now: number,
): TimeSpan | undefined {
  const m = monthOf(name)
  if (y !== undefined) return daySpan(Number(y), m, d)
  const thisYear = new Date(now).getUTCFullYear()
  const span = daySpan(thisYear, m, d)
  return span !== undefined && span.from <= now ? span : daySpan(thisYear - 1, m, d)
}

function latestMonth(m: number, now: number): TimeSpan | undefined {
  const thisYear = new Date(now).getUTCFullYear()
  const span = monthSpan(thisYear, m)
  return span !== undefined && span.from <= now ? span : monthSpan(thisYear - 1, m)
}

/** A stretch around a time ago, as wide as its unit is vague. */
function ago(count: number, unit: string | undefined, now: number): TimeSpan | undefined {
  const date = new Date(now)
  const [y, m] = [date.getUTCFullYear(), date.getUTCMonth()]
  if (unit === 'day') return spanOfDays(startOfDay(now) - count * dayMs, 1)
  if (unit === 'week') return spanOfDays(startOfDay(now) - count * 7 * dayMs - 3 * dayMs, 7)
  return unit === 'month' ? monthsFrom(y, m - count, 1) : monthsFrom(y - count, 0, 12)
}

/** The week (from Monday), month or year that many steps from this one. */
function stepOf(unit: string | undefined, steps: number, now: number): TimeSpan {
  const date = new Date(now)
  const [y, m] = [date.getUTCFullYear(), date.getUTCMonth()]
  if (unit === 'month') return monthsFrom(y, m + steps, 1)
  if (unit === 'year') return monthsFrom(y + steps, 0, 12)
  const monday = startOfDay(now) - ((date.getUTCDay() + 6) % 7) * dayMs
  return spanOfDays(monday + steps * 7 * dayMs, 7)
}

/** The latest such day before today, or the first one after it. */
function weekday(wanted: number, isNext: boolean, now: number): TimeSpan {
  const today = new Date(now).getUTCDay()
  const days = isNext ? ((wanted - today + 6) % 7) + 1 : -(((today - wanted + 6) % 7) + 1)
  return spanOfDays(startOfDay(now) + days * dayMs, 1)
}

const months = [
  ...['january', 'february', 'march', 'april', 'may', 'june', 'july'],
  ...['august', 'september', 'october', 'november', 'december'],
]

const monthNames = months.map((name) => `${name.slice(0, 3)}(?:${name.slice(3)})?`).join('|')
const dayFirst = new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?\\s+(${monthNames})\\b`)
const monthFirst = new RegExp(`\\b(${monthNames})\\s+(\\d{1,2})(?:st|nd|rd|th)?\\b`)

/**
 * The date a text speaks of, as an ISO date: `2027-01-09`, `9 January`, `Jan 9`, `tomorrow`. A day
 * without a year is the next one from today.
 *
 * @param text - Lower case.
 * @param today - ISO date; without it only full dates are understood.
 */
export function dateIn(text: string, today: string | undefined): string | undefined {
  const written = text.match(/\b\d{4}-\d{2}-\d{2}\b/)?.[0]
  if (written !== undefined) return isoOf(written)
  if (today === undefined) return undefined
  if (/\btomorrow\b/.test(text)) return isoOf(Date.parse(today) + 86_400_000)
  if (/\btoday\b/.test(text)) return today

  const [, day, name] = text.match(dayFirst) ?? []
  const [, nameFirst, dayAfter] = text.match(monthFirst) ?? []
  const month = monthNumber(name ?? nameFirst)
  if (month === undefined) return undefined
  const year = Number(today.slice(0, 4))
  const [thisYear, nextYear] = [year, year + 1].map((each) =>
    isoOf(`${each}-${pad(month)}-${pad(Number(day ?? dayAfter))}`),
  )
  return thisYear !== undefined && thisYear >= today ? thisYear : nextYear
}

function monthNumber(name: string | undefined): number | undefined {
  if (name === undefined) return undefined
  const index = months.findIndex((month) => month.startsWith(name))
  return index < 0 ? undefined : index + 1
}

/** undefined for a day that does not exist. */
function isoOf(time: string | number): string | undefined {
  const date = new Date(time)
  if (Number.isNaN(date.getTime())) return undefined
  const iso = date.toISOString().slice(0, 10)
  return typeof time === 'string' && iso !== time ? undefined : iso
}

function pad(value: number): string {
  return String(value).padStart(2, '0')
}

import { reservationsIn } from './details.ts'

/** One entry of a tool result. */
export type ResultRecord = Readonly<Record<string, unknown>>

const depthLimit = 3
const recordLimit = 50

/** The entries of a tool result: of the first list in it, or the result itself. */
export function recordsIn(value: unknown, depth = 0): readonly ResultRecord[] {
  if (Array.isArray(value)) return value.filter(isRecord).slice(0, recordLimit)
  if (!isRecord(value)) return []
  if (depth < depthLimit) {
    for (const part of Object.values(value)) {
      if (Array.isArray(part)) return recordsIn(part, depth + 1)
    }
  }
  return [value]
}

/**
 * The entries that fit best what somebody said; all of them when none fits at all. A place counts
 * where the sentence puts it: a trip to Rome ends there.
 *
 * @param words - Lower case.
 */
export function matching(records: readonly ResultRecord[], words: string): readonly ResultRecord[] {
  const wanted = [...words.matchAll(/(?:\b(to|from) )?(\p{L}{4,})/gu)]
  const scores = records.map((record) => {
    let score = 0
    for (const [, direction, word] of wanted) {
      for (const [key, value] of Object.entries(record)) {
        if (String(value).toLowerCase() !== word) continue
        score += direction === undefined || ends[direction]?.test(key) ? 2 : 1
      }
    }
    return score
  })
  const best = Math.max(0, ...scores)
  return records.filter((_, index) => scores[index] === best)
}

const ends: Readonly<Record<string, RegExp>> = {
  to: /^(?:dest|arriv|to)/i,
  from: /^(?:orig|depart|from)/i,
}

/** An entry in one line of Markdown, whatever its fields: codes bold, addresses as links. */
export function describeRecord(record: ResultRecord): string {
  const { origin, destination, ...others } = record
  if (origin === undefined || destination === undefined) return describeFields(record)
  return describeFields(others, `${origin} → ${destination}`)
}

function describeFields(record: ResultRecord, route?: string): string {
  const [first, ...fields] = Object.entries(record).filter(([, part]) => !isRecord(part))
  const head = first === undefined ? [] : [describeField(first)]
  return [...head, route ?? [], ...fields.map(describeField)].flat().join(', ')
}

function describeField([key, value]: [string, unknown]): string {
  const text = String(value)
  const words = key.replace(/_/g, ' ')
  if (reservationsIn(text)[0] === text) return `**${text}**`
  if (/^https?:\/\/\S+$/.test(text)) return `[${words}](${text})`
  if (key === 'status' || key === 'date') return text
  const [, label] = words.match(/^(.+) eur$/) ?? []
  return label === undefined ? `${words} ${text}` : `${label} ${text} EUR`
}

function isRecord(value: unknown): value is ResultRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

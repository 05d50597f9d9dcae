import { dateIn } from './dates.ts'

/** What a clause says about the thing to do. What it does not say is absent. */
export interface Details {
  /** Reservation codes, upper case, in order. */
  readonly reservations: readonly string[]
  /** Does it point back (`it`, `that one`) to a reservation named before? */
  readonly pointsBack: boolean
  readonly travellerId?: string
  /** Whose it is: a name, or the speaker. */
  readonly whose?: { readonly name: string } | 'mine'
  readonly flight?: string
  /** Cities, where somebody said from which one to which. */
  readonly route?: { readonly from: string; readonly to: string }
  /** ISO date. */
  readonly date?: string
  /** A number of bags, as it was written: `2` or `two`. */
  readonly bags?: string
  /** The preference in a sentence such as "remember that I like a window seat". */
  readonly note?: string
  /** The clause as it was written. */
  readonly clause: string
  /** The clause itself, lower case, to look for other words in. */
  readonly words: string
}

const numberWords = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']

/** Picks the details out of a clause. @param today - ISO date, if the model knows it. */
export function detailsIn(clause: string, today: string | undefined): Details {
  const words = clause.toLowerCase()
  const travellerId = clause.match(/\b[a-z]-\d{2,6}\b/i)?.[0]?.toUpperCase()
  const whose = whoseIn(clause)
  const flight = flightIn(clause)
  const route = routeIn(clause)
  const date = dateIn(words, today)
  const bags = bagsIn(words)
  const note = noteIn(clause)
  return {
    reservations: reservationsIn(clause),
    pointsBack: /\b(?:it|that one|this one|that (?:reservation|booking|trip|flight))\b/.test(words),
    ...(travellerId !== undefined && { travellerId }),
    ...(whose !== undefined && { whose }),
    ...(flight !== undefined && { flight }),
    ...(route !== undefined && { route }),
    ...(date !== undefined && { date }),
    ...(bags !== undefined && { bags }),
    ...(note !== undefined && { note }),
    clause,
    words,
  }
}

/** Reservation codes in a text: six letters and digits, some of each. Upper case, each once. */
export function reservationsIn(text: string): string[] {
  const codes = text.match(/\b[a-z0-9]{6}\b/gi) ?? []
  const mixed = codes.filter(
    (code) => /\d/.test(code) && /[a-z]/i.test(code) && !/^[a-z]{2}\d{4}$/i.test(code),
  )
  return [...new Set(mixed.map((code) => code.toUpperCase()))]
}

/** The number a person wrote as a word or in digits; undefined for anything else. */
export function numberFrom(text: string): number | undefined {
  const word = numberWords.indexOf(text.trim().toLowerCase())
  if (word >= 0) return word
  return /^\s*\d{1,6}\s*$/.test(text) ? Number(text) : undefined
}

const city = '(\\p{Lu}[\\p{L}-]{1,30})'
const fromTo = new RegExp(`\\bfrom ${city} to ${city}`, 'u')

function routeIn(clause: string): Details['route'] {
  const [, from, to] = clause.match(fromTo) ?? []
  return from && to ? { from, to } : undefined
}

/** A flight number, without a blank. */
export function flightIn(clause: string): string | undefined {
  const [, code, number] =
    clause.match(/\b([A-Za-z]{2})(\d{3,4})\b/) ?? clause.match(/\b([A-Z]{2}) (\d{3,4})\b/) ?? []
  return code && number ? `${code.toUpperCase()}${number}` : undefined
}

function bagsIn(words: string): string | undefined {
  const pattern = new RegExp(
    `\\b(\\d{1,3}|${numberWords.join('|')}|an?|another)\\s+(?:\\w{1,12}\\s+){0,2}(?:bags?|suitcases?|pieces?)\\b`,
  )
  const [, count] = words.match(pattern) ?? []
  return count === undefined || /^a/.test(count) ? count && '1' : count
}

/** A name of two capitalised words, or of one word. */
const name = '(\\p{Lu}\\p{L}{1,30} \\p{Lu}\\p{L}{1,30}|\\p{L}{2,30})'
const owner = new RegExp(`\\b${name}['’]s\\b`, 'gu')
const lookedFor = new RegExp(
  `\\b(?:[Ww]ho is|[Ww]ho['’]s|[Ll]ook up|called|named|[Dd]oes|[Tt]ravell?er|[Pp]assenger|[Cc]ustomer) ${name}`,
  'gu',
)
const named = new RegExp(`\\b(?:for|of|[Ff]ind) (?=\\p{Lu})${name}(?![\\p{L}\\d])`, 'gu')

/** Words that stand where a name may stand. */
const notNames =
  /^(?:an?|the|my|me|this|that|what|it|let|he|she|anybody|anyone|who|here|there|where|how|when|today|tomorrow|flight|travell?er|passenger|customer)\b/i

function whoseIn(clause: string): Details['whose'] {
  // The capital a sentence begins with makes no name of a verb.
  const words = clause.replace(/^\p{Lu}(?=\p{L}* )/u, (letter) => letter.toLowerCase())
  for (const pattern of [owner, lookedFor, named]) {
    for (const [, found] of words.matchAll(pattern)) {
      if (found !== undefined && !notNames.test(found)) return { name: found }
    }
  }
  return /\b(?:my|mine|me|i|i'm|i’m)\b/i.test(clause) ? 'mine' : undefined
}

function noteIn(clause: string): string | undefined {
  const note = clause
    .replace(/^(?:please\s+)?(?:remember|note(?: down)?|keep in mind|save|store)\b[\s,:]*/i, '')
    .replace(/^(?:that|this)\b[\s,:]*/i, '')
    .replace(
      /^i\s+(?:(?:really|always|usually)\s+)?(?:like|love|prefer|want|need|take|eat|am)\s+/i,
      '',
    )
    .replace(/^(?:an?|the|to have)\s+/i, '')
    .replace(/[\s.!]*(?:,? please)?[\s.!]*$/i, '')
    .slice(0, 200)
  return note === '' ? undefined : note
}

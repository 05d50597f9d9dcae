import type { DeedName } from './deeds.ts'
import { type Details, detailsIn, flightIn, reservationsIn } from './details.ts'

/** Something the user wants. */
export type Goal =
  | { readonly kind: 'deed'; readonly deed: DeedName; readonly details: Details }
  /** Told not to do something: nothing is done. */
  | { readonly kind: 'refrain' }
  | { readonly kind: 'greet' }
  | { readonly kind: 'thank' }
  /** Asked what can be done here. */
  | { readonly kind: 'help' }
  | { readonly kind: 'unknown' }

/** Longer messages are understood as far as this, in characters. */
const attentionChars = 2_000
/** More wishes than this in one message are not followed. */
const goalLimit = 5

/**
 * Understands a message, clause by clause. What it cannot place is an `unknown` goal; a message that
 * has any other keeps only those.
 *
 * @param today - ISO date, for days without a year.
 */
export function understand(said: string, today: string | undefined): readonly Goal[] {
  const goals = clausesOf(said.slice(0, attentionChars)).flatMap((clause) => goalsIn(clause, today))
  const placed = goals.filter(({ kind }) => kind !== 'unknown')
  const wishes = placed.filter(({ kind }) => kind !== 'greet' && kind !== 'thank')
  if (wishes.length > 0) return wishes.slice(0, goalLimit)
  return placed.length > 0 ? placed.slice(0, 1) : [{ kind: 'unknown' }]
}

const openings =
  "cancel|change|move|switch|rebook|reschedule|show|list|read|look|find|remember|note|keep|add|what|which|who|tell|do not|don['’]t|please"
const boundary = new RegExp(
  `[.;!?]\\s+|\\n+|,?\\s+(?:and then|and also|then|and|but)\\s+(?=(?:${openings})\\b)`,
  'i',
)

function clausesOf(said: string): string[] {
  return said
    .replace(/[^\S\n]+/g, ' ')
    .split(boundary)
    .map((clause) => clause.trim())
    .filter((clause) => clause !== '')
}

function goalsIn(clause: string, today: string | undefined): Goal[] {
  const [kind] = kinds.find(([, matches]) => matches(clause.toLowerCase(), clause)) ?? ['unknown']
  switch (kind) {
    case 'refrain':
    case 'greet':
    case 'thank':
    case 'help':
    case 'unknown':
      return [{ kind }]
    default: {
      const details = detailsIn(clause, today)
      // Several codes in one clause are as many wishes.
      const each = details.reservations.map((code) => ({ ...details, reservations: [code] }))
      return (each.length > 1 ? each : [details]).map((details) => ({
        kind: 'deed',
        deed: kind,
        details,
      }))
    }
  }
}

type Kind = DeedName | Exclude<Goal['kind'], 'deed'>

const acting = /\b(?:cancel|change|move|switch|rebook|reschedule|remove|delete|add)/

/** In order: the first that matches a clause decides it. Lower case first, then as written. */
const kinds: readonly (readonly [Kind, (clause: string, written: string) => boolean])[] = [
  ['remember', (clause) => /^(?:please )?(?:remember|note|keep in mind|save|store)\b/.test(clause)],
  [
    'recall',
    (clause) =>
      asks(clause) && /\b(?:prefer|remember|noted?\b|know (?:about me|what i))/.test(clause),
  ],
  [
    'recall',
    (clause) => asks(clause) && /\bdo i (?:\w{1,10} )?(?:like|love|want|take|eat)\b/.test(clause),
  ],
  ['recall', (clause) => /\bmy preferences?\b|\brecall\b/.test(clause)],
  ['remember', (clause) => /^i (?:\w{1,10} )?(?:like|love|prefer|eat)\b/.test(clause)],
  [
    'refrain',
    (clause) =>
      /\b(?:do not|don['’]t|never|no need to|rather not)\b/.test(clause) && acting.test(clause),
  ],
  ['show', (clause) => wonders(clause) && reservationsIn(clause).length > 0],
  ['help', (clause) => wonders(clause) && acting.test(clause)],
  ['cancel', (clause) => /\b(?:cancel|cancell?ing|call off|scrap|annul)\b/.test(clause)],
  ['cancel', (clause) => /\b(?:want|need|get|have|like)\b.{0,60}\bcancell?ed\b/.test(clause)],
  [
    'add-bags',
    (clause) => /\b(?:bags?|baggage|luggage|suitcases?)\b/.test(clause) && !asks(clause),
  ],
  ['change-flight', (clause) => /\b(?:change|move|switch|rebook|reschedule)\b/.test(clause)],
  ['show', (clause) => reservationsIn(clause).length > 0],
  ['find-flight', (clause, written) => asks(clause) && flightIn(written) !== undefined],
  [
    'find-flight',
    (clause) => /\bflights?\b.{0,40} from .{2,40} to /.test(clause) && !/\bmy\b/.test(clause),
  ],
  ['list', (clause) => /\b(?:reservations|bookings|trips|flights)\b/.test(clause)],
  ['show', (clause) => /\b(?:reservation|booking|trip|flight)\b/.test(clause)],
  [
    'look-up',
    (clause) => /\b(?:travell?er|passenger|customer|who is|who['’]s|look up)\b/.test(clause),
  ],
  ['look-up', (_, written) => /\b[Ff]ind \p{Lu}/u.test(written)],
  [
    'remember',
    (clause) => /^(?:by the way,? )?i (?:\w{1,10} )?(?:am|travel|live|work|hate)\b/.test(clause),
  ],
  ['help', (clause) => /\bhelp\b|\bwhat can you\b|\bwhat do you do\b/.test(clause)],
  ['thank', (clause) => /\b(?:thanks|thank you|cheers|bye|goodbye)\b/.test(clause)],
  ['greet', (clause) => /^(?:hi|hello|hey|good (?:morning|afternoon|evening))\b/.test(clause)],
]

function asks(clause: string): boolean {
  return /^(?:(?:so|and) )?(?:what|which|where|when|how many|how much|do|does|did|is|are|was|tell|show|list)\b/.test(
    clause,
  )
}

/** Asks about doing something, and does not ask for it. */
function wonders(clause: string): boolean {
  return /\b(?:what (?:happens )?if|how (?:do|can|would)|should i|can i|could i|may i)\b/.test(
    clause,
  )
}

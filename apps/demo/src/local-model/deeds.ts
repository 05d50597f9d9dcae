import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider'

/** What the model understands somebody may want done. */
export type DeedName =
  | 'cancel'
  | 'change-flight'
  | 'add-bags'
  | 'show'
  | 'find-flight'
  | 'list'
  | 'look-up'
  | 'remember'
  | 'recall'

/** One deed: how to name it, and by which words to know a tool that does it. */
interface Deed {
  /** Completes "I can …". */
  readonly what: string
  /** Stems of verbs, best first. */
  readonly verbs: readonly string[]
  /** Stems of what it is done to. */
  readonly things: readonly string[]
}

/** The deeds, in the order in which the model offers them. */
export const deeds: Readonly<Record<DeedName, Deed>> = {
  list: {
    what: "list somebody's reservations",
    verbs: ['list', 'search', 'find'],
    things: ['reservations', 'bookings', 'trips'],
  },
  show: {
    what: 'show a reservation',
    verbs: ['read', 'show', 'get', 'fetch', 'view', 'open'],
    things: ['reservation', 'booking', 'trip'],
  },
  'find-flight': {
    what: 'search flights',
    verbs: ['search', 'find', 'list'],
    things: ['flights', 'offers', 'connections'],
  },
  cancel: {
    what: 'cancel a reservation',
    verbs: ['cancel', 'void', 'annul'],
    things: ['reservation', 'booking', 'trip'],
  },
  'change-flight': {
    what: 'change a flight',
    verbs: ['change', 'rebook', 'move', 'switch'],
    things: ['flight'],
  },
  'add-bags': {
    what: 'add bags',
    verbs: ['add', 'buy'],
    things: ['bag', 'luggage'],
  },
  'look-up': {
    what: 'look up a traveller',
    verbs: ['find', 'look', 'get', 'search'],
    things: ['traveller', 'traveler', 'passenger', 'customer'],
  },
  remember: {
    what: 'remember what you like',
    verbs: ['remember', 'save', 'store', 'note'],
    things: ['preference', 'memory'],
  },
  recall: {
    what: 'tell you what I have noted for you',
    verbs: ['recall', 'read', 'get', 'load'],
    things: ['preference', 'memory'],
  },
}

/** The names of the deeds. */
export const deedNames = Object.keys(deeds) as DeedName[]

/**
 * The tool that does a deed, by its name and its description, or undefined when there is none: then
 * the deed cannot be done. A verb counts in the tool's name and as the first word of its description
 * only, so that a tool which merely mentions cancelling is not taken for one that cancels.
 */
export function findToolFor(
  deed: DeedName,
  tools: readonly LanguageModelV4FunctionTool[],
): LanguageModelV4FunctionTool | undefined {
  let best: LanguageModelV4FunctionTool | undefined
  let bestScore = 0
  for (const tool of tools) {
    const score = scoreOf(deed, tool)
    if (score > bestScore) {
      best = tool
      bestScore = score
    }
  }
  return best
}

function scoreOf(deed: DeedName, { name, description = '' }: LanguageModelV4FunctionTool): number {
  const { verbs, things } = deeds[deed]
  const nameWords = wordsOf(name)
  const [opening = '', ...others] = wordsOf(description.split(/[.:]/, 1)[0] ?? '')
  const verb = verbs.findIndex((stem) => [...nameWords, opening].some((word) => isForm(word, stem)))
  const thingInName = things.some((stem) => nameWords.some((word) => isForm(word, stem)))
  const thingInText = things.some((stem) => others.some((word) => isForm(word, stem)))
  if (verb < 0 || !(thingInName || thingInText)) return 0
  return 10 - verb + (thingInName ? 20 : 0) + (nameWords[0] === verbs[verb] ? 5 : 0)
}

function wordsOf(text: string): string[] {
  return text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '')
}

function isForm(word: string, stem: string): boolean {
  return word.startsWith(stem)
}

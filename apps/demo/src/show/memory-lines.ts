import { fullNameOf } from '../desk/speaker.ts'
import type {
  KnownEntry,
  MemoryCorrectedEvent,
  MemoryEvent,
  MemoryExplainedEvent,
  MemoryForgottenEvent,
  MemoryLearnedEvent,
  MemoryRecalledEvent,
  MemoryShownEvent,
} from '../talk/own-memory.ts'
import { count } from './amounts.ts'
import { printableLine } from './printable.ts'
import { cut } from './wrap.ts'

/** What came to mind for a turn, in a line: `2 recalled by text, recency: "window seat" · "I like…"`. */
export function describeRecalledEntries({ items }: MemoryRecalledEvent): string {
  if (items.length === 0) return 'nothing recalled'
  const signals = new Set(items.flatMap(({ because }) => because.map(({ signal }) => signal)))
  const shown = items.slice(0, briefItems).map(({ content }) => quoted(content, briefChars))
  const more = items.length > shown.length ? ' · …' : ''
  const by = [...signals].join(', ')
  return printableLine(`${items.length} recalled by ${by}: ${shown.join(' · ')}${more}`)
}

/**
 * What memory has of a turn: a line for what was said and kept, and one for each note that the model
 * wrote for memory, which nobody has seen.
 */
export function describeLearned({ entries }: MemoryLearnedEvent): readonly string[] {
  const said = entries.filter(({ provenance }) => provenance.source === 'turn').length
  const others = entries.filter(({ provenance }) => provenance.source !== 'turn')
  return [
    `${said} said`,
    ...others.map((entry) => `${originOf(entry)}: ${kindOf(entry)} ${quoted(entry.content)}`),
  ].map(printableLine)
}

/** An answer to a command about memory, for the page. */
export function describeMemory(event: MemoryAnswer): string {
  switch (event.type) {
    case 'memory-shown':
      return describeShown(event)
    case 'memory-explained':
      return describeExplained(event)
    case 'memory-corrected':
      return describeCorrected(event)
    case 'memory-forgotten':
      return describeForgotten(event)
  }
}

/** What answers a command. */
export type MemoryAnswer = Exclude<MemoryEvent, MemoryRecalledEvent | MemoryLearnedEvent>

function describeShown({ speaker, blocks, entries }: MemoryShownEvent): string {
  const whose = `${fullNameOf(speaker.user)} on ${speaker.platform}`
  if (entries.length === 0) return printableLine(`Nothing is remembered of ${whose}.`)
  return [
    `${entriesOf(entries.length)} of ${whose}`,
    ...blocks.map(({ layer, label, entryCount, importance }) => {
      const name = label === layer ? layer : `${layer}, ${label}`
      return `block    ${name}: ${entriesOf(entryCount)}, importance up to ${importance}`
    }),
    ...entries.map(describeEntry),
  ]
    .map(printableLine)
    .join('\n')
}

function describeEntry(entry: KnownEntry): string {
  const { id, content, importance, recallCount, supersededBy } = entry
  const about = [
    kindOf(entry),
    `importance ${importance}`,
    originOf(entry),
    ...(recallCount > 0 ? [`recalled ${count(recallCount)}×`] : []),
    ...(supersededBy === undefined ? [] : [`replaced by ${shortId(supersededBy)}`]),
  ]
  return `${shortId(id)} ${quoted(content)} (${about.join('; ')})`
}

function describeExplained({ recalled }: MemoryExplainedEvent): string {
  if (recalled === undefined) return 'You had no turn yet, so nothing was recalled.'
  const { query, items, tokens } = recalled
  return [
    `asked    ${quoted(query)}: ${entriesOf(items.length)} recalled, ${count(tokens)} tokens`,
    ...items.flatMap((item) => [
      describeEntry(item),
      `         ${item.because.map(({ signal, rank }) => `${signal} #${rank}`).join(', ')}; of ${Object.values(item.scope).join(' / ')}`,
    ]),
  ]
    .map(printableLine)
    .join('\n')
}

function describeCorrected({ id, content, outcome }: MemoryCorrectedEvent): string {
  if (outcome.corrected) {
    return printableLine(
      `${shortId(id)} is replaced by ${shortId(outcome.id)}: ${quoted(content)}. /memory shows both.`,
    )
  }
  return outcome.reason === 'conflict'
    ? 'It was changed by others meanwhile. Try again.'
    : 'Nothing of yours that still holds has this id, or several things do. /memory shows the ids.'
}

function describeForgotten({ speaker, removed, left }: MemoryForgottenEvent): string {
  const whose = `${fullNameOf(speaker.user)} on ${speaker.platform}`
  return printableLine(`${entriesOf(removed)} of ${whose} removed for good; ${left} left.`)
}

const briefItems = 3
const briefChars = 30
const longestChars = 120

function quoted(text: string, chars = longestChars): string {
  return `"${cut(printableLine(text), chars)}"`
}

function entriesOf(amount: number): string {
  return amount === 1 ? '1 entry' : `${count(amount)} entries`
}

/** `episodic turn`, `semantic preference, seat`. */
function kindOf({ layer, kind, label }: KnownEntry): string {
  return `${layer}${kind === undefined ? '' : ` ${kind}`}${label === undefined ? '' : `, ${label}`}`
}

/** Who wrote it. */
function originOf({ provenance }: KnownEntry): string {
  const { source, author, tool } = provenance
  switch (source) {
    case 'turn':
      return `said by ${author === 'user' ? 'you' : 'the assistant'}`
    case 'extraction':
      return 'noted by the model, unseen'
    case 'tool':
      return `by ${tool}`
    case 'author':
      return `by ${author}`
    case 'system':
      return 'by the desk'
  }
}

/** Enough of an id to know an entry again. */
function shortId(id = ''): string {
  return id.slice(0, 8)
}

import type {
  CacheBreak,
  LayerReport,
  PromptChange,
  PromptComparison,
  PromptReport,
  SectionReport,
  TurnCacheReport,
} from '@symfonic/kernel'
import type { LastPrompt } from '../talk/session.ts'
import { count } from './amounts.ts'
import { printableLine } from './printable.ts'

/** What a prompt weighs: `tools 3,064 chars/766 tokens · L0 557/140 · L1 869/218 · L2 65/17`. */
export function describeSizes({ tools, layers }: PromptReport): string {
  const [first, ...others] = partsOf({ tools, layers })
  const sizes = [
    ...(first ? [`${first.name} ${count(first.chars)} chars/${count(first.tokens)} tokens`] : []),
    ...others.map(({ name, chars, tokens }) => `${name} ${count(chars)}/${count(tokens)}`),
  ]
  return sizes.map(unbroken).join(' · ')
}

/** How its parts are known again, and where a cached prefix ends: `L0 1a2b3c ⚑5m · L2 4d5e6f`. */
export function describeHashes(report: PromptReport): string {
  return partsOf(report)
    .map(({ name, hash, marker }) => unbroken(`${name} ${short(hash)}${flag(marker)}`))
    .join(' · ')
}

/** What has changed since the last turn, in a line; `breaks` where that is in the cached prefix. */
export function describeComparison({ stable, changes }: PromptComparison): {
  readonly text: string
  readonly breaks: boolean
} {
  const [first] = changes
  if (first === undefined) return { text: 'nothing', breaks: false }
  if (!stable) {
    const cached = changes.filter(({ layer }) => layer !== 'L2')
    const others = authorsOf(cached).filter((author) => author !== authorOf(first))
    const also = others.length === 0 ? '' : `; also ${others.join(', ')}`
    return { text: `${describeChange(first)}${also}`, breaks: true }
  }
  const who = authorsOf(changes).join(', ')
  return { text: `nothing that is cached; in ${first.layer} ${who}`, breaks: false }
}

function authorsOf(changes: readonly PromptChange[]): readonly string[] {
  return [...new Set(changes.map(authorOf))]
}

/** What the cache gave a turn, and was to give: `7,314 tokens read, 7,310 predicted`. */
export function describeCache(cache: TurnCacheReport): string {
  const { readTokens, predictedTokens, parted } = cache
  const sums = `${count(readTokens)} tokens read, ${count(predictedTokens)} predicted`
  if (parted === undefined) return sums
  const fewer = `${count(parted.missedTokens)} fewer by`
  const who = parted.change === undefined ? 'the provider' : culpritOf(parted.change)
  return `${sums}; ${fewer} ${who}`
}

function culpritOf(change: CacheBreak): string {
  return change.layer === 'messages' ? `message ${change.index}` : authorOf(change)
}

/** All there is to say about a prompt, for somebody who asks: a line for each section and change. */
export function describePrompt(last: LastPrompt | undefined): string {
  if (last === undefined) return 'There was no turn yet, so there is no prompt to show.'
  const { report, comparison, messageMarkers } = last
  const { tools, layers, kernelVersion } = report
  return [
    `tools    ${tools.names.length} definitions, ${sizeOf(tools)}`,
    ...layers.flatMap((layer) => [
      `${layer.layer}       ${sizeOf(layer)}${layer.layer === 'L0' ? `, version ${kernelVersion}` : ''}`,
      ...layer.sections.flatMap(describeSection),
    ]),
    `messages ${describeMarkers(messageMarkers)}`,
    ...(comparison === undefined
      ? ['changed  (this is the first prompt)']
      : [
          `changed  ${comparison.stable ? 'nothing that is cached' : 'the cached prefix'}; ${count(comparison.sharedBytes)} bytes from the start of L0 are the same`,
          ...comparison.changes.map((change) => `         ${describeChange(change)}`),
        ]),
  ]
    .map(printableLine)
    .join('\n')
}

function describeMarkers(markers: LastPrompt['messageMarkers']): string {
  if (markers.length === 0) return 'no marker on any'
  return markers.map(({ message, ttl }) => `⚑${ttl} behind message ${message + 1}`).join(', ')
}

function describeSection(section: SectionReport): readonly string[] {
  const { name, capability, chars, hash, marker, pieces } = section
  const authors = pieces.map(({ origin, text }) => `${origin} ${count(text.length)}`)
  return [
    `         "${name}" of ${capability}: ${count(chars)} chars, ${short(hash)}${flag(marker)}`,
    ...(authors.length === 0 ? [] : [`           by ${authors.join(', ')}`]),
  ]
}

/** Where and whose a change is, and what stands there: `L1 from byte 46, plugin clock: "3Z" → "4Z"`. */
function describeChange(change: PromptChange): string {
  const { kind, layer, byte, before, after } = change
  const what = kind === 'changed' ? '' : ` ${kind}`
  const place = `${layer} from byte ${count(byte)}, ${authorOf(change)}${what}`
  return printableLine(`${place}: ${quote(before)} → ${quote(after)}`)
}

/** The plugin, where one wrote it; else the section, or the tool. */
function authorOf({ origin, section, layer }: PromptChange): string {
  if (layer === 'tools') return printableLine(`the definition of ${section}`)
  return printableLine(origin === undefined ? `section ${section}` : `plugin ${origin}`)
}

// More than what a quote has in front of the difference.
const quotedChars = 48

function quote(text: string): string {
  const start = text.replace(/\n[\s\S]*/, '…')
  return `"${start.length > quotedChars ? `${start.slice(0, quotedChars)}…` : start}"`
}

interface Part {
  readonly name: string
  readonly chars: number
  readonly tokens: number
  readonly hash: string
  /** Lifetime of the marker behind it. */
  readonly marker: string | undefined
}

/** The tools, if there are any, and the layers, in the order of the request. */
function partsOf({ tools, layers }: Pick<PromptReport, 'tools' | 'layers'>): readonly Part[] {
  const own = layers.map((layer) => ({ ...layer, name: layer.layer, marker: markerOf(layer) }))
  return tools.names.length === 0 ? own : [{ ...tools, name: 'tools' }, ...own]
}

function markerOf({ sections }: LayerReport) {
  return sections.at(-1)?.marker
}

function sizeOf(part: Omit<Part, 'name' | 'marker'> & { readonly marker?: string | undefined }) {
  const { chars, tokens, hash, marker } = part
  return `${count(chars)} chars, ${count(tokens)} tokens, ${short(hash)}${flag(marker)}`
}

function flag(marker: string | undefined): string {
  return marker === undefined ? '' : ` ⚑${marker}`
}

function short(hash: string): string {
  return hash.slice(0, 6)
}

/** Stays on one line. */
function unbroken(text: string): string {
  return text.replaceAll(' ', '\u00a0')
}

import type { PromptLayer } from '../capability.ts'
import { KernelError } from '../errors.ts'
import type { LayerReport, PromptReport } from './prompt-report.ts'
import { separator } from './separator.ts'

/** What became of a prompt from one turn to another. */
export interface PromptComparison {
  /** Is the cached prefix (tools, L0 and L1, or all of a flat prompt) the same, byte for byte? */
  readonly stable: boolean
  /** Bytes from the start of L0 to the first difference, as UTF-8; to the end where there is none. */
  readonly sharedBytes: number
  /**
   * Everything that differs, in the order of the request: tools, sections, and the pieces of those that
   * name their authors. The first one is where the cache breaks.
   */
  readonly changes: readonly PromptChange[]
}

/** One thing that differs. */
export interface PromptChange {
  readonly kind: 'changed' | 'added' | 'removed' | 'moved'
  /** `tools` for the definition of a tool. */
  readonly layer: PromptLayer | 'tools'
  /** Name of the section, or of the tool. */
  readonly section: string
  readonly capability: string
  /** Who wrote the piece that differs, such as a plugin; undefined where the section names nobody. */
  readonly origin: string | undefined
  /**
   * First byte that differs, counted from the start of its layer, as UTF-8; of the tools, from the start
   * of the JSON list that their definitions make.
   */
  readonly byte: number
  /** The place before and after, for people: some characters of its line and what follows. */
  readonly before: string
  readonly after: string
}

/**
 * Says what changed between two prompts: which layer, section and author, and at which byte. Reports
 * come with every `TurnResult`, with `prompt-assembled` and from `kernel.previewPrompt`.
 *
 * @throws KernelError `KERNEL_INPUT_INVALID` for what is no report; `details.field` names it.
 */
export function comparePrompts(before: PromptReport, after: PromptReport): PromptComparison {
  checkReport('before', before)
  checkReport('after', after)
  const changes: PromptChange[] = []
  if (before.tools.hash !== after.tools.hash) {
    changes.push(...compareParts('tools', toolsOf(before), toolsOf(after)))
  }
  let sharedBytes = 0
  let parted = false
  for (const layer of ['L0', 'L1', 'L2'] as const) {
    const [old, now] = [before, after].map(({ layers }) =>
      layers.find((one) => one.layer === layer),
    )
    const [oldText, nowText] = [textOf(old), textOf(now)]
    if (!parted) {
      sharedBytes += bytesIn(oldText.slice(0, firstDifference(oldText, nowText)))
      parted = oldText !== nowText
    }
    if (oldText !== nowText) changes.push(...compareParts(layer, partsOf(old), partsOf(now)))
  }
  const isFlat = before.layerMode === 'legacy' || after.layerMode === 'legacy'
  const stable =
    before.layerMode === after.layerMode && changes.every(({ layer }) => layer === 'L2' && !isFlat)
  return { stable, sharedBytes, changes }
}

function checkReport(field: string, report: unknown): void {
  const { tools, layers } = recordOf(report)
  const isReport =
    typeof recordOf(tools)['hash'] === 'string' &&
    isListOf(recordOf(tools)['definitions'], isTool) &&
    isListOf(layers, isLayer)
  if (isReport) return
  throw new KernelError(
    'KERNEL_INPUT_INVALID',
    `${field} is not the report of a prompt. Give result.prompt, or what kernel.previewPrompt resolves to.`,
    { details: { field } },
  )
}

function isLayer(layer: unknown): boolean {
  return isListOf(recordOf(layer)['sections'], (section) => {
    const { text, pieces } = recordOf(section)
    return typeof text === 'string' && isListOf(pieces, isPiece)
  })
}

function isTool(tool: unknown): boolean {
  const { name, text } = recordOf(tool)
  return typeof name === 'string' && typeof text === 'string'
}

function isPiece(piece: unknown): boolean {
  return typeof recordOf(piece)['text'] === 'string'
}

function isListOf(value: unknown, fits: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(fits)
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

/** What one author has written in one place: a piece of a section, a whole section, or a tool. */
interface Part extends Pick<PromptChange, 'section' | 'capability' | 'origin'> {
  readonly text: string
  /** Where it begins in its layer, in bytes. */
  readonly byte: number
}

type Written = Omit<Part, 'byte'>

/** Every part that differs, in the order of the request. */
function compareParts(
  layer: PromptChange['layer'],
  olds: ReadonlyMap<string, Part>,
  news: ReadonlyMap<string, Part>,
): readonly PromptChange[] {
  const changes: PromptChange[] = []
  const change = (kind: PromptChange['kind'], part: Part, old = '', now = '', at = 0) => {
    const { section, capability, origin, byte, text } = part
    const place = { layer, section, capability, origin, byte: byte + bytesIn(text.slice(0, at)) }
    changes.push({ kind, ...place, before: excerpt(old, at), after: excerpt(now, at) })
  }
  for (const [id, part] of olds) if (!news.has(id)) change('removed', part, part.text)
  // Those that are in both, in their old order, until they are met in the new one.
  const waiting = new Set([...olds.keys()].filter((id) => news.has(id)))
  for (const [id, part] of news) {
    const old = olds.get(id)
    const [due] = waiting
    waiting.delete(id)
    if (old === undefined) change('added', part, '', part.text)
    else if (id !== due) change('moved', part, old.text, part.text)
    else if (old.text !== part.text) {
      change('changed', part, old.text, part.text, firstDifference(old.text, part.text))
    }
  }
  return changes.sort((a, b) => a.byte - b.byte)
}

/** The parts of a layer, by what they are known by from one prompt to the next. */
function partsOf(layer: LayerReport | undefined): ReadonlyMap<string, Part> {
  const written: Written[] = []
  for (const { name: section, capability, text, pieces } of layer?.sections ?? []) {
    if (pieces.length === 0) written.push({ section, capability, origin: undefined, text })
    for (const piece of pieces) written.push({ section, capability, ...piece })
  }
  return placed(written, 0, bytesIn(separator))
}

/** Definitions stand in a list of JSON: a bracket in front, a comma between two. */
function toolsOf({ tools }: PromptReport): ReadonlyMap<string, Part> {
  const written = tools.definitions.map(({ name: section, capability, text }) => {
    return { section, capability, origin: undefined, text }
  })
  return placed(written, 1, 1)
}

function placed(
  written: readonly Written[],
  start: number,
  bytesBetween: number,
): ReadonlyMap<string, Part> {
  const parts = new Map<string, Part>()
  let byte = start
  for (const part of written) {
    let id = JSON.stringify([part.capability, part.section, part.origin])
    // Names need not be unique: the second of a name is compared with the second.
    while (parts.has(id)) id += '+'
    parts.set(id, { ...part, byte })
    byte += bytesIn(part.text) + bytesBetween
  }
  return parts
}

function textOf(layer: LayerReport | undefined): string {
  return layer?.sections.map(({ text }) => text).join(separator) ?? ''
}

function firstDifference(a: string, b: string): number {
  const end = Math.min(a.length, b.length)
  for (let index = 0; index < end; index += 1) {
    if (a.charCodeAt(index) !== b.charCodeAt(index)) {
      // Half a surrogate pair is no place to count bytes at.
      const isLow = index > 0 && /[\uDC00-\uDFFF]/.test(a.charAt(index))
      return isLow ? index - 1 : index
    }
  }
  return end
}

const excerptChars = 60
const contextChars = 30

/** From a little in front of a place, on the same line, so that a person sees what it is about. */
function excerpt(text: string, at: number): string {
  const line = text.lastIndexOf('\n', at - 1) + 1
  const start = Math.max(line, at - contextChars)
  const end = at + excerptChars
  const shown = text.slice(start, end).toWellFormed()
  return `${start > line ? '…' : ''}${shown}${text.length > end ? '…' : ''}`
}

function bytesIn(text: string): number {
  return Buffer.byteLength(text, 'utf8')
}

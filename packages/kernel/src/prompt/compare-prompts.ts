import type { PromptLayer } from '../capability.ts'
import { KernelError } from '../errors.ts'
import type { LayerReport, PromptReport, SectionReport } from './prompt-report.ts'

/** What became of a prompt from one turn to another. */
export interface PromptComparison {
  /** Is the cached prefix (tools, L0 and L1, or all of a flat prompt) the same, byte for byte? */
  readonly stable: boolean
  /** Bytes from the start of L0 to the first difference, as UTF-8; to the end where there is none. */
  readonly sharedBytes: number
  /** Everything that differs, in the order of the request; the first one is where the cache breaks. */
  readonly changes: readonly PromptChange[]
}

/** One thing that differs. */
export interface PromptChange {
  readonly kind: 'changed' | 'added' | 'removed' | 'moved'
  /** `tools` for the tool definitions. */
  readonly layer: PromptLayer | 'tools'
  /** Name of the section; `''` for the tools. */
  readonly section: string
  readonly capability: string
  /** Who wrote the piece that differs, such as a plugin; undefined where the section names nobody. */
  readonly origin: string | undefined
  /** First byte that differs, counted from the start of its layer, as UTF-8. */
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
  if (before.tools.hash !== after.tools.hash) changes.push(toolsChange(before, after))
  let sharedBytes = 0
  let parted = false
  for (const layer of ['L0', 'L1', 'L2'] as const) {
    const [old, now] = [before, after].map(({ layers }) =>
      layers.find((one) => one.layer === layer),
    )
    if (!parted) {
      const [oldText, nowText] = [textOf(old), textOf(now)]
      sharedBytes += bytesIn(oldText.slice(0, firstDifference(oldText, nowText)))
      parted = oldText !== nowText
    }
    if (old?.hash !== now?.hash) changes.push(...compareLayer(layer, old, now))
  }
  const isFlat = before.layerMode === 'legacy' || after.layerMode === 'legacy'
  const stable =
    before.layerMode === after.layerMode && changes.every(({ layer }) => layer === 'L2' && !isFlat)
  return { stable, sharedBytes, changes }
}

function checkReport(field: string, report: Partial<PromptReport> | null | undefined): void {
  if (Array.isArray(report?.layers) && typeof report.tools?.hash === 'string') return
  throw new KernelError(
    'KERNEL_INPUT_INVALID',
    `${field} is not the report of a prompt. Give result.prompt, or what kernel.previewPrompt resolves to.`,
    { details: { field } },
  )
}

function compareLayer(
  layer: PromptLayer,
  before: LayerReport | undefined,
  after: LayerReport | undefined,
): readonly PromptChange[] {
  const first = firstByte(before, after)
  if (first === undefined) return []
  const [olds, news] = [placed(before), placed(after)]
  const changes: PromptChange[] = []
  for (const [id, { section, byte }] of news) {
    const old = olds.get(id)?.section
    if (old === undefined) changes.push(wholeChange('added', layer, section, byte))
    else if (old.text !== section.text) changes.push(sectionChange(layer, old, section, byte))
  }
  for (const [id, { section, byte }] of olds) {
    if (!news.has(id)) changes.push(wholeChange('removed', layer, section, byte))
  }
  changes.sort((a, b) => a.byte - b.byte)
  if (changes[0] !== undefined && startOf(changes[0]) <= first) return changes
  // None of them explains the first byte that differs, so somebody has moved in front of them.
  const ids = [...olds.keys()]
  const moved = [...news].find(([id], index) => id !== ids[index])?.[1].section
  return moved ? [wholeChange('moved', layer, moved, first), ...changes] : changes
}

/** One that came or went brought or took the blank line in front of it, too. */
function startOf({ kind, byte }: PromptChange): number {
  return kind === 'changed' ? byte : byte - separatorBytes
}

/** Between the sections of a layer, and the pieces of a section, stands a blank line. */
const separatorBytes = 2

/** Sections by what they are known by from one prompt to the next, and where they begin. */
function placed(layer: LayerReport | undefined) {
  const places = new Map<string, { readonly section: SectionReport; readonly byte: number }>()
  let byte = 0
  for (const section of layer?.sections ?? []) {
    let id = JSON.stringify([section.capability, section.name])
    // Names need not be unique: the second of a name is compared with the second.
    while (places.has(id)) id += '+'
    places.set(id, { section, byte })
    byte += bytesIn(section.text) + separatorBytes
  }
  return places
}

function sectionChange(
  layer: PromptLayer,
  old: SectionReport,
  now: SectionReport,
  start: number,
): PromptChange {
  const at = firstDifference(old.text, now.text)
  return {
    ...{ kind: 'changed', layer, section: now.name, capability: now.capability },
    origin: authorOf(old, now, at),
    byte: start + bytesIn(now.text.slice(0, at)),
    before: excerpt(old.text, at),
    after: excerpt(now.text, at),
  }
}

/** Who wrote the first piece that is not as it was. */
function authorOf(old: SectionReport, now: SectionReport, at: number): string | undefined {
  for (const [index, piece] of now.pieces.entries()) {
    const was = old.pieces[index]
    if (was?.text === piece.text && was.origin === piece.origin) continue
    // A piece that is gone has its author among the old ones.
    const isGone = was !== undefined && !now.pieces.some(({ origin }) => origin === was.origin)
    return isGone ? was.origin : piece.origin
  }
  return old.pieces[now.pieces.length]?.origin ?? pieceAt(now, at)
}

function pieceAt({ pieces }: SectionReport, at: number): string | undefined {
  let end = 0
  for (const { origin, text } of pieces) {
    end += text.length + separatorBytes
    if (at < end) return origin
  }
  return pieces.at(-1)?.origin
}

function wholeChange(
  kind: 'added' | 'removed' | 'moved',
  layer: PromptLayer,
  section: SectionReport,
  byte: number,
): PromptChange {
  const text = excerpt(section.text, 0)
  return {
    ...{ kind, layer, section: section.name, capability: section.capability, byte },
    origin: section.pieces[0]?.origin,
    before: kind === 'added' ? '' : text,
    after: kind === 'removed' ? '' : text,
  }
}

function toolsChange(before: PromptReport, after: PromptReport): PromptChange {
  const [old, now] = [before.tools.names.join(', '), after.tools.names.join(', ')]
  const at = firstDifference(old, now)
  return {
    ...{ kind: 'changed', layer: 'tools', section: '', capability: 'kernel', origin: undefined },
    ...{ byte: 0, before: excerpt(old, at), after: excerpt(now, at) },
  }
}

function textOf(layer: LayerReport | undefined): string {
  return layer?.sections.map(({ text }) => text).join('\n\n') ?? ''
}

/** The first byte of a layer that differs; undefined for none. */
function firstByte(
  before: LayerReport | undefined,
  after: LayerReport | undefined,
): number | undefined {
  const [old, now] = [textOf(before), textOf(after)]
  return old === now ? undefined : bytesIn(old.slice(0, firstDifference(old, now)))
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

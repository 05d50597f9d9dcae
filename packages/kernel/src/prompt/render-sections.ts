import { type Cancellation, createCancellation } from '../cancellation.ts'
import type {
  CacheTtl,
  PromptSection,
  SectionPiece,
  SectionPieces,
  TurnView,
} from '../capability.ts'
import { describeError } from '../describe-error.ts'
import { KernelError } from '../errors.ts'
import { lateAfter, withLastWord } from '../time-limit.ts'
import { separator } from './separator.ts'

/** A section with the capability it came from. */
export interface OwnedSection {
  readonly section: PromptSection
  readonly capability: string
}

/** A section and what it came to. */
export interface Rendered {
  readonly owned: OwnedSection
  readonly text: string
  readonly pieces: readonly SectionPiece[]
  readonly cacheTtl: CacheTtl | undefined
  readonly leftOut: LeftOut
  /** Why it failed; absent where it did not. */
  readonly reason?: string
}

type LeftOut = NonNullable<SectionPieces['leftOut']>

/**
 * Renders sections side by side, under one limit: its signal is that of their view, so that who listens
 * can still give what there is when time is up.
 *
 * A section that throws, takes too long, or gives neither text nor pieces, comes to nothing, with a reason.
 *
 * @param timeoutMs - Milliseconds for all of them.
 * @throws KernelError `KERNEL_SECTION_FAILED` for one that is required; the reason of the turn's signal.
 */
export async function renderSections(
  sections: readonly OwnedSection[],
  view: TurnView,
  timeoutMs: number,
): Promise<readonly Rendered[]> {
  const limit = createCancellation(view.signal, lateAfter(timeoutMs))
  const within = { ...view, signal: limit.signal }
  try {
    return await Promise.all(sections.map((owned) => render(owned, within, { view, limit })))
  } catch (error) {
    // Nobody waits for the others any more, and they learn so.
    limit.cancel(error)
    throw error
  } finally {
    limit.close()
  }
}

async function render(
  owned: OwnedSection,
  within: TurnView,
  { view, limit }: { readonly view: TurnView; readonly limit: Cancellation },
): Promise<Rendered> {
  const { section, capability } = owned
  try {
    const given = section.render(within)
    const answer: unknown = typeof given === 'string' ? given : await withLastWord(given, limit)
    if (typeof answer === 'string') return { ...nothing, owned, text: answer.toWellFormed() }
    return { owned, ...readPieces(answer) }
  } catch (cause) {
    // Nobody waits for the prompt of a turn that is over, and its sections have not failed.
    view.signal.throwIfAborted()
    const reason = describeError(cause)
    if (section.required) {
      throw new KernelError(
        'KERNEL_SECTION_FAILED',
        `The required prompt section "${section.name}" of "${capability}" could not be rendered: ${reason}. Mend its render function, or mark the section as not required.`,
        { details: { section: section.name, capability }, cause },
      )
    }
    view.logger.warn(`prompt section "${section.name}" of "${capability}" was left out`, { reason })
    return { ...nothing, owned, reason }
  }
}

const none: readonly never[] = Object.freeze([])

const nothing = Object.freeze({ text: '', pieces: none, cacheTtl: undefined, leftOut: none })

function readPieces(answer: unknown): Omit<Rendered, 'owned'> {
  const {
    pieces,
    cacheTtl,
    leftOut = none,
  } = (answer ?? {}) as Partial<Record<keyof SectionPieces, unknown>>
  if (!Array.isArray(pieces)) throw new TypeError(`it gave ${kindOf(answer)}, not a text`)
  if (cacheTtl !== undefined && cacheTtl !== '5m' && cacheTtl !== '1h') {
    throw new TypeError('it gave a cacheTtl that is neither 5m nor 1h')
  }
  const kept: SectionPiece[] = []
  for (const [index, piece] of (pieces as readonly unknown[]).entries()) {
    const { origin, text } = (piece ?? {}) as { origin?: unknown; text?: unknown }
    if (typeof origin !== 'string' || typeof text !== 'string') {
      const what =
        typeof piece === 'object' && piece !== null ? '' : ` (pieces[${index}] is ${kindOf(piece)})`
      throw new TypeError(`it gave a piece without origin or text${what}`)
    }
    if (text !== '') kept.push(Object.freeze({ origin, text: text.toWellFormed() }))
  }
  const text = kept.map((piece) => piece.text).join(separator)
  return { text, pieces: Object.freeze(kept), cacheTtl, leftOut: readLeftOut(leftOut) }
}

function readLeftOut(given: unknown): LeftOut {
  if (!Array.isArray(given)) throw new TypeError(`it gave a leftOut that is ${kindOf(given)}`)
  return (given as readonly unknown[]).map((missing) => {
    const { origin, reason } = (missing ?? {}) as { origin?: unknown; reason?: unknown }
    if (typeof origin !== 'string' || typeof reason !== 'string') {
      throw new TypeError('it left something out without origin or reason')
    }
    return { origin, reason }
  })
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'a list' : value === null ? 'null' : typeof value
}

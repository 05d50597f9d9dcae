import type { TextTransform, TurnView } from './capability.ts'
import type { ModelOutputPart } from './events.ts'
import { createStepContent, type StepContent } from './step-content.ts'

/** A text transform with its name. */
export interface OwnedTransform {
  readonly capability: string
  readonly transformText: (view: TurnView) => TextTransform
}

/** What a reader sees of one model call. */
export interface ShownText {
  /** The parts to show for one that has arrived. */
  pass(part: ModelOutputPart): readonly ModelOutputPart[]
  /** The parts that were still held back, when the model has answered. */
  finish(): readonly ModelOutputPart[]
  /** All that was shown. */
  readonly content: StepContent
}

/**
 * Brings the text of a model call through the transforms, whichever of its parts it is in: what they
 * hide may begin in one text part and end in another. Other parts pass as they are, in their order.
 *
 * The end of a text part waits for the part behind it, so that what a transform held back up to the end
 * of the call still belongs to that text. A transform that fails hides the rest of the call's text,
 * which is the safe side: it is there because something must not be shown.
 */
export function createShownText(transforms: readonly OwnedTransform[], view: TurnView): ShownText {
  const chain = transforms.map((owned) => openTransform(owned, view))
  const content = createStepContent()
  let open: string | undefined
  let heldEnd: Extract<ModelOutputPart, { type: 'text-end' }> | undefined

  const push = (text: string) => chain.reduce((shown, { push }) => push(shown), text)
  const release = () => {
    const released = heldEnd
    heldEnd = undefined
    return released === undefined ? [] : [released]
  }
  const show = (parts: readonly ModelOutputPart[]) => {
    for (const part of parts) content.add(part)
    return parts
  }

  return {
    content,
    pass: (part) => {
      const before = release()
      if (part.type === 'text-end') {
        heldEnd = part
        open = undefined
        return show(before)
      }
      if (part.type === 'text-start') open = part.id
      if (part.type !== 'text-delta') return show([...before, part])
      open = part.id
      const text = push(part.text)
      const isNothing = text === '' && part.providerMetadata === undefined
      return show(isNothing ? before : [...before, { ...part, text }])
    },
    finish: () => {
      const rest = chain.reduce((held, transform) => transform.push(held) + transform.end(), '')
      const ended = release()
      if (rest === '') return show(ended)
      const id = ended[0]?.id ?? open
      if (id !== undefined) return show([{ type: 'text-delta', id, text: rest }, ...ended])
      return show([
        { type: 'text-start', id: restId },
        { type: 'text-delta', id: restId, text: rest },
        { type: 'text-end', id: restId },
      ])
    },
  }
}

/** The text part of what was held back beyond the end of the last one. */
const restId = 'held-back'

function openTransform({ capability, transformText }: OwnedTransform, view: TurnView) {
  let failed = false
  const attempt = (work: () => unknown): string => {
    if (failed) return ''
    try {
      const text = work()
      if (typeof text !== 'string') throw new TypeError(`it gave ${typeof text}, not a string`)
      return text
    } catch (error) {
      failed = true
      view.logger.error(`"${capability}" failed to say what text is shown; the rest is not`, {
        error,
      })
      return ''
    }
  }
  let transform: TextTransform | undefined
  attempt(() => {
    transform = transformText(view)
    return ''
  })
  return {
    push: (delta: string) => (delta === '' ? '' : attempt(() => transform?.push(delta))),
    end: () => attempt(() => transform?.end()),
  }
}

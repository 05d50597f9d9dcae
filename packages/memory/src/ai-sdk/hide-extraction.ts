import { createExtractionStripper } from '../extraction/stripper.ts'
import type { LanguageModelMiddleware } from './sdk.ts'

type Generated = Awaited<ReturnType<NonNullable<LanguageModelMiddleware['wrapGenerate']>>>
type Streamed = Awaited<ReturnType<NonNullable<LanguageModelMiddleware['wrapStream']>>>
type StreamPart = Streamed['stream'] extends ReadableStream<infer Part> ? Part : never
type TextEnd = Extract<StreamPart, { type: 'text-end' }>

/** What a model wrote in one call, verbatim, and how it ended. Told once, at the end of a whole answer. */
export type WhenWritten = (text: string, finishReason: string) => void

/** Takes extraction blocks out of an answer, also those that begin in one text and end in another (MEM-38). */
export function hideInResult(result: Generated, whenWritten: WhenWritten): Generated {
  const stripper = createExtractionStripper()
  const last = result.content.findLastIndex(({ type }) => type === 'text')
  let written = ''
  const content = result.content.flatMap((part, index): Generated['content'] => {
    if (part.type !== 'text') return [part]
    written += part.text
    let text = stripper.push(part.text)
    if (index === last) text += stripper.end().text
    // Providers refuse empty text, unless it carries something of theirs.
    return text === '' && part.text !== '' && part.providerMetadata === undefined
      ? []
      : [{ ...part, text }]
  })
  whenWritten(written, result.finishReason.unified)
  return { ...result, content }
}

/**
 * The same for a stream. The end of a text waits for the part behind it, so that what was held back up
 * to the end of the answer still belongs to that text.
 */
export function hideInStream(
  stream: Streamed['stream'],
  whenWritten: WhenWritten,
): Streamed['stream'] {
  const stripper = createExtractionStripper()
  let written = ''
  let open: string | undefined
  let heldEnd: TextEnd | undefined

  return stream.pipeThrough(
    new TransformStream<StreamPart, StreamPart>({
      transform(part, controller) {
        if (part.type === 'finish') {
          const { text } = stripper.end()
          const id = heldEnd?.id ?? open
          if (text !== '' && id !== undefined) {
            controller.enqueue({ type: 'text-delta', id, delta: text })
          } else if (text !== '') {
            controller.enqueue({ type: 'text-start', id: restId })
            controller.enqueue({ type: 'text-delta', id: restId, delta: text })
            controller.enqueue({ type: 'text-end', id: restId })
          }
        }
        if (heldEnd !== undefined) controller.enqueue(heldEnd)
        heldEnd = undefined
        switch (part.type) {
          case 'text-start':
            open = part.id
            controller.enqueue(part)
            break
          case 'text-delta': {
            written += part.delta
            const delta = stripper.push(part.delta)
            if (delta !== '' || part.providerMetadata) controller.enqueue({ ...part, delta })
            break
          }
          case 'text-end':
            heldEnd = part
            open = undefined
            break
          default:
            controller.enqueue(part)
        }
        if (part.type === 'finish') whenWritten(written, part.finishReason.unified)
      },
      flush(controller) {
        if (heldEnd !== undefined) controller.enqueue(heldEnd)
      },
    }),
  )
}

/** The text of what was held back beyond the end of the last one. */
const restId = 'held-back'

import { createExtractionStripper } from '../extraction/stripper.ts'
import { createBlockTail } from './block-tail.ts'
import type { LanguageModelMiddleware } from './sdk.ts'

type Generated = Awaited<ReturnType<NonNullable<LanguageModelMiddleware['wrapGenerate']>>>
type Streamed = Awaited<ReturnType<NonNullable<LanguageModelMiddleware['wrapStream']>>>
type StreamPart = Streamed['stream'] extends ReadableStream<infer Part> ? Part : never
type TextEnd = Extract<StreamPart, { type: 'text-end' }>

/** How one call of a model ended. */
export interface WrittenEnding {
  /** As the SDK has it; `tool-calls` also where a provider says `stop` to calls that wait for the host. */
  readonly finishReason: string
  /** The text ended within a block: what comes after the calls may be the rest of it. */
  readonly isInBlock: boolean
}

/** What a model wrote in one call, blocks included. Told once, at the end of a whole answer. */
export type WhenWritten = (text: string, ending: WrittenEnding) => void

/** @see hideInResult */
export interface HideOptions {
  /** Whether the call before, in the same turn, ended within a block. */
  readonly isInBlock: boolean
  readonly whenWritten: WhenWritten
}

/** Takes extraction blocks out of an answer, also those that begin in one text and end in another (MEM-38). */
export function hideInResult(result: Generated, options: HideOptions): Generated {
  const reader = createReader(options)
  const last = result.content.findLastIndex(({ type }) => type === 'text')
  const content = result.content.flatMap((part, index): Generated['content'] => {
    if (part.type === 'tool-call') reader.call(part)
    if (part.type !== 'text') return [part]
    let text = reader.push(part.text)
    if (index === last) text += reader.end()
    // Providers refuse empty text, unless it carries something of theirs.
    return text === '' && part.text !== '' && part.providerMetadata === undefined
      ? []
      : [{ ...part, text }]
  })
  reader.finish(result.finishReason.unified)
  return { ...result, content }
}

/**
 * The same for a stream. The end of a text waits for the part behind it, so that what was held back up
 * to the end of the answer still belongs to that text.
 */
export function hideInStream(stream: Streamed['stream'], options: HideOptions): Streamed['stream'] {
  const reader = createReader(options)
  let open: string | undefined
  let heldEnd: TextEnd | undefined

  return stream.pipeThrough(
    new TransformStream<StreamPart, StreamPart>({
      transform(part, controller) {
        if (part.type === 'finish') {
          const text = reader.end()
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
            const delta = reader.push(part.delta)
            if (delta !== '' || part.providerMetadata) controller.enqueue({ ...part, delta })
            break
          }
          case 'text-end':
            heldEnd = part
            open = undefined
            break
          case 'tool-call':
            reader.call(part)
            controller.enqueue(part)
            break
          default:
            controller.enqueue(part)
        }
        if (part.type === 'finish') reader.finish(part.finishReason.unified)
      },
      flush(controller) {
        if (heldEnd !== undefined) controller.enqueue(heldEnd)
      },
    }),
  )
}

/** Reads one answer as it comes, and tells what was written when it has ended. */
function createReader({ isInBlock, whenWritten }: HideOptions) {
  const tail = createBlockTail(isInBlock)
  const stripper = createExtractionStripper()
  let written = ''
  let saysNothing = true
  let waitsForHost = false
  let endsInBlock = false

  const show = (text: string): string => {
    written += text
    return stripper.push(text)
  }

  return {
    push(delta: string): string {
      if (delta !== '') saysNothing = false
      return show(tail.push(delta))
    },
    call({ providerExecuted }: { readonly providerExecuted?: boolean | undefined }): void {
      if (!providerExecuted) waitsForHost = true
    },
    /** What was held back. */
    end(): string {
      const shown = show(tail.end())
      const { text, faults } = stripper.end()
      endsInBlock = faults['block-unterminated'] !== undefined
      return shown + text
    },
    finish(reason: string): void {
      whenWritten(written, {
        finishReason: reason === 'stop' && waitsForHost ? 'tool-calls' : reason,
        isInBlock: saysNothing ? isInBlock : endsInBlock,
      })
    },
  }
}

/** The text of what was held back beyond the end of the last one. */
const restId = 'held-back'

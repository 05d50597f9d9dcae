import { setTimeout as sleep } from 'node:timers/promises'
import type { LanguageModelV4Content, LanguageModelV4StreamPart } from '@ai-sdk/provider'

/** How fast a model seems, in milliseconds. Zero everywhere is as fast as it goes. */
export interface Pace {
  /** Before anything comes. */
  readonly thinkMs: number
  /** Between two deltas. */
  readonly deltaMs: number
}

/** Without any delay. */
export const atOnce: Pace = { thinkMs: 0, deltaMs: 0 }

/**
 * Sends content the way providers stream it: words of a text, pieces of a call's JSON.
 *
 * @param head - Parts that come first, and `tail` those that come last.
 * @param signal - Errors the stream with its reason as soon as it fires.
 */
export function streamContent(
  content: readonly LanguageModelV4Content[],
  about: {
    readonly head: readonly LanguageModelV4StreamPart[]
    readonly tail: readonly LanguageModelV4StreamPart[]
    readonly pace: Pace
    readonly signal: AbortSignal | undefined
  },
): ReadableStream<LanguageModelV4StreamPart> {
  const { head, tail, pace, signal } = about
  const parts = [...head, ...content.flatMap(partsOf), ...tail]
  let next = 0
  return new ReadableStream<LanguageModelV4StreamPart>({
    pull: async (controller) => {
      try {
        signal?.throwIfAborted()
        const part = parts[next]
        if (part && next > 0)
          await wait(next === head.length ? pace.thinkMs : delayOf(part), signal)
        next += 1
        if (part) controller.enqueue(part)
        else controller.close()
      } catch (error) {
        controller.error(signal?.aborted ? signal.reason : error)
      }
    },
  })

  function delayOf({ type }: LanguageModelV4StreamPart): number {
    return type.endsWith('-delta') ? pace.deltaMs : 0
  }
}

async function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (ms > 0) await sleep(ms, undefined, signal && { signal })
}

function partsOf(
  content: LanguageModelV4Content,
  index: number,
): readonly LanguageModelV4StreamPart[] {
  switch (content.type) {
    case 'text':
    case 'reasoning': {
      const id = String(index)
      const { type, text } = content
      const deltas = text.match(/\s*\S+\s*/g) ?? []
      return [
        { type: `${type}-start`, id },
        ...deltas.map((delta) => ({ type: `${type}-delta`, id, delta }) as const),
        { type: `${type}-end`, id },
      ]
    }
    case 'tool-call': {
      const { toolCallId: id, toolName, input } = content
      const deltas = input.match(/[\s\S]{1,16}/gu) ?? []
      return [
        { type: 'tool-input-start', id, toolName },
        ...deltas.map((delta) => ({ type: 'tool-input-delta', id, delta }) as const),
        { type: 'tool-input-end', id },
        content,
      ]
    }
    default:
      return [content as LanguageModelV4StreamPart]
  }
}

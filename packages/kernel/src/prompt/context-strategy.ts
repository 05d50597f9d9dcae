import { tool } from 'ai'
import { z } from 'zod'
import { createCancellation } from '../cancellation.ts'
import type { Capability, ContextStrategy, HydrationRequest } from '../capability.ts'
import { describeError } from '../describe-error.ts'
import type { ContextHydratedEvent } from '../events.ts'
import type { Logger } from '../logger.ts'
import type { AnyTool } from '../tools.ts'
import { separator } from './separator.ts'

/** The tool by which a model asks for context under the `jit` strategy (PROMPT-06). */
export const hydrateToolName = 'hydrate_context'

/** The strategy of a kernel: the one that is set, else what the older flag says (PROMPT-04). */
export function resolveContextStrategy(options: {
  readonly contextStrategy?: ContextStrategy | undefined
  readonly jitContext?: boolean | undefined
}): ContextStrategy {
  return options.contextStrategy ?? (options.jitContext === true ? 'jit' : 'stratified')
}

/** What looking up came to. */
export interface Hydration {
  /** The texts in the order of the capabilities, a blank line apart; `''` for nothing. */
  readonly text: string
  readonly sources: ContextHydratedEvent['sources']
}

/** The event that tells of a hydration, on either strategy (PROMPT-09). */
export function hydrationEvent(query: string, { text, sources }: Hydration): ContextHydratedEvent {
  return { type: 'context-hydrated', query, chars: text.length, sources }
}

const nothing: Hydration = Object.freeze({ text: '', sources: Object.freeze([]) })

/**
 * Asks every capability that can look something up, side by side. One that throws, gives no text or
 * takes too long costs its own text only: a memory that is down costs recall and not the answer.
 *
 * @param timeoutMs - Milliseconds for each. Absent: as long as the turn.
 */
export async function hydrate(
  capabilities: readonly Capability[],
  request: HydrationRequest,
  timeoutMs?: number,
): Promise<Hydration> {
  const able = capabilities.filter((capability) => capability.hydrate !== undefined)
  if (able.length === 0) return nothing
  const found = await Promise.all(able.map((capability) => ask(capability, request, timeoutMs)))
  const texts = found.flatMap(({ text }) => (text === '' ? [] : [text]))
  return { text: texts.join(separator), sources: found.map(({ source }) => source) }
}

async function ask(
  capability: Capability,
  request: HydrationRequest,
  timeoutMs: number | undefined,
) {
  const began = performance.now()
  const about = (chars: number, error?: string) => ({
    capability: capability.name,
    chars,
    durationMs: performance.now() - began,
    ...(error !== undefined && { error }),
  })
  const limit = createCancellation(
    request.signal,
    timeoutMs === undefined
      ? undefined
      : { timeoutMs, reason: () => new Error(`it took longer than ${timeoutMs} ms`) },
  )
  const { signal } = limit
  try {
    const asked = (async () => capability.hydrate?.({ ...request, signal }))()
    const text: unknown = await limit.race(asked)
    if (typeof text !== 'string') throw new TypeError(`it gave ${typeof text}, not a string`)
    return { text, source: about(text.length) }
  } catch (cause) {
    const error = describeError(cause)
    request.logger.warn(
      `"${capability.name}" could not look up context; the turn goes on without`,
      {
        error,
      },
    )
    return { text: '', source: about(0, error) }
  } finally {
    limit.close()
  }
}

/** The tool `hydrate_context` of a kernel. Its value is a `Hydration`; the model reads the text. */
export function createHydrateTool(capabilities: readonly Capability[], logger: Logger): AnyTool {
  return tool({
    description:
      'Looks up what is known that bears on a query: earlier conversations, preferences, facts. Call it before you answer from memory.',
    inputSchema: z.object({ query: z.string().describe('What to look for, in a few words.') }),
    execute: async ({ query }, { context, messages, abortSignal }): Promise<Hydration> => {
      const about = context as Pick<HydrationRequest, 'runId' | 'sessionId' | 'scope' | 'state'>
      const signal = abortSignal ?? new AbortController().signal
      const asked = { ...about, query, messages, signal, logger, isAskedByModel: true }
      return hydrate(capabilities, asked)
    },
    toModelOutput: ({ output: { text, sources } }) => {
      const errors = sources.flatMap(({ error }) => (error === undefined ? [] : [error]))
      // That nothing is known is an answer; that nobody could look is none.
      if (errors.length > 0 && errors.length === sources.length) {
        return {
          type: 'error-text',
          value: `Context could not be looked up: ${errors.join('; ').slice(0, longestErrorChars)}`,
        }
      }
      return { type: 'text', value: text === '' ? 'Nothing is known about this.' : text }
    },
  }) as AnyTool
}

/** What a store says of itself when it is down may be long. */
const longestErrorChars = 1_000

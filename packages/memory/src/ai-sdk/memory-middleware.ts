import type { Memory } from '../create-memory.ts'
import { hideInResult, hideInStream, type WhenWritten } from './hide-extraction.ts'
import { askedLast } from './read-prompt.ts'
import type { LanguageModelMiddleware } from './sdk.ts'
import {
  createTurnMemory,
  type MemoryPlace,
  type OpenTurn,
  parsePlace,
  type TurnMemoryOptions,
} from './turn-memory.ts'

/** Whose conversation the middleware accompanies, and how. */
export interface MemoryMiddlewareOptions extends TurnMemoryOptions, MemoryPlace {}

type Params = Parameters<NonNullable<LanguageModelMiddleware['transformParams']>>[0]['params']

/**
 * Memory as middleware of a language model, for one conversation: works below any caller.
 *
 * Looks up once for what the user says, however many steps and retries follow; a prompt that ends
 * with a tool's result and whose turn began elsewhere recalls nothing. What was found goes into system
 * messages behind those of the host. Extraction blocks are hidden from text and from streamed text, and
 * learned from when the answer finishes with `stop`, in the background.
 *
 * @throws MemoryError - `MEMORY_SCOPE_REQUIRED`, `MEMORY_SCOPE_INVALID`, `MEMORY_OPTION_INVALID`.
 */
export function memoryMiddleware(
  memory: Memory,
  options: MemoryMiddlewareOptions,
): LanguageModelMiddleware {
  const place = parsePlace(options)
  const turns = createTurnMemory(memory, options)
  const turnOf = new WeakMap<Params, OpenTurn>()
  let current: { readonly key: string; readonly turn: Promise<OpenTurn> } | undefined

  const whenWritten = (params: Params): WhenWritten => {
    return (text, finishReason) => {
      const turn = turnOf.get(params)
      if (turn === undefined) return
      if (text !== '') turn.written.push(text)
      if (finishReason !== 'stop') return
      turns.learn(place, turn)
      // An answer that is asked for again is not this one twice.
      turn.written.length = 0
    }
  }

  return Object.freeze<LanguageModelMiddleware>({
    specificationVersion: 'v4',
    transformParams: async ({ params, model }) => {
      const { text, index, isFirst, endsWithTool } = askedLast(params.prompt)
      const key = JSON.stringify([index, text])
      if (current?.key !== key) {
        const turn = turns.open(place, {
          turnId: `message-${index}`,
          query: text,
          model,
          recalls: !endsWithTool,
          showWorking: isFirst,
          canExtract: params.responseFormat?.type !== 'json',
          signal: params.abortSignal,
        })
        current = { key, turn }
      }
      const turn = await current.turn
      // A look-up that was cut short is not what memory has for those words.
      if (params.abortSignal?.aborted) current = undefined
      const withMemory = { ...params, prompt: addSystem(params.prompt, turn.system) }
      turnOf.set(withMemory, turn)
      return withMemory
    },
    wrapGenerate: async ({ doGenerate, params }) => {
      return hideInResult(await doGenerate(), whenWritten(params))
    },
    wrapStream: async ({ doStream, params }) => {
      const result = await doStream()
      return { ...result, stream: hideInStream(result.stream, whenWritten(params)) }
    },
  })
}

/** Puts texts behind the last system message that the host wrote, so that its cached prefix stays. */
function addSystem(prompt: Params['prompt'], texts: readonly string[]): Params['prompt'] {
  const at = prompt.findLastIndex(({ role }) => role === 'system') + 1
  const added = texts.map((content) => ({ role: 'system' as const, content }))
  return [...prompt.slice(0, at), ...added, ...prompt.slice(at)]
}

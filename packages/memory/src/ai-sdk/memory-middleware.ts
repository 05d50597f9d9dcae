import type { Memory } from '../create-memory.ts'
import { type HideOptions, hideInResult, hideInStream } from './hide-extraction.ts'
import { type AskedLast, askedLast } from './read-prompt.ts'
import { refusedOption } from './refuse-option.ts'
import type { LanguageModelMiddleware } from './sdk.ts'
import {
  createTurnMemory,
  type MemoryPlace,
  type OpenTurn,
  parsePlace,
  readTurnOptions,
  type TurnMemoryOptions,
} from './turn-memory.ts'

/** Whose conversation the middleware accompanies, and how. */
export interface MemoryMiddlewareOptions extends TurnMemoryOptions, MemoryPlace {
  /**
   * Names the turn that begins, where the host has an id for it: what is told again under the same name
   * is written once. Asked once a turn; undefined, and by default, a new name.
   */
  readonly turnIdOf?: () => string | undefined
}

type Params = Parameters<NonNullable<LanguageModelMiddleware['transformParams']>>[0]['params']

/** A turn that has begun and is not learned yet. */
interface Begun {
  readonly query: string
  /** Position of the query in the prompt. */
  readonly index: number
  readonly turn: Promise<OpenTurn>
  /** Epoch milliseconds at which the model failed to answer, until it is asked again. */
  failedAt: number | undefined
}

/** Turns that wait for the rest of their steps; the oldest gives way. */
const mostBegun = 16

/** What was looked up for a call that failed serves its retries for so long, and no later question. */
const retryMs = 30_000

/**
 * Memory as middleware of a language model, for one conversation: works below any caller.
 *
 * A prompt that ends with the user begins a turn, whatever window of the conversation it is and
 * whatever was said before; only a call that failed is begun again as the same one, within 30 seconds. A
 * prompt that ends with a tool's result belongs to the turn of the same words that is not over yet, and
 * recalls nothing where that began elsewhere. So memory looks up once a turn, however many steps and retries follow.
 *
 * What was found goes into system messages behind those of the host. Extraction blocks are hidden from text
 * and from streamed text, and learned from when the answer finishes with `stop`, in the background. An
 * answer that is asked for again is a turn of its own, unless `turnIdOf` says otherwise.
 *
 * @throws MemoryError - `MEMORY_SCOPE_REQUIRED`, `MEMORY_SCOPE_INVALID`, `MEMORY_OPTION_INVALID`;
 * `MEMORY_ENTRY_INVALID` for a session that is no id. A call ends with it where `turnIdOf` gives none.
 */
export function memoryMiddleware(
  memory: Memory,
  given: MemoryMiddlewareOptions,
): LanguageModelMiddleware {
  const { scope, sessionId, turnIdOf, ...options } = readTurnOptions(given, [
    'scope',
    'sessionId',
    'turnIdOf',
  ])
  const place = parsePlace({ scope, sessionId })
  const turns = createTurnMemory(memory, options)
  if (turnIdOf !== undefined && typeof turnIdOf !== 'function') {
    throw refusedOption('turnIdOf', 'Give a function that answers an id.')
  }
  const asked = new WeakMap<Params, { begun: Begun; turn: OpenTurn }>()
  let open: readonly Begun[] = []

  const find = ({ text, index, goesOn }: AskedLast): Begun | undefined => {
    return open.findLast(({ query, failedAt, ...begun }) => {
      if (query !== text) return false
      // Steps may send less and less of the conversation.
      if (goesOn) return true
      return begun.index === index && failedAt !== undefined && Date.now() - failedAt < retryMs
    })
  }

  const close = (begun: Begun): void => {
    open = open.filter((each) => each !== begun)
  }

  const hidden = (params: Params): HideOptions => {
    const own = asked.get(params)
    return {
      isInBlock: own?.turn.isInBlock ?? false,
      whenWritten: (text, { finishReason, isInBlock }) => {
        if (own === undefined) return
        if (text !== '') own.turn.written.push(text)
        own.turn.isInBlock = isInBlock
        if (finishReason !== 'stop') return
        close(own.begun)
        turns.learn(place, own.turn)
      },
    }
  }

  /** Asks the model, and remembers that it failed. */
  const answered = async <Answer>(params: Params, ask: () => PromiseLike<Answer>) => {
    try {
      return await ask()
    } catch (thrown) {
      const begun = asked.get(params)?.begun
      if (begun !== undefined) begun.failedAt = Date.now()
      throw thrown
    }
  }

  return Object.freeze<LanguageModelMiddleware>({
    specificationVersion: 'v4',
    transformParams: async ({ params, model }) => {
      const last = askedLast(params.prompt)
      const { text, index, isFirst, endsWithTool } = last
      const begun: Begun = find(last) ?? {
        query: text,
        index,
        failedAt: undefined,
        turn: turns.open(place, {
          turnId: turnIdOf?.(),
          query: text,
          model,
          recalls: !endsWithTool,
          showWorking: isFirst,
          canExtract: params.responseFormat?.type !== 'json',
          signal: params.abortSignal,
        }),
      }
      begun.failedAt = undefined
      open = [...open.filter((each) => each !== begun), begun].slice(-mostBegun)
      const turn = await begun.turn
      // A look-up that was cut short is not what memory has for those words.
      if (params.abortSignal?.aborted) close(begun)
      const withMemory = { ...params, prompt: addSystem(params.prompt, turn.system) }
      asked.set(withMemory, { begun, turn })
      return withMemory
    },
    wrapGenerate: async ({ doGenerate, params }) => {
      return hideInResult(await answered(params, doGenerate), hidden(params))
    },
    wrapStream: async ({ doStream, params }) => {
      const result = await answered(params, doStream)
      return { ...result, stream: hideInStream(result.stream, hidden(params)) }
    },
  })
}

/** Puts texts behind the last system message that the host wrote, so that its cached prefix stays. */
function addSystem(prompt: Params['prompt'], texts: readonly string[]): Params['prompt'] {
  const at = prompt.findLastIndex(({ role }) => role === 'system') + 1
  const added = texts.map((content) => ({ role: 'system' as const, content }))
  return [...prompt.slice(0, at), ...added, ...prompt.slice(at)]
}

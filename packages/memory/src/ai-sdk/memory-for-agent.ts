import type { Memory } from '../create-memory.ts'
import {
  type HideOptions,
  hideInResult,
  hideInStream,
  type WhenWritten,
} from './hide-extraction.ts'
import { askedLast } from './read-prompt.ts'
import { refusedOption } from './refuse-option.ts'
import {
  gateway,
  type Instructions,
  type LanguageModel,
  type ModelMessage,
  wrapLanguageModel,
} from './sdk.ts'
import {
  createTurnMemory,
  type MemoryPlace,
  type MemoryTurnPlace,
  type OpenTurn,
  parsePlace,
  readTurnOptions,
  type TurnMemoryOptions,
} from './turn-memory.ts'

/** Whose memory each call of the agent has, and what the model sees of it. */
export interface MemoryForAgentOptions<CallOptions> extends TurnMemoryOptions {
  /**
   * Whose call it is, by the options it was given (`callOptionsSchema` of the agent checks them). One
   * agent serves all tenants; a scope that is missing ends the call with an error.
   */
  readonly placeOf: (options: CallOptions) => MemoryTurnPlace
}

/** What `prepareCall` reads of a call of an agent. */
export interface AgentCall {
  readonly model: LanguageModel
  readonly instructions?: Instructions | undefined
  readonly prompt?: string | ModelMessage[] | undefined
  readonly messages?: ModelMessage[] | undefined
  readonly options?: unknown
  readonly runtimeContext?: Record<string, unknown> | undefined
}

/** What `onEnd` reads of a call that has ended. */
export interface AgentCallEnd {
  readonly finishReason: string
  readonly runtimeContext?: unknown
}

/** Memory for a `ToolLoopAgent`. Give it both. */
export interface MemoryForAgent {
  /** Recalls, adds to the instructions, and hides the extraction blocks of this call's model. */
  readonly prepareCall: <Call extends AgentCall>(call: Call) => Promise<Call>
  /** Learns from a call that finished with `stop`. Returns at once; `memory.flush` waits for it. */
  readonly onEnd: (end: AgentCallEnd) => void
}

/** The key in the runtime context by which `onEnd` finds what `prepareCall` began. */
const contextKey = 'symfonicMemory'

interface Begun {
  readonly place: MemoryPlace
  readonly turn: OpenTurn
}

/**
 * Memory as `prepareCall` and `onEnd` of a `ToolLoopAgent`: looks up once a call, before the first
 * step, whatever the steps do then. Each call is a turn of its own, whatever window of the conversation it
 * is given; `turnId` of the place names one that may be told again.
 *
 * The runtime context carries the turn from one to the other: a `prepareStep` that replaces the context
 * must keep its other keys, or nothing is learned.
 *
 * @throws MemoryError - `MEMORY_OPTION_INVALID`.
 */
export function memoryForAgent<CallOptions>(
  memory: Memory,
  given: MemoryForAgentOptions<CallOptions>,
): MemoryForAgent {
  const { placeOf, ...options } = readTurnOptions(given, ['placeOf'])
  const turns = createTurnMemory(memory, options)
  if (typeof placeOf !== 'function') {
    throw refusedOption('placeOf', 'Give a function that answers { scope, sessionId } for a call.')
  }
  // Only what was begun here is finished here, whatever else the context holds.
  const begun = new WeakSet<object>()

  return Object.freeze({
    prepareCall: async <Call extends AgentCall>(call: Call): Promise<Call> => {
      const whose: MemoryTurnPlace | undefined = placeOf(call.options as CallOptions)
      const place = parsePlace(whose)
      const model = resolveModel(call.model)
      const messages: ModelMessage[] =
        typeof call.prompt === 'string'
          ? [{ role: 'user', content: call.prompt }]
          : (call.prompt ?? call.messages ?? [])
      const { text, isFirst, endsWithTool } = askedLast(messages)
      const turn = await turns.open(place, {
        turnId: whose?.turnId,
        query: text,
        model: typeof model === 'string' ? { modelId: model } : model,
        recalls: !endsWithTool,
        showWorking: isFirst,
        canExtract: !('output' in call) || call.output === undefined,
      })
      const whenWritten: WhenWritten = (written, { isInBlock }) => {
        if (written !== '') turn.written.push(written)
        turn.isInBlock = isInBlock
      }
      const hidden = (): HideOptions => ({ isInBlock: turn.isInBlock, whenWritten })
      const mark: Begun = { place, turn }
      begun.add(mark)
      return {
        ...call,
        instructions: [
          ...listOf(call.instructions),
          ...turn.system.map((content) => ({ role: 'system' as const, content })),
        ],
        model: wrapLanguageModel({
          model,
          middleware: {
            specificationVersion: 'v4',
            wrapGenerate: async ({ doGenerate }) => hideInResult(await doGenerate(), hidden()),
            wrapStream: async ({ doStream }) => {
              const result = await doStream()
              return { ...result, stream: hideInStream(result.stream, hidden()) }
            },
          },
        }),
        runtimeContext: { ...call.runtimeContext, [contextKey]: mark },
      }
    },
    onEnd: ({ finishReason, runtimeContext }: AgentCallEnd): void => {
      const mark: unknown = Reflect.get(Object(runtimeContext), contextKey)
      if (typeof mark !== 'object' || mark === null || !begun.delete(mark)) return
      const { place, turn } = mark as Begun
      if (finishReason === 'stop') turns.learn(place, turn)
    },
  })
}

function listOf(instructions: Instructions | undefined) {
  if (instructions === undefined || instructions === '') return []
  if (typeof instructions === 'string') return [{ role: 'system' as const, content: instructions }]
  return Array.isArray(instructions) ? instructions : [instructions]
}

/** An id is resolved as the SDK itself does it: by the host's default provider, else by the gateway. */
function resolveModel(model: LanguageModel): Exclude<LanguageModel, string> {
  if (typeof model !== 'string') return model
  const given = globalThis.AI_SDK_DEFAULT_PROVIDER ?? gateway
  return given.languageModel(model)
}

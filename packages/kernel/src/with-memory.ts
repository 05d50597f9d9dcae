import {
  createExtractionStripper,
  createMemoryExtractionSection,
  type ExtractionState,
  type Hydration,
  listKnownEntities,
  type Memory,
  MemoryError,
  type MemoryExtractionSection,
  type MemoryExtractionSectionOptions,
  type Scope as MemoryScope,
  providerFamily,
  renderHydration,
  selectExtractionTemplate,
  stripExtraction,
} from '@symfonic/memory'
import { memoryTools } from '@symfonic/memory/ai-sdk'
import type { ModelMessage, ToolSet } from 'ai'
import { currentTurn } from './ambient.ts'
import { longestTimerMs } from './cancellation.ts'
import type {
  Capability,
  CompositionView,
  HydrationRequest,
  TurnOutcome,
  TurnView,
} from './capability.ts'
import { describeError } from './describe-error.ts'
import type { Logger } from './logger.ts'

/** What a kernel does with a memory. Everything is optional. */
export interface WithMemoryOptions {
  /** What is recalled costs about this many tokens at most. Default 1,500. */
  readonly budgetTokens?: number
  /** Entries recalled at most. Default 20. */
  readonly limit?: number
  /** Milliseconds after which a turn goes on without memory that has not answered. Default 5,000. */
  readonly timeoutMs?: number
  /**
   * Whether, and how, the model is asked to note what is worth remembering; `values` fills the
   * placeholders of the template. Default: the bundled template for the kernel's model. false: it is not
   * asked, and what it writes all the same is still hidden (MEM-37).
   */
  readonly extraction?: false | (MemoryExtractionSectionOptions & { values?: ExtractionState })
  /** Entities of earlier conversations that the model is shown, at most 100. Default 20; 0 for none. */
  readonly knownEntities?: number
  /** Gives the model tools to remember, recall, correct, forget and list. Default false. */
  readonly tools?: boolean
  /** Plants the agent's identity, under the name of its domain, where it has one. Default true (MEM-46). */
  readonly seedsIdentity?: boolean
  /**
   * Refills an empty working layer from the history of a resumed session (MEM-54). Default false: a
   * history does not say who spoke, and in a channel of several people it would put the words of one
   * into the memory of another. Give true where every session is one person's.
   */
  readonly refillsWorking?: boolean
  /** Told what was recalled, each entry with the signals that brought it. What it throws is logged. */
  readonly onHydrate?: (recalled: TurnRecall) => void
}

/** What was recalled in a turn. */
export interface TurnRecall {
  readonly runId: string
  readonly sessionId: string | undefined
  readonly query: string
  readonly hydration: Hydration
}

/**
 * A memory for a kernel: what it knows goes into L2 before the model is called (under `jit`, into the
 * answer of `hydrate_context`), and the turn is learned from after its end, in the background;
 * `kernel.flush` waits for that.
 *
 * Memory belongs to the scope of the turn. A turn without one has no memory, and one warning is logged.
 * Notes that the model writes for memory are hidden from the answer, from the stream and from the records
 * of the steps; the transcript keeps them, so that the model's own words stay as they were. A
 * memory that is down costs the recall and not the answer.
 *
 * @param memory - Made with `createMemory`; may serve several kernels, and is closed by the host.
 * @throws MemoryError `MEMORY_OPTION_INVALID`.
 */
export function withMemory(memory: Memory, options: WithMemoryOptions = {}): Capability {
  const { extraction = {}, knownEntities = 20, seedsIdentity = true, onHydrate } = options
  const { budgetTokens, limit, timeoutMs = 5_000 } = options
  refuseNoTime(timeoutMs)
  let section = extraction === false ? undefined : createMemoryExtractionSection(extraction)
  let hasWarned = false

  const withinTime = (signal: AbortSignal) =>
    AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])

  const warnOnce = (logger: Logger) => {
    if (hasWarned) return
    hasWarned = true
    logger.warn('a turn has no scope, and so no memory; give its scope with the input')
  }

  const directives = async (view: TurnView, known: readonly unknown[]) => {
    const scope = toMemoryScope(view)
    if (scope === undefined || section === undefined || extraction === false) return undefined
    const { name } = view.agent.domain
    return section.renderSplit({
      ...(name !== '' && { DOMAIN_NAME: name }),
      ...extraction.values,
      TENANT_ID: scope.tenantId,
      known_entities: known,
    })
  }

  const hydrate = async (request: HydrationRequest): Promise<string> => {
    const { runId, sessionId, query, state, messages, signal, logger } = request
    const scope = toMemoryScope(request)
    if (scope === undefined) {
      if (request.isAskedByModel) throw noScope()
      warnOnce(logger)
      return ''
    }
    const hydration = await memory.hydrate(scope, {
      query,
      sessionId: conversationOf(request),
      state,
      signal: withinTime(signal),
      ...(budgetTokens !== undefined && { budgetTokens }),
      ...(limit !== undefined && { limit }),
    })
    if (hydration.failed) throw isDown()
    try {
      onHydrate?.({ runId, sessionId, query, hydration })
    } catch (error) {
      logger.error('onHydrate of "memory" failed', { error })
    }
    // The tail of the conversation is for hosts that send none of it.
    return renderHydration(hydration, { showWorking: !hasHistory(messages) })
  }

  const learn = async (outcome: TurnOutcome, view: TurnView): Promise<void> => {
    const { logger } = view
    const depth = currentTurn()?.depth ?? 0
    const scope = toMemoryScope(view)
    if (scope === undefined) return warnOnce(logger)
    if (outcome.finishReason === 'error' || outcome.finishReason === 'content-filter') return
    const domainName = view.agent.domain.name
    const sessionId = conversationOf(view)
    const attempt = async (what: string, work: () => Promise<unknown>) => {
      try {
        await work()
      } catch (error) {
        logger.warn(`memory could not ${what}: ${describeError(error)}`, { error })
      }
    }
    if (seedsIdentity && domainName !== '' && memory.layers.includes('semantic')) {
      await attempt('plant the identity of the agent', () =>
        memory.seedIdentity(scope, { domainName, depth }),
      )
    }
    const history = outcome.messages.slice(0, outcome.messages.length - outcome.added.length)
    if (options.refillsWorking === true && view.sessionId !== undefined && history.length > 0) {
      const messages = history.flatMap(readMessage).map(({ role, text }) => {
        return { role, text: role === 'assistant' ? stripExtraction(text).text : text }
      })
      await attempt('refill its working layer', () =>
        memory.refillWorking(scope, { sessionId, messages: messages.slice(-mostRefilled) }),
      )
    }
    const answers = outcome.added.flatMap(readMessage).filter(({ role }) => role === 'assistant')
    const asked = view.query === '' ? [] : [{ role: 'user' as const, text: view.query }]
    const turn = { turnId: view.runId, sessionId, messages: [...asked, ...answers] }
    const { failed } = await memory.consolidate(scope, turn)
    if (failed) logger.warn('the turn could not be written to memory')
  }

  return Object.freeze<Capability>({
    name: 'memory',
    onCompose: ({ model, logger }: CompositionView) => {
      if (extraction === false) return
      const named = typeof model === 'string' ? { modelId: model } : model
      const selected = selectExtractionTemplate({ family: providerFamily(named) })
      section = createMemoryExtractionSection({ logger, ...selected, ...extraction })
    },
    hydrate,
    sections: [
      {
        name: extractionName,
        layer: 'L1',
        priority: 90,
        render: async (view) => (await directives(view, []))?.stable ?? '',
      },
      {
        name: 'known-entities',
        layer: 'L2',
        priority: 90,
        render: async (view) => {
          const scope = toMemoryScope(view)
          if (scope === undefined || extraction === false || knownEntities === 0) return ''
          const known = await listKnownEntities(memory, scope, {
            limit: knownEntities,
            signal: withinTime(view.signal),
          })
          return (await directives(view, known))?.volatile ?? ''
        },
      },
    ],
    transformText: () => {
      const stripper = createExtractionStripper()
      return { push: stripper.push, end: () => stripper.end().text }
    },
    stages: { 'extraction-stripping': (text) => stripExtraction(text).text },
    onTurnEnd: learn,
    ...(options.tools === true && {
      tools: memoryTools(memory, { placeOf: placeOfCall }) as ToolSet,
    }),
  })
}

const extractionName: MemoryExtractionSection['name'] = 'Memory Extraction Directives'

/** Messages of a resumed conversation that its working layer is refilled from (MEM-54). */
const mostRefilled = 12

type Whose = Pick<TurnView, 'runId' | 'sessionId' | 'scope'>

/** The scope as memory has it: these three parts, whatever else the host keeps there (MEM-15). */
function toMemoryScope({ scope }: Pick<Whose, 'scope'>): MemoryScope | undefined {
  if (scope === undefined) return undefined
  const { tenantId, namespace, userId } = scope
  return {
    tenantId,
    ...(namespace !== undefined && { namespace }),
    ...(userId !== undefined && { userId }),
  }
}

/** A turn without a session is a conversation of its own. */
function conversationOf({ runId, sessionId }: Whose): string {
  return sessionId ?? `run:${runId}`
}

function placeOfCall(context: unknown) {
  const turn = context as Whose
  const scope = toMemoryScope(turn)
  return scope && { scope, sessionId: conversationOf(turn), turnId: turn.runId }
}

function hasHistory(messages: readonly ModelMessage[]): boolean {
  return messages.findLastIndex(({ role }) => role === 'user') > 0
}

/** What was said; tool results are not learned from, as anybody may have written them. */
function readMessage({ role, content }: ModelMessage) {
  if (role !== 'user' && role !== 'assistant') return []
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
  return text === '' ? [] : [{ role, text }]
}

function refuseNoTime(timeoutMs: number): void {
  if (timeoutMs >= 1 && timeoutMs <= longestTimerMs) return
  throw new MemoryError(
    'MEMORY_OPTION_INVALID',
    `Option "timeoutMs" is ${timeoutMs}. Give milliseconds from 1 to ${longestTimerMs}.`,
    { details: { option: 'timeoutMs' } },
  )
}

function noScope(): MemoryError {
  return new MemoryError(
    'MEMORY_SCOPE_REQUIRED',
    'No active tenant scope is configured for the current run context. Go on without memory.',
  )
}

function isDown(): MemoryError {
  return new MemoryError(
    'MEMORY_STORE_FAILED',
    'Memory cannot be read right now. Go on without it, and do not say that nothing is known.',
  )
}

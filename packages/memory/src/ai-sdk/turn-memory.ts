import type { Memory } from '../create-memory.ts'
import { type NamedModel, providerFamily } from '../extraction/provider-family.ts'
import { type ExtractionState, splitExtraction } from '../extraction/render-extraction.ts'
import {
  createMemoryExtractionSection,
  type MemoryExtractionSection,
  type MemoryExtractionSectionOptions,
} from '../extraction/section.ts'
import { selectExtractionTemplate } from '../extraction/select-template.ts'
import { extractionTemplates } from '../extraction/templates.ts'
import type { Hydration } from '../hydrate.ts'
import { memoryLimits } from '../limits.ts'
import { listKnownEntities } from '../list-known-entities.ts'
import { parseId } from '../parse-entry.ts'
import { parseLimit } from '../parse-query.ts'
import { readObject, readOptions, readSafely } from '../read-object.ts'
import { renderHydration } from '../render-hydration.ts'
import { parseScope, type Scope } from '../scope.ts'
import { refusedOption, refuseNoMemory } from './refuse-option.ts'

/** Whose memory it is, and which conversation is remembered. */
export interface MemoryPlace {
  readonly scope: Scope
  /** Names the conversation. */
  readonly sessionId: string
}

/** A place, and the turn that a call begins there. */
export interface MemoryTurnPlace extends MemoryPlace {
  /**
   * Names the turn, where the host has an id for it: what is told again under the same name is written
   * once. Default: a new name for each call, so that nothing is taken for something said before.
   */
  readonly turnId?: string | undefined
}

/** What a model is shown of memory, and asked to note. Everything is optional. */
export interface TurnMemoryOptions {
  /** What is recalled costs about this much at most; 1,500 by default. */
  readonly budgetTokens?: number
  /** Entries recalled at most; 20 by default. */
  readonly limit?: number
  /** Milliseconds after which a turn goes on without memory that has not answered; 5,000 by default. */
  readonly timeoutMs?: number
  /** The state that intentions are held against. */
  readonly state?: unknown
  /**
   * Whether, and how, the model is asked to note what is worth remembering; `values` fills the
   * placeholders of the template. Default: the bundled template for the model. false: it is not asked,
   * and what it writes all the same is still hidden.
   */
  readonly extraction?: false | (MemoryExtractionSectionOptions & TemplateValues)
  /** Entities of earlier conversations that the model is shown, at most 100; 20 by default. */
  readonly knownEntities?: number
  /** Told what was recalled for a turn, with the reasons. What it throws is ignored. */
  readonly onHydrate?: (hydration: Hydration) => void
}

/** One turn as memory accompanies it. */
export interface OpenTurn {
  readonly turnId: string
  readonly query: string
  /** System texts for the model: the stable directives, then what changes; either may be missing. */
  readonly system: readonly string[]
  /** What the model has written, call by call, verbatim. */
  readonly written: string[]
  /** Whether what was written last ended within a block. */
  isInBlock: boolean
}

/** @see createTurnMemory */
export interface TurnRequest {
  /** A new name by default. */
  readonly turnId?: string | undefined
  readonly query: string
  readonly model: NamedModel
  /** false: nothing is looked up. */
  readonly recalls: boolean
  /** Whether the tail of the conversation is shown: only where the conversation is not. */
  readonly showWorking: boolean
  /** Whether the model can write blocks: an answer in JSON has no room for them. */
  readonly canExtract: boolean
  readonly signal?: AbortSignal | undefined
}

const optionKeys = [
  'budgetTokens',
  'limit',
  'timeoutMs',
  'state',
  'extraction',
  'knownEntities',
  'onHydrate',
]

/**
 * Checks the options of the middleware or the agent hooks.
 *
 * @param others - Options that the one has beside those of a turn.
 * @throws MemoryError - `MEMORY_OPTION_INVALID`; `MEMORY_QUERY_INVALID` for what is no object.
 */
export function readTurnOptions<Options extends TurnMemoryOptions>(
  options: Options,
  others: readonly string[],
): Options {
  return readOptions('options', options, [...others, ...optionKeys])
}

/** What the middleware and the agent hooks have in common: opening a turn, and learning from it. */
export function createTurnMemory(memory: Memory, options: TurnMemoryOptions) {
  refuseNoMemory(memory)
  const { budgetTokens, limit, state, extraction = {}, knownEntities = 20, onHydrate } = options
  const { timeoutMs = 5_000 } = options
  refuseNoTime(timeoutMs)
  if (limit !== undefined) parseLimit(limit)
  if (budgetTokens !== undefined && !(typeof budgetTokens === 'number' && budgetTokens >= 0)) {
    throw refusedOption('budgetTokens', 'Give a number from 0.')
  }
  if (!Number.isSafeInteger(knownEntities) || knownEntities < 0 || knownEntities > mostEntities) {
    throw refusedOption('knownEntities', `Give a whole number from 0 to ${mostEntities}.`)
  }
  const sections = new Map<string, MemoryExtractionSection>()
  if (extraction !== false) refuseBroken(readObject('extraction', extraction))

  const sectionFor = (model: NamedModel): MemoryExtractionSection | undefined => {
    if (extraction === false) return undefined
    const selected = selectExtractionTemplate({ family: providerFamily(model) })
    const templateName = 'templateName' in selected ? selected.templateName : 'extraction'
    const section =
      sections.get(templateName) ?? createMemoryExtractionSection({ templateName, ...extraction })
    sections.set(templateName, section)
    return section
  }

  const directives = async (
    scope: Scope,
    { model, canExtract, recalls }: TurnRequest,
    signal: AbortSignal,
  ) => {
    const section = canExtract ? sectionFor(model) : undefined
    if (section === undefined) return undefined
    const values = extraction === false ? {} : extraction.values
    const known =
      recalls && knownEntities > 0
        ? // A list that cannot be read costs the list.
          await listKnownEntities(memory, scope, { limit: knownEntities, signal }).catch(() => [])
        : []
    return section.renderSplit({ ...values, TENANT_ID: scope.tenantId, known_entities: known })
  }

  const recalled = async (
    { scope, sessionId }: MemoryPlace,
    { query, recalls, showWorking }: TurnRequest,
    signal: AbortSignal,
  ): Promise<string> => {
    if (!recalls) return ''
    const hydration = await memory.hydrate(scope, {
      query,
      sessionId,
      ...(budgetTokens !== undefined && { budgetTokens }),
      ...(limit !== undefined && { limit }),
      ...(state !== undefined && { state }),
      signal,
    })
    try {
      onHydrate?.(hydration)
    } catch {
      // A listener must not cost the turn.
    }
    return renderHydration(hydration, { showWorking })
  }

  return Object.freeze({
    open: async (place: MemoryPlace, request: TurnRequest): Promise<OpenTurn> => {
      const { turnId: given, query } = request
      // INVARIANT: never derived from the prompt: a window repeats places, and people repeat themselves.
      const turnId = given ?? crypto.randomUUID()
      parsePlace({ ...place, turnId })
      const limits = [AbortSignal.timeout(timeoutMs), request.signal]
      const signal = AbortSignal.any(limits.filter((each) => each !== undefined))
      const [asked, text] = await Promise.all([
        directives(place.scope, request, signal),
        recalled(place, request, signal),
      ])
      const volatile = [text, asked?.volatile ?? ''].filter((each) => each !== '').join('\n\n')
      const system = [asked?.stable ?? '', volatile].filter((each) => each !== '')
      return { turnId, query, system, written: [], isInBlock: false }
    },
    /** Returns at once; `memory.flush` waits for it. */
    learn: ({ scope, sessionId }: MemoryPlace, { turnId, query, written }: OpenTurn): void => {
      void memory.consolidate(scope, {
        turnId,
        sessionId,
        messages: [
          { role: 'user', text: query },
          ...bounded(written).map((text) => ({ role: 'assistant' as const, text })),
        ],
      })
    },
  })
}

/** Texts of one turn that are told apart; a turn has room for 200 messages. */
const mostTexts = 100

/** The last ones apart, and those before them as one. */
function bounded(texts: readonly string[]): readonly string[] {
  if (texts.length <= mostTexts) return texts
  const at = 1 - mostTexts
  return [texts.slice(0, at).join('\n\n'), ...texts.slice(at)]
}

function refuseNoTime(timeoutMs: number): void {
  if (typeof timeoutMs === 'number' && timeoutMs >= 1 && timeoutMs <= longestTimerMs) return
  throw refusedOption('timeoutMs', `Give milliseconds from 1 to ${longestTimerMs}.`)
}

/** Entities that a model is shown. */
const mostEntities = 100

/** Beyond it a timer of the platform fires at once. */
const longestTimerMs = 2 ** 31 - 1

/** A template that cannot be filled must not cost an answer later. */
function refuseBroken({
  values,
  ...options
}: MemoryExtractionSectionOptions & TemplateValues): void {
  createMemoryExtractionSection(options)
  const { template = extractionTemplates.extraction } = options
  splitExtraction(template, { ...values, TENANT_ID: 'tenant' })
}

interface TemplateValues {
  /** What the placeholders of the template stand for. */
  readonly values?: ExtractionState
}

/**
 * A place from outside, checked here: a name that is refused when the answer is learned would cost the answer.
 *
 * @throws MemoryError - for a scope that is missing or malformed, and for a session or turn that is no name.
 */
export function parsePlace(place: MemoryTurnPlace | undefined): MemoryPlace {
  // Key by key: those of an instance of a class may be getters, which a spread leaves out.
  const [scope, sessionId, turnId] = readSafely('place', () => {
    return [place?.scope, place?.sessionId, place?.turnId] as const
  })
  const parsed = parseScope(scope)
  // An id that is empty or long has its own rule where it is written, and is never refused.
  const isText = typeof sessionId === 'string'
  const hasRule = isText && (sessionId === '' || sessionId.length > memoryLimits.idChars)
  if (!hasRule) parseId('sessionId', sessionId)
  if (turnId !== undefined) parseId('turnId', turnId)
  return Object.freeze({ scope: parsed, sessionId: sessionId as string })
}

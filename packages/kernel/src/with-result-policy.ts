import {
  type Conversation,
  createInMemoryLedger,
  createResultPolicy,
  describeRecall,
  type Ledger,
  type PolicySettingsSource,
  type Pricing,
  type RecallRequest,
  type ResultPolicy,
  ResultPolicyError,
  recallResult,
  recallToolName,
  type TokenEstimator,
} from '@symfonic/result-policy'
import { aiSdkTranscript, recallTool, type SdkMessage } from '@symfonic/result-policy/ai-sdk'
import type { ModelMessage } from 'ai'
import type { AgentView, Capability, CompositionView, TurnOutcome, TurnView } from './capability.ts'
import { type Logger, silentLogger } from './logger.ts'
import type { AnyTool } from './tools.ts'
import { createResultPlaces, resultPlace } from './with-result-policy-places.ts'

export { resultPlace } from './with-result-policy-places.ts'

/** How tool results are kept cheap. Everything is optional. */
export interface ResultPolicyOptions extends PolicySettingsSource {
  /**
   * Where whole results are kept. Default: in this process, bounded, and released with the conversations
   * that are forgotten. One that you give keeps a session until you release its `resultPlace`.
   */
  readonly ledger?: Ledger
  /** What models cost. Default: the table of the package. */
  readonly pricing?: Pick<Pricing, 'priceOf'>
  readonly estimateTokens?: TokenEstimator
  /**
   * How many conversations are remembered in this process; more only while their turns are under way.
   * One that comes back after it was forgotten is measured and recorded again and decided the same.
   * Default 200.
   */
  readonly conversations?: number
}

const defaultConversations = 200

/** How long a provider keeps what was sent last; without a cache nothing can expire. */
const lifetimeMs = { '5m': 300_000, '1h': 3_600_000, none: Number.POSITIVE_INFINITY } as const

/** A conversation, and when its model was called last, in epoch milliseconds. */
interface Known {
  readonly conversation: Conversation<SdkMessage>
  readonly at: number
}

/**
 * A result policy for a kernel: before each model call old verbose results are replaced by stubs where
 * that saves money, computed anew from the untouched transcript, and the tool `recall_tool_result`
 * reads them again. Each call's savings are in the event `history-rewritten`.
 *
 * Results are kept by tenant and session, so that nobody else's can be recalled. Those of a turn without
 * a session are kept by its run and released when it ends. The price is that of the kernel's model unless
 * `modelName` says otherwise.
 *
 * @throws ResultPolicyError `RESULT_SETTING_INVALID`, `RESULT_OPTION_INVALID`.
 */
export function withResultPolicy(options: ResultPolicyOptions = {}): Capability {
  const {
    ledger = createInMemoryLedger(),
    pricing,
    estimateTokens,
    conversations: most = defaultConversations,
    ...settings
  } = options
  requireCount(most)
  requireEstimator(estimateTokens)
  const compose = (modelName: string, logger: Logger): ResultPolicy<SdkMessage> =>
    createResultPolicy<SdkMessage>(
      { ...settings, modelName: settings.modelName ?? modelName },
      { transcript: aiSdkTranscript, ledger, pricing, estimate: estimateTokens, logger },
    )
  // Made once to refuse what is malformed; each kernel gets its own, at the price of its model.
  const unpriced = compose('', silentLogger)
  const policies = new WeakMap<AgentView, ResultPolicy<SdkMessage>>()
  const { enabled, recallMaxChars, cache } = unpriced.settings
  const ownsLedger = options.ledger === undefined
  const places = createResultPlaces<Known>(ledger, { most, ownsLedger })

  const recall: AnyTool = {
    ...(recallTool(ledger, { scopeKey: 'kernel', thread: 'kernel' }) as AnyTool),
    // The tool is one for all tenants: whose results it reads is known when it is called.
    execute: async (request: RecallRequest, { context }: { readonly context: unknown }) => {
      const place = resultPlace(context as Parameters<typeof resultPlace>[0])
      return describeRecall(
        await recallResult(ledger, request, { place, maxChars: recallMaxChars }),
      )
    },
  } as AnyTool

  return Object.freeze({
    name: 'result-policy',
    onCompose: ({ agent, model, logger }: CompositionView) => {
      policies.set(agent, compose(typeof model === 'string' ? model : model.modelId, logger))
    },
    ...(enabled && {
      tools: { [recallToolName]: recall },
      rewriteHistory: (messages: readonly ModelMessage[], view: TurnView) =>
        places.within(view, async ({ place, known }) => {
          const policy = policies.get(view.agent) ?? unpriced
          const { modelName } = policy.settings
          const last = known.get(modelName)
          const conversation = last?.conversation ?? policy.forConversation(place)
          const at = Date.now()
          const cacheExpired = last !== undefined && at - last.at >= lifetimeMs[cache]
          known.set(modelName, { conversation, at })
          const applied = await conversation.apply(messages, { cacheExpired })
          return {
            messages: applied.messages as readonly ModelMessage[],
            details: { ...applied.report },
          }
        }),
      onTurnEnd: (_: TurnOutcome, view: TurnView) => places.end(view),
    }),
  })
}

function requireCount(conversations: unknown): void {
  if (typeof conversations === 'number' && conversations >= 1) return
  throw new ResultPolicyError(
    'RESULT_OPTION_INVALID',
    'The option conversations is no number of at least 1. Give one, or leave it out.',
    { details: { option: 'conversations' } },
  )
}

function requireEstimator(estimateTokens: unknown): void {
  if (estimateTokens === undefined || typeof estimateTokens === 'function') return
  throw new ResultPolicyError(
    'RESULT_OPTION_INVALID',
    'The option estimateTokens is no function. Give one from text to tokens, or leave it out.',
    { details: { option: 'estimateTokens' } },
  )
}

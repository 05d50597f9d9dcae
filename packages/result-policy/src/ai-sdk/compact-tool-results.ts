import type { Conversation, ConversationOptions, SavingsReport } from '../conversation.ts'
import { quietly } from '../logger.ts'
import type { ResultPolicy } from '../result-policy.ts'
import type { LanguageModelMiddleware, ModelMessage } from './sdk.ts'
import type { PromptMessage, SdkMessage } from './transcript.ts'

/** Which conversation is made shorter, and who is told. */
export interface CompactToolResultsOptions extends ConversationOptions {
  /**
   * Asked before each call whether the provider's cache has expired by now. Anything but true says that
   * it has not, and so does what throws. Default: it has not.
   */
  readonly hasCacheExpired?: (() => boolean) | undefined
  /** Told what each call saves. What it throws is ignored. */
  readonly onReport?: ((report: SavingsReport) => void) | undefined
}

/** The policy for one conversation, in the two shapes an AI SDK app can take it in. Use one of them. */
export interface CompactToolResults {
  /** For `generateText`, `streamText` and `ToolLoopAgent`. */
  readonly prepareStep: (step: {
    messages: ModelMessage[]
  }) => Promise<{ messages: ModelMessage[] }>
  /** For `wrapLanguageModel`: works below any caller, and leaves its history untouched. */
  readonly middleware: LanguageModelMiddleware
}

/**
 * Sends old tool results of one conversation as stubs, when that saves money.
 *
 * A `messages` override of the AI SDK carries forward into the next step. What was rewritten is known
 * by its object and read as the message it was made from, so the history is never built on stubs, and
 * the middleware, which sees each prompt anew, comes to the same bytes.
 *
 * @throws ResultPolicyError as `ResultPolicy.forConversation`.
 */
export function compactToolResults(
  policy: Pick<ResultPolicy<SdkMessage>, 'forConversation'>,
  options: CompactToolResultsOptions,
): CompactToolResults {
  const { onReport } = options
  const stepwise = policy.forConversation(options)
  const promptwise = policy.forConversation(options)
  return Object.freeze({
    async prepareStep({ messages }: { messages: ModelMessage[] }) {
      return { messages: (await shorten(stepwise, messages)) as ModelMessage[] }
    },
    middleware: Object.freeze<LanguageModelMiddleware>({
      specificationVersion: 'v4',
      async transformParams({ params }) {
        return { ...params, prompt: (await shorten(promptwise, params.prompt)) as PromptMessage[] }
      },
    }),
  })

  async function shorten(
    conversation: Conversation<SdkMessage>,
    messages: readonly SdkMessage[],
  ): Promise<SdkMessage[]> {
    const applied = await conversation.apply(messages, { cacheExpired: hasCacheExpired() })
    quietly(() => onReport?.(applied.report))
    return [...applied.messages]
  }

  function hasCacheExpired(): boolean {
    let answer: unknown
    quietly(() => {
      answer = options.hasCacheExpired?.()
    })
    // Where it cannot be known, a rewrite must pay for itself.
    return answer === true
  }
}

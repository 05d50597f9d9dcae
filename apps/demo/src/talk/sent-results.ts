import type { ResultDecision } from '@symfonic/result-policy'
import { aiSdkTranscript, type SdkMessage } from '@symfonic/result-policy/ai-sdk'
import { gateway, type LanguageModel, wrapLanguageModel } from 'ai'

/** A result that went out as a stub, looked for where it is kept and in what a model was sent. */
export interface StubbedResult {
  readonly decision: ResultDecision
  /** Does the transcript have, byte for byte, what the tool gave? */
  readonly isKept: boolean
  /** Characters in its place in each request of the turn. */
  readonly sentChars: readonly number[]
}

/** Reads along what a model is sent: what anybody else says of it need not be so. */
export interface RequestLog {
  /** The model to use. */
  readonly model: LanguageModel
  /** Forgets the requests so far. */
  clear(): void
  /**
   * @param about.transcript - Of the conversation.
   * @param about.given - What the tool gave, as a text; undefined when nobody saw it.
   */
  look(
    decision: ResultDecision,
    about: { readonly transcript: readonly SdkMessage[]; readonly given: string | undefined },
  ): StubbedResult
}

/** Puts a log in front of a model. */
export function logRequests(to: LanguageModel): RequestLog {
  let requests: ReadonlyMap<string, string>[] = []
  const model = wrapLanguageModel({
    model: typeof to === 'string' ? gateway(to) : to,
    middleware: {
      specificationVersion: 'v4',
      transformParams: async ({ params }) => {
        requests.push(resultsIn(params.prompt))
        return params
      },
    },
  })
  return {
    model,
    clear: () => {
      requests = []
    },
    look: (decision, { transcript, given }) => {
      const { toolCallId } = decision
      const isKept = given !== undefined && resultsIn(transcript).get(toolCallId) === given
      const sent = requests.flatMap((results) => results.get(toolCallId) ?? [])
      return { decision, isKept, sentChars: sent.map((text) => text.length) }
    },
  }
}

/** The text of each tool result, by its call. */
function resultsIn(messages: readonly SdkMessage[]): ReadonlyMap<string, string> {
  const results = messages.flatMap((message) => aiSdkTranscript.resultsOf(message))
  return new Map(results.map(({ toolCallId, text = '' }) => [toolCallId, text]))
}

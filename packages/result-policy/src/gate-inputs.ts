import type { PolicySettings } from './settings.ts'
import { charsPerToken as defaultCharsPerToken } from './token-estimate.ts'

/** What the decision to offload is made from, as far as settings and size say it (RES-20). */
export interface GateInputs {
  /** The result in tokens. */
  readonly outputTokens: number
  /** Model calls still expected: the prior of the settings, whatever step it is (RES-21). */
  readonly horizon: number
  /** Chance that the result is asked for again, 0 to 1. */
  readonly recallProbability: number
  readonly modelName: string
  /** From how many tokens on a result counts as large; a whole number. */
  readonly largeOffloadThresholdTokens: number
}

/** What `gateInputs` reads of the settings. */
type GateSettings = Pick<
  PolicySettings,
  | 'expectedConversationDepth'
  | 'expectedRecallProbability'
  | 'modelName'
  | 'largeOffloadThresholdChars'
>

/**
 * The inputs of the gate for one result.
 *
 * @param sizeChars - Length of the whole result in characters.
 * @param about.charsPerToken - Characters that make one token. Default 4.
 * @see RES-20, RES-21
 */
export function gateInputs(
  sizeChars: number,
  about: { settings: GateSettings; charsPerToken?: number },
): GateInputs {
  const { settings, charsPerToken = defaultCharsPerToken } = about
  return {
    outputTokens: sizeChars / charsPerToken,
    horizon: settings.expectedConversationDepth,
    recallProbability: settings.expectedRecallProbability,
    modelName: settings.modelName,
    largeOffloadThresholdTokens: Math.trunc(settings.largeOffloadThresholdChars / charsPerToken),
  }
}

import type { CompositionView } from './capability.ts'

/**
 * Warns, once, when forcing the first action cannot work with the model as configured: some models
 * refuse a forced tool choice, always or while they think, and their provider then turns it into
 * advice. The turn's own warnings (a refused choice, an ignored one) stay as they are (PRE-29,
 * PRE-31).
 */
export function warnOfAdvisoryForceLever({ model, settings, logger }: CompositionView): void {
  const modelId = typeof model === 'string' ? model : model.modelId
  const reason = refusalOf(modelId, settings.providerOptions?.['anthropic']?.['thinking'])
  if (reason === undefined) return
  logger.warn(
    `forceFirstAction has no force here: ${reason}. The tool is only suggested; rely on the gate, or choose another model or thinking setting.`,
    { modelId },
  )
}

/** Model families whose provider refuses every forced choice (@ai-sdk/anthropic 4, model catalogue). */
const alwaysRefusing = /claude-(sonnet-5[.-]5|opus-5[.-]5|fable-5[.-][12])/

function refusalOf(modelId: string, thinking: unknown): string | undefined {
  if (alwaysRefusing.test(modelId)) return `${modelId} refuses a forced tool choice`
  const isThinking = (thinking as { type?: unknown } | undefined)?.type === 'enabled'
  return isThinking && modelId.includes('claude-')
    ? `${modelId} refuses a forced tool choice while thinking is enabled`
    : undefined
}

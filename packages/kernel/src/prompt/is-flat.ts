import type { ContextStrategy } from '../capability.ts'
import type { PromptLayerMode } from './prompt-report.ts'

/** Whether a prompt is one text without regions: asked for, or because of its strategy (PROMPT-02). */
export function isFlat(settings: {
  readonly contextStrategy: ContextStrategy
  readonly layerMode?: PromptLayerMode | undefined
}): boolean {
  return settings.contextStrategy === 'jit' || settings.layerMode === 'legacy'
}

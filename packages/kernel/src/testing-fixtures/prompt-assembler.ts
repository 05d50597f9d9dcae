import { estimateTokens } from '../cache/estimate-tokens.ts'
import type { PromptSection, TurnView } from '../capability.ts'
import {
  createPromptAssembler,
  orderSections,
  type PromptSettings,
  type PromptSurroundings,
} from '../prompt/assemble-prompt.ts'
import type { OwnedSection } from '../prompt/render-sections.ts'
import { createTextHash } from '../prompt/text-hash.ts'
import type { ToolDefinition } from '../tool-definitions.ts'
import { turnView } from './turn-view.ts'

/** A section of the capability `desk`. */
export function owned(
  section: Omit<PromptSection, 'render'> & Partial<PromptSection>,
): OwnedSection {
  return { capability: 'desk', section: { render: () => '', ...section } }
}

/** What the prompt of these tests stands among: no tools, one marker for a message. */
export const surroundings: PromptSurroundings = {
  tools: { definitions: [], ttl: undefined },
  messageMarkers: 1,
}

/**
 * An assembler of these sections, in layers and cached for five minutes unless said otherwise. A
 * prefix of any length counts as cacheable.
 */
export function promptAssembler(
  sections: readonly OwnedSection[],
  differs: Partial<PromptSettings> = {},
  hash = createTextHash(),
) {
  const assemble = createPromptAssembler(
    {
      sections: orderSections(sections),
      contextStrategy: 'stratified',
      layerMode: 'stratigraphic',
      volatilePosition: 'system',
      kernelVersion: undefined,
      cacheTtl: '5m',
      minimumTokens: 0,
      estimateTokens,
      timeoutMs: 1_000,
      ...differs,
    },
    hash,
  )
  return (around: Partial<PromptSurroundings> = {}, view: TurnView = turnView()) =>
    assemble(view, { ...surroundings, ...around })
}

/** Tools that are nothing but their names and what is said of them. */
export function definitionsOf(texts: Readonly<Record<string, string>>): readonly ToolDefinition[] {
  return Object.entries(texts).map(([name, text]) => ({ name, capability: 'kernel', text }))
}

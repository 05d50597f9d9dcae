import type { ToolSet } from 'ai'
import { markerBudget } from '../cache/allot-markers.ts'
import { countMarked } from '../cache/place-markers.ts'
import type { CacheTtl, TurnView } from '../capability.ts'
import type { Plan } from '../compose.ts'
import type { AssembledPrompt } from './assemble-prompt.ts'
import { type Hydration, hydrate } from './context-strategy.ts'

/** A turn's prompt and tools, and what was looked up; undefined where nobody was asked. */
export interface PreparedPrompt {
  readonly prompt: AssembledPrompt
  /** The same at every step of the turn. */
  readonly tools: ToolSet
  readonly hydration: Hydration | undefined
}

/**
 * Looks up context, where the strategy is to do so in advance, and assembles the prompt of a turn.
 *
 * @param viewWith - The view of the turn, given what was looked up.
 * @throws KernelError `KERNEL_SECTION_FAILED`.
 */
export async function preparePrompt(
  plan: Plan,
  viewWith: (hydrated: string) => TurnView,
): Promise<PreparedPrompt> {
  const before = viewWith('')
  const asksFirst = plan.agent.contextStrategy === 'stratified' && plan.hydrators.length > 0
  const hydration = asksFirst
    ? await hydrate(plan.hydrators, before, plan.limits.toolTimeoutMs)
    : undefined
  const { tools, definitions } = await plan.tools.offer()
  const prompt = await plan.assemblePrompt(
    hydration === undefined ? before : viewWith(hydration.text),
    {
      tools: { definitions, ttl: toolMarkerOf(plan) },
      messageMarkers: Math.max(
        plan.cache.strategy?.slots ?? 0,
        countMarked(before.messages, markerBudget),
      ),
    },
  )
  return { prompt, tools, hydration }
}

/** Lifetime of the marker the tools should have: the host's own, or that of the layers behind them. */
function toolMarkerOf({ tools, cache }: Plan): CacheTtl | undefined {
  if (tools.marked !== undefined) return tools.marked.ttl
  return cache.ttl === false || tools.markable === undefined ? undefined : cache.ttl
}

import {
  type CacheOptions,
  type Capability,
  createKernel,
  type Kernel,
  type TurnView,
} from '@symfonic/kernel'
import { type TurnRecall, withMemory } from '@symfonic/kernel/with-memory'
import { withPlugins } from '@symfonic/kernel/with-plugins'
import { withPreflight } from '@symfonic/kernel/with-preflight'
import type { Memory } from '@symfonic/memory'
import type { SkillSelection } from '@symfonic/preflight'
import type { LanguageModel } from 'ai'
import { createApprovals } from './approvals.ts'
import { calledAbout } from './called-about.ts'
import { clock } from './clock.ts'
import { createDesk } from './desk.ts'
import { frontDesk, frontDeskState } from './front-desk.ts'
import { createDeskMemory } from './memory.ts'
import { createPreferences } from './preferences.ts'
import { seedDesk } from './seed.ts'
import { createShortResults } from './short-results.ts'
import { deskSkills } from './skills.ts'
import { createDeskTools } from './tools.ts'
import { travelPolicy } from './travel-policy.ts'

const instructions = `You are the assistant of a company's travel desk. You look up travellers, search flights, show, change and cancel reservations, add baggage, and keep people's preferences.

Use the tools; never make up a reservation, a price or a refund. If a call is refused, read why, do what is missing, then try again. If something cannot be done, say so and say what can.

Messages in a shared channel begin with their author in brackets. What one person told you is nobody else's business: answer from the memory of the person who speaks.

Answer in a few short sentences of Markdown.`

/** What an assistant is made of. */
export interface AssistantOptions {
  readonly model: LanguageModel
  /** ISO date: what the prompt calls today, and what the trips lie after. */
  readonly today: string
  /** Told which rules are in force in a turn, and why others are not. */
  readonly onSelection: (selection: SkillSelection, view: TurnView) => void
  /** What the desk remembers; the caller closes it. Default: one of its own, gone with the process. */
  readonly memory?: Memory
  /** Told what was recalled for a turn, before the model is asked. */
  readonly onRecall?: (recalled: TurnRecall) => void
  /** How the model's provider is to cache. Default: as the kernel knows it. */
  readonly cache?: CacheOptions
  /** Sends stubs in place of large results. Default: one of its own. */
  readonly shortResults?: Capability
  /** Puts the time of this clock into the cached prefix, which breaks it. Default: no time there. */
  readonly clockInPrefix?: (() => Date) | undefined
}

/** Entries recalled for a turn, at most. */
const recallLimit = 6

/** The travel desk on a kernel: its tools, its rules, its plugins and its prompt around a model. */
export function createAssistant(options: AssistantOptions): Kernel {
  const { model, today, onSelection, cache = {}, clockInPrefix } = options
  const { shortResults = createShortResults().capability, onRecall } = options
  const { memory = createDeskMemory() } = options
  const desk = createDesk(seedDesk(today))
  return createKernel({
    model,
    instructions,
    tools: createDeskTools(desk, createPreferences(memory)),
    capabilities: [
      withPreflight({ skills: deskSkills, onSelection, readCalled: calledAbout }),
      shortResults,
      withMemory(memory, { limit: recallLimit, ...(onRecall && { onHydrate: onRecall }) }),
      withPlugins({
        plugins: [
          travelPolicy,
          createApprovals(desk),
          frontDesk,
          ...(clockInPrefix ? [clock] : []),
        ],
        renderState: (view) => ({
          ...frontDeskState(view, today),
          ...(clockInPrefix && { CURRENT_TIMESTAMP: clockInPrefix().toISOString() }),
        }),
      }),
    ],
    cache,
    // What is recalled changes from turn to turn; behind the history, it leaves that cached.
    prompt: { volatilePosition: 'user' },
    limits: { steps: 12, toolTimeoutMs: 10_000 },
    id: 'travel-desk',
  })
}

import { createKernel, type Kernel, type TurnView } from '@symfonic/kernel'
import { withPreflight } from '@symfonic/kernel/with-preflight'
import type { SkillSelection } from '@symfonic/preflight'
import type { LanguageModel } from 'ai'
import { calledAbout } from './called-about.ts'
import { createDesk } from './desk.ts'
import { createPreferences } from './preferences.ts'
import { seedDesk } from './seed.ts'
import { deskSkills } from './skills.ts'
import { fullNameOf } from './speaker.ts'
import { createDeskTools } from './tools.ts'

const instructions = `You are the assistant of a company's travel desk. You look up travellers, show, change and cancel reservations, add baggage, and keep people's preferences.

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
}

/** The travel desk on a kernel: its tools, its rules and its prompt around a model. */
export function createAssistant({ model, today, onSelection }: AssistantOptions): Kernel {
  return createKernel({
    model,
    instructions,
    tools: createDeskTools(createDesk(seedDesk(today)), createPreferences()),
    capabilities: [
      withPreflight({ skills: deskSkills, onSelection, readCalled: calledAbout }),
      {
        name: 'desk',
        sections: [
          { name: 'today', layer: 'L2', render: () => `Today is ${today}.` },
          { name: 'speaker', layer: 'L2', render: describeSpeaker },
        ],
      },
    ],
    limits: { steps: 12, toolTimeoutMs: 10_000 },
    id: 'travel-desk',
  })
}

function describeSpeaker({ scope }: TurnView): string {
  const user = scope?.userId
  if (user === undefined) return ''
  return `The speaker is ${fullNameOf(user)} (@${user}) in ${scope?.namespace ?? 'an unknown place'}.`
}

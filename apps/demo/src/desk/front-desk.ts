import type { TurnView } from '@symfonic/kernel'
import type { DomainPlugin } from '@symfonic/plugins'
import { fullNameOf } from './speaker.ts'

/**
 * Who is at the desk, and which day it is. Both change from turn to turn, so both are volatile: behind
 * everything that is cached.
 */
export const frontDesk: DomainPlugin = {
  name: 'front-desk',
  injectContributions: ({ TODAY, SPEAKER = '', NAMESPACE }) => [
    volatile(`Today is ${TODAY}.`),
    volatile(
      SPEAKER === '' ? '' : `The speaker is ${SPEAKER} in ${NAMESPACE || 'an unknown place'}.`,
    ),
  ],
}

/** What this plugin renders from, besides what every plugin is given. */
export function frontDeskState({ scope }: TurnView, today: string) {
  const user = scope?.userId
  return { TODAY: today, SPEAKER: user === undefined ? '' : `${fullNameOf(user)} (@${user})` }
}

function volatile(content: string) {
  return { content, position: 'volatile', header: '' } as const
}

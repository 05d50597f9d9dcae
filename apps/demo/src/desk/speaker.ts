import type { Scope } from '@symfonic/kernel'

/** Where somebody speaks. */
export type Platform = 'slack' | 'web'

/** Who speaks, and where. */
export interface Speaker {
  /** Lower-case user name, such as `mia`. */
  readonly user: string
  readonly platform: Platform
}

/** The platforms there are. */
export const platforms: readonly Platform[] = ['slack', 'web']

/** The company whose desk this is. */
const tenantId = 'harbour'
const channel = '#travel'

const fullNames = new Map([
  ['mia', 'Mia Lindqvist'],
  ['omar', 'Omar Haddad'],
  ['wei', 'Wei Chen'],
])

/** Is it a user name? Letters, digits, dots and dashes, at most 30. */
export function isUserName(text: string): boolean {
  return /^[a-z][a-z0-9.-]{0,29}$/.test(text)
}

/** The name to address somebody by; a user the directory does not know goes by the user name. */
export function fullNameOf(user: string): string {
  return fullNames.get(user) ?? user
}

/** Whose turn it is, as the kernel passes it to tools. In Slack everybody shares one channel. */
export function scopeOf({ user, platform }: Speaker): Scope {
  return { tenantId, namespace: platform === 'slack' ? channel : 'web', userId: user }
}

/** The runtime state that rules ask about. */
export function stateOf({ user, platform }: Speaker) {
  const pageContext =
    platform === 'slack' ? { platform, channel, slack_user_name: user } : { platform }
  return { page_context: pageContext }
}

/** Conversations are kept apart by this: a channel has one, the web one for each user. */
export function sessionOf({ user, platform }: Speaker): string {
  return platform === 'slack' ? `slack/${channel}` : `web/${user}`
}

/** The words as the model gets them: in a shared channel they carry their author. */
export function attribute({ user, platform }: Speaker, says: string): string {
  return platform === 'slack' ? `[@${user}] ${says}` : says
}

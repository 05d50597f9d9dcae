import type { DomainPlugin } from '@symfonic/plugins'

/**
 * A mistake on purpose: the time in text that is to be cached. It reads well in a review, and every
 * turn pays for what it puts behind the first byte that differs.
 */
export const clock: DomainPlugin = {
  name: 'clock',
  injectContributions: ({ CURRENT_TIMESTAMP }) => [{ content: `It is ${CURRENT_TIMESTAMP}.` }],
}

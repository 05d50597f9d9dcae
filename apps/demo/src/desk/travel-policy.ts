import type { DomainPlugin } from '@symfonic/plugins'
import { approvalLimitEur } from './approvals.ts'

/** What the company allows, told to the model: the same bytes in every turn, so it is cached. */
export const travelPolicy: DomainPlugin = {
  name: 'travel-policy',
  injectContributions: () => [{ content: policy, cacheTtl: '1h' }],
}

const policy = `- A trip that costs more than ${approvalLimitEur} EUR is cancelled or changed by a travel manager only.
- Basic fares are not refunded. Say so when one is cancelled.
- A traveller has at most three bags.`

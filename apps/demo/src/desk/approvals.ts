import type { DomainPlugin } from '@symfonic/plugins'
import type { Desk } from './desk.ts'

/** What a trip may cost before somebody has to approve what happens to it. */
export const approvalLimitEur = 500

/**
 * Holds everybody to that limit: a costly trip is neither cancelled nor changed here, whatever the
 * model was told or talked into. A call about a trip that is not there denies, too: the lookup throws.
 */
export function createApprovals(desk: Pick<Desk, 'readReservation'>): DomainPlugin {
  return {
    name: 'approvals',
    validateStateTransition: (action, context) => {
      if (!guarded.has(action)) return true
      const { reservation_id: id } = context['arguments'] as { readonly reservation_id: string }
      const { priceEur } = desk.readReservation(id)
      if (priceEur <= approvalLimitEur) return true
      const reason = `A trip of ${priceEur.toLocaleString('en')} EUR is above ${approvalLimitEur} EUR, so a travel manager has to approve this.`
      return { allow: false, reason }
    },
  }
}

const guarded = new Set(['cancel_reservation', 'change_flight'])

/**
 * Whose turn this is. The kernel passes it on untouched to capabilities, tools and events; what it
 * gates (memory, budgets) is the capability's business.
 */
export interface Scope {
  /** The paying customer. Never empty. */
  readonly tenantId: string
  /** A division below the tenant, such as a workspace or a channel. */
  readonly namespace?: string
  /** The person who speaks. */
  readonly userId?: string
}

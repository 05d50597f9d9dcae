import type { ProposedCall, TurnView } from '@symfonic/kernel'
import { z } from 'zod'
import { type AnsweredCall, answeredCalls } from './answered-calls.ts'
import { isConfirmed } from './confirmation.ts'

/**
 * What the retail rules read. As in `AirlineState`, every path has a value at all times, and in doubt
 * the one under which the rule stands.
 */
export interface RetailState {
  /** The user was found, by email or by name and zip code. */
  readonly auth: { readonly user_found: boolean }
  /** A profile has been read, in this conversation. */
  readonly profile: { readonly read: boolean }
  /** The user's last message says yes (`isConfirmed`). */
  readonly confirmation: { readonly explicit: boolean }
  /** The order that the call is about. */
  readonly order: {
    /** A result has shown it: it was read or changed. */
    readonly read: boolean
    /** As last shown; null until it is read. */
    readonly status: string | null
    /** Its items have been modified or exchanged, in this conversation. */
    readonly items_changed: boolean
  }
  /** What the call says; null when it does not. */
  readonly call: { readonly reason: string | null }
}

/**
 * Reduces a conversation to the state that the retail rules read.
 *
 * @param messages - The transcript so far; results that failed show nothing and change nothing.
 * @param call - The call being judged; without one, no order is meant and none counts as read.
 */
export function retailState(
  messages: TurnView['messages'],
  call: ProposedCall | undefined,
): RetailState {
  const answered = answeredCalls(messages)
  const has = (...tools: string[]) => answered.some(({ toolName }) => tools.includes(toolName))
  const { order_id: id, reason } = callSchema.parse(call?.input)
  const about = id === null ? [] : answered.filter((one) => isAbout(one, id))
  const shown = about.findLast(({ answer }) => orderSchema.safeParse(answer).success)
  return {
    auth: { user_found: has('find_user_id_by_email', 'find_user_id_by_name_zip') },
    profile: { read: has('get_user_details') },
    confirmation: { explicit: isConfirmed(messages) },
    order: {
      read: shown !== undefined,
      status: shown ? orderSchema.parse(shown.answer).status : null,
      items_changed: about.some(({ toolName }) => changingItems.has(toolName)),
    },
    call: { reason },
  }
}

const changingItems = new Set(['modify_pending_order_items', 'exchange_delivered_order_items'])

/** Tools that answer with an order. */
const showing = new Set([
  ...changingItems,
  ...['get_order_details', 'cancel_pending_order', 'modify_pending_order_address'],
  ...['modify_pending_order_payment', 'return_delivered_order_items'],
])

const orderSchema = z.object({ order_id: z.string().min(1), status: z.string() })
const text = z.string().nullable().catch(null)
const callSchema = z
  .object({ order_id: text, reason: text })
  .catch({ order_id: null, reason: null })

/** By what the result shows; where it shows no order, by what was asked. */
function isAbout({ toolName, input, answer }: AnsweredCall, id: string): boolean {
  if (!showing.has(toolName)) return false
  const { data } = orderSchema.safeParse(answer)
  return (data?.order_id ?? callSchema.parse(input).order_id) === id
}

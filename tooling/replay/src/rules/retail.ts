import type { InexpressibleRule, PolicyRule } from './policy-rule.ts'
import { standIns } from './stand-ins.ts'

const pendingOnly = [
  ...['cancel_pending_order', 'modify_pending_order_address'],
  ...['modify_pending_order_items', 'modify_pending_order_payment'],
]
const deliveredOnly = ['return_delivered_order_items', 'exchange_delivered_order_items']
const changingOrders = [...pendingOnly, ...deliveredOnly]

/** The rules of the shop's policy that a precondition can say. They read `RetailState`. */
export const retailRules: readonly PolicyRule[] = [
  {
    // Either of two tools finds the user, and a list of tools means all of them. One is named here,
    // and the state takes either.
    id: 'R1-authenticate-before-anything',
    label: 'Find the customer first, by name and zip code or by email',
    content: 'Before anything is read or written, the customer is found, even if they give an id.',
    tools: [
      ...['get_order_details', 'get_product_details', 'get_user_details', 'modify_user_address'],
      ...changingOrders,
    ],
    precondition: [
      'find_user_id_by_name_zip',
      { state: { path: 'auth.user_found', op: 'eq', value: false } },
    ],
  },
  {
    id: 'R2-order-read-before-write',
    label: 'Read the order first',
    content: 'The status of an order is looked at before the order is changed.',
    tools: changingOrders,
    precondition: ['get_order_details', { state: { path: 'order.read', op: 'eq', value: false } }],
  },
  {
    id: 'R3-order-status',
    label: 'Change only what is still pending',
    content: 'An order is cancelled or modified only while its status is exactly pending.',
    tools: pendingOnly,
    precondition: [
      standIns.denial,
      { state: { path: 'order.read', op: 'eq', value: true } },
      { state: { path: 'order.status', op: 'neq', value: 'pending' } },
    ],
  },
  {
    id: 'R3-order-status',
    label: 'Take back only what was delivered',
    content: 'Items are returned or exchanged only while the status is exactly delivered.',
    tools: deliveredOnly,
    precondition: [
      standIns.denial,
      { state: { path: 'order.read', op: 'eq', value: true } },
      { state: { path: 'order.status', op: 'neq', value: 'delivered' } },
    ],
  },
  {
    id: 'R4-explicit-confirmation',
    label: 'Let the customer say yes first',
    content: 'The customer hears what will be done and says yes before anything is written.',
    tools: [...changingOrders, 'modify_user_address'],
    precondition: [
      standIns.confirmation,
      { state: { path: 'confirmation.explicit', op: 'eq', value: false } },
    ],
  },
  {
    id: 'R5-once-per-order',
    label: 'Change the items of an order once',
    content: 'The items of an order are modified or exchanged once; all changes go into that call.',
    tools: ['modify_pending_order_items', 'exchange_delivered_order_items'],
    precondition: [
      standIns.denial,
      { state: { path: 'order.items_changed', op: 'eq', value: true } },
    ],
  },
  {
    id: 'R7b-profile-not-read-before-payment',
    label: 'Read the profile before money moves',
    content: 'A payment method is named only after the profile has shown which there are.',
    tools: ['modify_pending_order_payment', 'modify_pending_order_items', ...deliveredOnly],
    precondition: ['get_user_details', { state: { path: 'profile.read', op: 'eq', value: false } }],
  },
  {
    // "Not in a list" is said as "neither this nor that".
    id: 'R8-cancel-reason-enum',
    label: 'Cancel for one of two reasons',
    content: 'An order is cancelled because it is no longer needed or was ordered by mistake.',
    tools: ['cancel_pending_order'],
    precondition: [
      standIns.reason,
      { state: { path: 'call.reason', op: 'neq', value: 'no longer needed' } },
      { state: { path: 'call.reason', op: 'neq', value: 'ordered by mistake' } },
    ],
  },
]

/** The rules of the shop's policy that a precondition cannot say. */
export const retailInexpressible: readonly InexpressibleRule[] = [
  {
    id: 'R6-other-user',
    reason:
      'compares the call with a value in the state; the right-hand side is a written one only',
  },
  {
    id: 'R7-payment-method-in-profile',
    reason: 'compares the call with a list in the state; `in` takes a written list only',
  },
  {
    id: 'R9-refund-original-or-giftcard',
    reason: 'compares the call with a value in the state, or with the kind of what it names there',
  },
]

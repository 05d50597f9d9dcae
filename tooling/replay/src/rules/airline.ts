import type { InexpressibleRule, PolicyRule } from './policy-rule.ts'
import { standIns } from './stand-ins.ts'

/**
 * The rules of the airline's policy that a precondition can say. They read `AirlineState`.
 *
 * A predicate that fails takes a skill out of the turn, it refuses nothing. So "X before the call" is
 * written as "while X is false, the step that makes it true comes first".
 */
export const airlineRules: readonly PolicyRule[] = [
  {
    id: 'A1-user-looked-up-before-write',
    label: 'Know the customer first',
    content: 'Nothing is booked, changed, cancelled or granted before the profile has been read.',
    tools: [
      ...['book_reservation', 'cancel_reservation', 'update_reservation_flights'],
      ...['update_reservation_baggages', 'update_reservation_passengers', 'send_certificate'],
    ],
    precondition: [
      'get_user_details',
      { state: { path: 'user.looked_up', op: 'eq', value: false } },
    ],
  },
  {
    id: 'A2-reservation-read-before-write',
    label: 'Read the reservation first',
    content: 'A reservation is changed or cancelled only after its details have been seen.',
    tools: [
      ...['cancel_reservation', 'update_reservation_flights'],
      ...['update_reservation_baggages', 'update_reservation_passengers'],
    ],
    precondition: [
      'get_reservation_details',
      { state: { path: 'reservation.read', op: 'eq', value: false } },
    ],
  },
  {
    id: 'A3-explicit-confirmation',
    label: 'Let the customer say yes first',
    content: 'The customer hears what will be done and says yes before anything is written.',
    tools: [
      ...['book_reservation', 'cancel_reservation', 'update_reservation_flights'],
      ...['update_reservation_baggages', 'update_reservation_passengers', 'send_certificate'],
    ],
    precondition: [
      standIns.confirmation,
      { state: { path: 'confirmation.explicit', op: 'eq', value: false } },
    ],
  },
  {
    // "Any of four must hold" is said from the other side: refused while all four fail.
    id: 'A4-cancel-eligibility',
    label: 'Cancel only what may be cancelled',
    content:
      'A reservation can be cancelled if it is a day old at most, is in business, is insured, or has ' +
      'lost a flight to the airline. Otherwise the request is turned down.',
    tools: ['cancel_reservation'],
    precondition: [
      standIns.denial,
      { state: { path: 'reservation.read', op: 'eq', value: true } },
      { state: { path: 'reservation.cabin', op: 'neq', value: 'business' } },
      { state: { path: 'reservation.insured', op: 'eq', value: false } },
      { state: { path: 'reservation.booked_within_24h', op: 'eq', value: false } },
      { state: { path: 'reservation.airline_cancelled', op: 'eq', value: false } },
    ],
  },
  {
    id: 'A5-basic-economy-flights-not-modifiable',
    label: 'Keep the flights of basic economy',
    content: 'In basic economy the cabin can be changed, the flights cannot.',
    tools: ['update_reservation_flights'],
    precondition: [
      standIns.denial,
      { state: { path: 'reservation.cabin', op: 'eq', value: 'basic_economy' } },
      { state: { path: 'change.flights', op: 'eq', value: true } },
    ],
  },
]

/**
 * The rules of the airline's policy that a precondition cannot say. A reducer could work out each
 * answer and put it into the state; the rule would then be in the reducer and not in the data.
 */
export const airlineInexpressible: readonly InexpressibleRule[] = [
  {
    id: 'A6-payment-method-in-profile',
    reason: 'compares the call with a list in the state; `in` takes a written list only',
  },
  { id: 'A7-max-5-passengers', reason: 'counts passengers and compares; there is no `lte`' },
  {
    id: 'A8-payment-method-counts',
    reason: 'counts payment methods of each kind and compares; there is no `lte`',
  },
  {
    id: 'A9-baggage-add-only',
    reason: 'compares two numbers, of the call and of the reservation; there is no `gte`',
  },
  {
    id: 'A10-passenger-count-fixed',
    reason: 'counts passengers and compares with a count in the state',
  },
]

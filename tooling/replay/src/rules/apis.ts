import type { PolicyRule } from './policy-rule.ts'

/**
 * Rules that some APIs enforce themselves, by an error to whoever breaks them; authored so that an
 * agent keeps them before it runs into one. They read `ApiState`.
 */
export const apiRules: readonly PolicyRule[] = [
  {
    id: 'V1-brake-before-engine',
    label: 'Press the brake first',
    content: 'The engine starts only while the brake pedal is down.',
    tools: ['startEngine'],
    precondition: [
      'pressBrakePedal',
      { state: { path: 'vehicle.brake_pressed', op: 'eq', value: false } },
      { state: { path: 'call.ignition_mode', op: 'neq', value: 'STOP' } },
    ],
  },
  {
    id: 'V2-doors-before-engine',
    label: 'Lock the doors first',
    content: 'The engine starts only while all doors are locked.',
    tools: ['startEngine'],
    precondition: [
      'lockDoors',
      { state: { path: 'vehicle.doors_locked', op: 'eq', value: false } },
      { state: { path: 'call.ignition_mode', op: 'neq', value: 'STOP' } },
    ],
  },
  {
    // The engine may have been started in an earlier turn, and may run from the beginning.
    id: 'V3-engine-before-cruise',
    label: 'Start the engine first',
    content: 'Cruise control is switched on only while the engine runs.',
    tools: ['setCruiseControl'],
    precondition: [
      'startEngine',
      { state: { path: 'vehicle.engine_running', op: 'eq', value: false } },
      { state: { path: 'call.activate', op: 'neq', value: false } },
    ],
  },
  {
    id: 'M1-login-before-messages',
    label: 'Log in to the messages first',
    content: 'Messages and contacts belong to somebody who is logged in.',
    tools: ['send_message', 'delete_message', 'view_messages_sent', 'add_contact'],
    precondition: [
      'message_login',
      { state: { path: 'message.logged_in', op: 'eq', value: false } },
    ],
  },
  {
    id: 'T1-login-before-tickets',
    label: 'Log in to the tickets first',
    content: 'A ticket is created by somebody who is logged in.',
    tools: ['create_ticket'],
    precondition: ['ticket_login', { state: { path: 'ticket.logged_in', op: 'eq', value: false } }],
  },
  {
    id: 'P1-login-before-posts',
    label: 'Log in to the posts first',
    content: 'Whoever posts, reposts or comments is logged in.',
    tools: ['post_tweet', 'retweet', 'comment'],
    precondition: [
      'authenticate_twitter',
      { state: { path: 'twitter.logged_in', op: 'eq', value: false } },
    ],
  },
]

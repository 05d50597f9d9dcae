import type { Speaker } from '../desk/speaker.ts'
import type { Promised } from './promises.ts'

/** One thing somebody says, and what the turn promises to show. */
export interface Line extends Speaker {
  /** Or `/forget everything`, the one command that is written. */
  readonly says: string
  /** The desk is closed and opened again before: what was said is gone, what is remembered is not. */
  readonly afterReopening?: true
  readonly promises: readonly Promised[]
}

/** What has everything forgotten of whoever says it. */
export const forgetEverything = '/forget everything'

/** The written conversation. Only the questions are written: the answers are the model's. */
export const conversation: readonly Line[] = [
  {
    user: 'mia',
    platform: 'web',
    says: 'Hello, which reservations do I have?',
    promises: [
      { kind: 'says', words: 'K4T9QX' },
      { kind: 'not-called', toolName: 'format_for_slack' },
    ],
  },
  {
    user: 'mia',
    platform: 'web',
    says: 'Please cancel my trip to Rome.',
    promises: [
      { kind: 'refused-then-corrected', toolName: 'cancel_reservation' },
      { kind: 'says', words: 'cancel' },
    ],
  },
  {
    user: 'mia',
    platform: 'web',
    says: 'Cancel B7M2LD as well.',
    promises: [
      { kind: 'heeded', first: 'read_reservation', toolName: 'cancel_reservation' },
      { kind: 'says', words: 'cancel' },
    ],
  },
  {
    user: 'omar',
    platform: 'web',
    says: 'Add two bags to Z3R8WN and move it to IB3675.',
    promises: [
      { kind: 'input-then-corrected', toolName: 'add_baggage' },
      { kind: 'refused-then-corrected', toolName: 'change_flight' },
      { kind: 'says', words: 'IB3675' },
    ],
  },
  {
    user: 'wei',
    platform: 'web',
    says: 'Please cancel W5D9KU.',
    promises: [
      { kind: 'vetoed', toolName: 'cancel_reservation', by: 'approvals' },
      { kind: 'not-run', toolName: 'cancel_reservation' },
    ],
  },
  {
    user: 'wei',
    platform: 'web',
    says: 'What does NH216 from Paris to Tokyo cost?',
    promises: [
      { kind: 'stubbed', toolName: 'search_flights' },
      { kind: 'recalled', words: 'NH216' },
      { kind: 'says', words: '940' },
    ],
  },
  {
    user: 'wei',
    platform: 'web',
    says: 'And what does LH420 cost?',
    promises: [
      { kind: 'recalled', words: 'LH420', again: 'search_flights' },
      { kind: 'says', words: '860' },
    ],
  },
  {
    user: 'mia',
    platform: 'slack',
    says: 'Remember that I like a window seat.',
    promises: [
      { kind: 'refused-then-corrected', toolName: 'remember_preference' },
      { kind: 'formatted-by', toolName: 'format_for_slack' },
      { kind: 'prefix-changed', by: 'preflight' },
      { kind: 'says', words: 'window seat' },
    ],
  },
  {
    user: 'omar',
    platform: 'slack',
    says: 'What seat do I like?',
    promises: [
      { kind: 'keeps-to-itself', words: 'window' },
      { kind: 'formatted-by', toolName: 'format_for_slack' },
    ],
  },
  {
    user: 'omar',
    platform: 'slack',
    says: 'I prefer an aisle seat. And show me Z3R8WN, please.',
    promises: [
      { kind: 'noted', words: 'aisle seat' },
      { kind: 'formatted-by', toolName: 'format_for_slack' },
      { kind: 'says', words: '<https://desk.example/r/Z3R8WN|' },
      { kind: 'keeps-to-itself', words: 'window' },
    ],
  },
  {
    user: 'mia',
    platform: 'slack',
    says: 'Do you remember what seat I like?',
    afterReopening: true,
    promises: [
      { kind: 'remembered', words: 'window seat' },
      { kind: 'not-called', toolName: 'recall_preferences' },
      { kind: 'keeps-to-itself', words: 'aisle' },
    ],
  },
  {
    user: 'omar',
    platform: 'slack',
    says: forgetEverything,
    promises: [{ kind: 'forgotten' }],
  },
]

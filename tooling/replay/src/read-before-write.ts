import type { ProposedCall, TurnView } from '@symfonic/kernel'
import { withPreflight } from '@symfonic/kernel/with-preflight'
import { defineSkill } from '@symfonic/preflight'
import { breachesIn } from './judge-record.ts'
import type { Recording } from './recording.ts'
import type { RuleSet } from './rule-set.ts'

/**
 * "Read the reservation before you cancel or change it", for airline runs: one skill for each tool
 * that writes, all requiring `get_reservation_details`.
 *
 * A skill requires a tool; the rule means one reservation. `readCalled` closes the gap: for a call
 * that writes, the tool counts as called if a result anywhere in the conversation has shown the very
 * reservation the call is about (`reservationsShown`). A call that names none is refused.
 */
export const readBeforeWrite: RuleSet = {
  name: 'read-before-write',
  sentence: 'Read the reservation before you cancel or change it.',
  oracleRule: 'A2-reservation-read-before-write',
  capabilities: (recording) => (concerns(recording) ? [capability] : []),
  subjectOf: (recording, { name, args }) =>
    concerns(recording) && writers.has(name) ? (reservationOf(args) ?? '(none)') : undefined,
  breachesOf: (recording, joinResults) =>
    breachesIn(recording, readBeforeWrite.capabilities(recording), { joinResults }),
}

/**
 * The reservations that a conversation has shown: those in successful results of tools that answer
 * with a reservation. Reading it is the usual way; booking, changing or cancelling it shows it too.
 *
 * @param messages - A transcript; results that are no text, or are marked as errors, show nothing.
 */
export function reservationsShown(messages: TurnView['messages']): Set<string> {
  const shown = new Set<string>()
  for (const message of messages) {
    if (message.role !== 'tool') continue
    for (const part of message.content) {
      if (part.type !== 'tool-result' || part.output.type !== 'text') continue
      const id = shownBy(part.toolName, part.output.value)
      if (id !== undefined) shown.add(id)
    }
  }
  return shown
}

const reader = 'get_reservation_details'

const skills = [
  { actionTool: 'cancel_reservation', label: 'Read a reservation before you cancel it' },
  { actionTool: 'update_reservation_flights', label: 'Read a reservation before you rebook it' },
  { actionTool: 'update_reservation_baggages', label: 'Read a reservation before you add bags' },
  {
    actionTool: 'update_reservation_passengers',
    label: 'Read a reservation before you change its passengers',
  },
].map((skill) => defineSkill({ ...skill, precondition: reader }))

const writers = new Set(skills.map(({ actionTool }) => actionTool ?? ''))
const showing = new Set([reader, 'book_reservation', ...writers])

const capability = withPreflight({ skills, readCalled })

function readCalled(view: TurnView, call: ProposedCall | undefined): ReadonlySet<string> {
  if (call === undefined || !writers.has(call.toolName)) return view.called
  const id = reservationOf(call.input)
  return new Set(id !== undefined && reservationsShown(view.messages).has(id) ? [reader] : [])
}

function concerns({ domain }: Recording): boolean {
  return domain === 'airline'
}

function shownBy(toolName: string, text: string): string | undefined {
  if (!showing.has(toolName)) return undefined
  try {
    return reservationOf(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** The reservation that an input or a result names. */
function reservationOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (!Object.hasOwn(value, 'reservation_id')) return undefined
  const { reservation_id: id } = value as { reservation_id: unknown }
  return typeof id === 'string' && id !== '' ? id : undefined
}

import { type DeedName, deeds } from './deeds.ts'
import type { Call } from './mind.ts'
import { describeRecord, type ResultRecord, recordsIn } from './records.ts'

/** Says what came of a deed, from what the tool gave. Markdown. */
export function describeOutcome(deed: DeedName, { input }: Call, value: unknown): string {
  if (typeof value === 'string') return value
  const records = recordsIn(value)
  const lines = records.map(describeRecord)
  switch (deed) {
    case 'list':
      if (lines.length === 0) return 'There are no reservations.'
      return `Here ${lines.length === 1 ? 'is the reservation' : 'are the reservations'}:\n${bullets(lines)}`
    case 'cancel':
      return `Done, the reservation is cancelled: ${lines.join('; ')}.`
    case 'change-flight':
      return `Done, the flight is changed: ${lines.join('; ')}.`
    case 'add-bags':
      return `Done, the bags are added: ${lines.join('; ')}.`
    case 'remember':
      return `I will remember for you: ${describePreference(Object.values(input))}.`
    case 'recall':
      return describeMemory(value)
    default:
      return `${lines.join('\n')}.`
  }
}

/** Says why a deed was not done. */
export function describeFailure(deed: DeedName, error: string): string {
  return `I could not ${deeds[deed].what.replace('tell you', 'find out')}. ${reasonIn(error)}`
}

/** What people need of an error: not the tool's name in front, not a validator's whole report. */
function reasonIn(error: string): string {
  if (/^invalid (?:input|arguments?)\b/i.test(error)) {
    const [, complaint = ''] = error.match(/"message": ?"([^"\n]{1,200})"/) ?? []
    return `That is not possible${complaint === '' ? '' : ` (${complaint})`}.`
  }
  const [, who, why] = error.match(refusedBySomebody) ?? []
  if (who !== undefined && why !== undefined) return `**${who}** refused it: ${why}`
  return error.replace(/^\w{1,64} failed: /, '').slice(0, 400)
}

/** Who refused a call, and why, without the advice behind it that is meant for the model. */
const refusedBySomebody =
  /^The call to `[^`\n]{1,120}` was refused by `([^`\n]{1,120})`: (.{1,600}?) Do not repeat it\b/

/** A memory is the record of records in what a tool gave: topics with what was said about them. */
function describeMemory(value: unknown): string {
  const parts = Object.values((value ?? {}) as ResultRecord)
  const memory = parts.find((part) => typeof part === 'object' && part !== null) ?? {}
  const lines = Object.entries(memory).map(describePreference)
  if (lines.length === 0) return 'I have noted nothing about that for you.'
  return `I have noted for you: ${lines.join('; ')}.`
}

/** The topic, if there is one, and behind it what was said. */
function describePreference(parts: readonly unknown[]): string {
  const topics = parts.slice(0, -1).join(', ')
  return `**${parts.at(-1)}**${topics === '' ? '' : ` (${topics})`}`
}

function bullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n')
}

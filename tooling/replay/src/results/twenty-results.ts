import type { ModelMessage } from 'ai'
import type { Conversation } from './conversation.ts'

const resultCount = 20
const resultChars = 20_000

/**
 * A run of twenty tool results of 20 kB: an agent reads twenty regions of a register, one call each, and then
 * answers. The same bytes each time.
 */
export function twentyResults(): Conversation {
  const messages: ModelMessage[] = [
    { role: 'system', content: systemPrompt() },
    { role: 'user', content: 'Go through the register and tell me what is amiss.' },
  ]
  for (let index = 0; index < resultCount; index += 1) {
    const call = { toolCallId: `call_${index}`, toolName: 'read_register' }
    messages.push(
      {
        role: 'assistant',
        content: [{ type: 'tool-call', ...call, input: { region: `region-${index}` } }],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', ...call, output: { type: 'text', value: registerOf(index) } },
        ],
      },
    )
  }
  messages.push({ role: 'assistant', content: 'Nothing is amiss in any region.' })
  return { id: 'twenty-results', population: 'twenty 20 kB results', messages }
}

/** About as long as that of a recorded agent. */
function systemPrompt(): string {
  const rule = 'Work through the register of parcels region by region and note what is amiss. '
  return rule.repeat(Math.ceil(5_000 / rule.length))
}

/** Rows of JSON, cut to the size by leaving out rows and filling up the last. */
function registerOf(index: number): string {
  const rows = []
  let chars = '{"region":"region-00","rows":[]}'.length
  for (let row = 0; chars < resultChars - 250; row += 1) {
    const parcel = (index * 7_919 + row * 104_729) % 1_000_003
    const next = {
      parcel: `P${String(parcel).padStart(7, '0')}`,
      weightGrams: 100 + (parcel % 9_000),
      status: ['stored', 'in transit', 'delivered'][parcel % 3],
      locker: `L${parcel % 400}`,
    }
    rows.push(next)
    chars += JSON.stringify(next).length + 1
  }
  const text = JSON.stringify({ region: `region-${index}`, rows })
  const spare = resultChars - text.length - ',"note":""'.length
  return JSON.stringify({ region: `region-${index}`, rows, note: '.'.repeat(Math.max(0, spare)) })
}

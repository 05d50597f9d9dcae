import { achieve } from './achieve.ts'
import type { Details } from './details.ts'
import type { Pursuit } from './fill-input.ts'
import type { Call, Mind } from './mind.ts'
import { describeFailure } from './phrase.ts'
import { readStub, recordsInText } from './read-stub.ts'
import { describeRecord, type ResultRecord, recordsIn } from './records.ts'

/**
 * Answers from the flights that a search gave. Where a stub stands in place of them, what is asked for
 * is looked up behind it, and not searched for again.
 *
 * @param search - The call that gave `value`.
 */
export function readFlight(search: Call, value: unknown, details: Details, mind: Mind): Pursuit {
  const { flight } = details
  const stub = readStub(value, mind)
  if (flight === undefined) {
    const count = stub ? stub.entries : recordsIn(value).length
    return { say: `Which of the ${count ?? 'many'} flights? Tell me its number.` }
  }
  if (stub === undefined) return { say: describeFlight(flight, recordsIn(value)) }
  const recall = { tool: stub.tool, input: { id: stub.id, search: flight } }
  const progress = achieve(recall, mind, () => undefined)
  switch (progress.state) {
    case 'calls': {
      const because = `What ${search.tool.name} gave is a stub. I look for ${flight} behind it.`
      return { ...progress, because }
    }
    case 'done':
      return { say: describeFlight(flight, recordsInText(String(progress.value))) }
    case 'failed':
      return { say: describeFailure('find-flight', progress.error) }
  }
}

function describeFlight(flight: string, records: readonly ResultRecord[]): string {
  const found = records.find((record) => Object.values(record).includes(flight))
  if (found === undefined) return `There is no flight ${flight} among them.`
  return `${describeRecord(found).replace(/^\w/, (letter) => letter.toUpperCase())}.`
}

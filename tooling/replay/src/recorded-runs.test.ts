import { describe, expect, it } from 'vitest'
import { defaultFolder } from './command.ts'
import { compareWithOracle } from './oracle.ts'
import { toRecord } from './projection.ts'
import { readBeforeWrite } from './read-before-write.ts'
import { readFolder } from './read-folder.ts'
import { type Replay, replay } from './replay.ts'
import {
  isThere,
  type RawMessage,
  type RawRun,
  runs,
  verdicts,
} from './testing-fixtures/raw-lines.ts'

// What is expected is worked out here from the raw lines, with none of the code under test.

const folder = readFolder(defaultFolder)
const recordings = new Map(folder?.recordings.map((recording) => [recording.id, recording]))
const recordingOf = ({ id }: { id: string }) => {
  const recording = recordings.get(id)
  if (recording === undefined) throw new Error(`${id} was not read.`)
  return recording
}

describe.skipIf(!isThere)('the recorded runs', () => {
  it('are 79, 53 of them airline, and 12 use the id of a call again', () => {
    expect(runs).toHaveLength(79)
    expect(runs.filter(({ domain }) => domain === 'airline')).toHaveLength(53)
    expect([...recordings.keys()].sort()).toEqual(runs.map(({ id }) => id).sort())
    const reusing = runs.filter(({ messages }) => {
      const ids = messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id))
      return new Set(ids).size < ids.length
    })
    expect(reusing).toHaveLength(12)
  })

  it('lose nothing but three messages that hold nothing', () => {
    const setAside = [...recordings.values()].map((recording) => recording.setAside)
    expect(setAside.reduce((sum, { empty }) => sum + empty, 0)).toBe(3)
    expect(setAside.reduce((sum, { ofUserDevice }) => sum + ofUserDevice, 0)).toBe(0)
    const written = runs.flatMap(({ messages }) => messages)
    const told = runs.flatMap((run) => conversationOf(run))
    expect(written.length - told.length).toBe(3)
  })

  describe.each([{ mode: 'run' }, { mode: 'stream' }] as const)('through $mode', ({ mode }) => {
    it.each(runs)('$id comes back word for word', async (run) => {
      const { transcript, divergence } = await replay(recordingOf(run), { mode })
      expect(toRecord(transcript)).toStrictEqual(conversationOf(run))
      expect(divergence).toBeUndefined()
    })
  })

  describe('under the rule "read the reservation before you cancel or change it"', () => {
    const replays = new Map<string, Promise<Replay>>()
    const underRule = (run: RawRun) => {
      const recording = recordingOf(run)
      const capabilities = readBeforeWrite.capabilities(recording)
      const replayed = replays.get(run.id) ?? replay(recording, { capabilities })
      replays.set(run.id, replayed)
      return replayed
    }

    it.each(runs)('$id has exactly its breaches refused', async (run) => {
      const replayed = await underRule(run)
      const refused = replayed.refused.map(({ messageIndex, position, call }) => ({
        ...{ run: run.id, messageIndex, position, tool: call.name, callId: call.id },
        rejected: call.result.isError,
      }))
      expect(refused).toEqual(breaches(run, { join: 'position', refusalsHold: true }))

      const refusals = replayed.refused.map(({ messageIndex, position, message }) => ({
        ...{ messageIndex, position, message },
      }))
      expect(toRecord(replayed.transcript)).toStrictEqual(conversationOf(run, refusals))
    })

    it.each(runs)('$id is refused the same through stream', async (run) => {
      const replayed = await underRule(run)
      const capabilities = readBeforeWrite.capabilities(replayed.recording)
      const streamed = await replay(replayed.recording, { capabilities, mode: 'stream' })
      expect(streamed.refused).toEqual(replayed.refused)
      expect(streamed.transcript).toEqual(replayed.transcript)
    })

    it('have 55 calls judged and 11 refused: 10 breaches, and one that rests on a refused call', () => {
      expect(runs.flatMap(writesOf)).toHaveLength(55)
      const onRecord = runs.flatMap((run) => breaches(run, { join: 'position' }))
      expect(onRecord).toHaveLength(10)
      const inForce = runs.flatMap((run) => breaches(run, { join: 'position', refusalsHold: true }))
      expect(inForce).toHaveLength(11)
      const keys = new Set(onRecord.map((breach) => JSON.stringify(breach)))
      expect(inForce.filter((breach) => !keys.has(JSON.stringify(breach)))).toEqual([
        {
          ...{ run: 'tau2/airline/qwen2.5-7b/t17-r0', messageIndex: 24, position: 2 },
          ...{ tool: 'update_reservation_baggages', rejected: false },
          callId: '987ea268-d040-4f34-b3c3-4b4ee624dc80',
        },
      ])
    })

    it('have no call refused in a run with reward 1', async () => {
      const successful = runs.filter(({ reward }) => reward === 1)
      expect(successful).toHaveLength(29)
      const replayed = await Promise.all(successful.map(underRule))
      expect(replayed.flatMap(({ refused }) => refused)).toEqual([])
    })

    it('agree with the oracle once it is known to join results by the last use of an id', () => {
      const named = verdicts.flatMap(({ id, violations }) =>
        violations
          .filter(({ rule }) => rule === 'A2-reservation-read-before-write')
          .map(({ tool, callId, rejectedByEnvironment }) => ({
            ...{ run: id, tool, callId, rejected: rejectedByEnvironment },
          })),
      )
      const asOracle = runs.flatMap((run) => breaches(run, { join: 'last use of id' }))
      const asText = (list: readonly Omit<Breach, 'messageIndex' | 'position'>[]) =>
        list.map(({ run, tool, callId, rejected }) => `${run} ${callId} ${tool} ${rejected}`).sort()
      expect(named).toHaveLength(16)
      expect(asText(asOracle)).toEqual(asText(named))

      const ours = new Set(asText(runs.flatMap((run) => breaches(run, { join: 'position' }))))
      const others = named.filter((violation) => !ours.has(asText([violation])[0] ?? ''))
      expect(others).toHaveLength(6)
      expect([...new Set(others.map(({ run }) => run))].sort()).toEqual([
        'tau1/airline/gpt-4o/t13-r2',
        'tau1/airline/gpt-4o/t27-r1',
        'tau1/airline/gpt-4o/t28-r1',
      ])
    })

    it('are compared with the oracle call by call', async () => {
      const replayed = await Promise.all(runs.map(underRule))
      const compared = compareWithOracle(replayed, folder?.verdicts ?? [], readBeforeWrite)
      expect(compared).toMatchObject({ named: 16, agreed: 10, unexplained: [] })
      expect(compared.explainedByIdReuse).toHaveLength(6)
      expect(compared.unnamed.map(({ callId }) => callId)).toEqual([
        '987ea268-d040-4f34-b3c3-4b4ee624dc80',
      ])
    })
  })
})

interface Refusal {
  messageIndex: number
  position: number
  message: string
}

/** The raw messages without those that hold nothing, and without keys of no weight. */
function conversationOf({ messages }: RawRun, refusals: readonly Refusal[] = []): unknown[] {
  let asking = -1
  return messages.flatMap((message, index): unknown[] => {
    const { role, content, toolCalls = [], toolCallId, toolName } = message
    if (role === 'tool') {
      const position = index - asking - 1
      const refusal = refusals.find(
        (one) => one.messageIndex === asking && one.position === position,
      )
      const failed = refusal !== undefined || hasFailed(message)
      const text = refusal?.message ?? content
      return [{ role, content: text, toolCallId, toolName, ...(failed && { isError: true }) }]
    }
    asking = index
    if (content === '' && toolCalls.length === 0) return []
    return [{ role, content, ...(toolCalls.length > 0 && { toolCalls }) }]
  })
}

interface Breach {
  run: string
  messageIndex: number
  position: number
  tool: string
  callId: string
  rejected: boolean
}

/**
 * The calls that write to a reservation which no result has shown before.
 *
 * @param how - `join`: which result answers a call. `refusalsHold`: a breach does not take place, so
 *   what it would have shown is not shown either.
 */
function breaches(
  { id, domain, messages }: RawRun,
  how: { join: 'position' | 'last use of id'; refusalsHold?: boolean },
): Breach[] {
  if (domain !== 'airline') return []
  const lastUse = new Map(messages.map((message) => [message.toolCallId, message]))
  const shown = new Set<unknown>()
  const found: Breach[] = []
  messages.forEach(({ toolCalls = [] }, messageIndex) => {
    toolCalls.forEach((call, position) => {
      const behind = messages[messageIndex + 1 + position]
      const answer = how.join === 'position' ? behind : lastUse.get(call.id)
      if (isWrite(call.name) && !shown.has(call.args['reservation_id'])) {
        const rejected = answer !== undefined && hasFailed(answer)
        found.push({
          ...{ run: id, messageIndex, position, tool: call.name },
          ...{ callId: call.id, rejected },
        })
        if (how.refusalsHold) return
      }
      const reservation = /^\{"reservation_id": "(\w+)"/.exec(answer?.content ?? '')?.[1]
      if (reservation !== undefined) shown.add(reservation)
    })
  })
  return found
}

function writesOf({ domain, messages }: RawRun) {
  if (domain !== 'airline') return []
  return messages.flatMap(({ toolCalls = [] }) => toolCalls.filter(({ name }) => isWrite(name)))
}

function isWrite(tool: string): boolean {
  return /^(?:cancel_reservation|update_reservation_(?:flights|baggages|passengers))$/.test(tool)
}

function hasFailed({ content, isError }: RawMessage): boolean {
  return isError === true || content.startsWith('Error')
}

import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { withPreflight } from '@symfonic/kernel/with-preflight'
import { defineSkill } from '@symfonic/preflight'
import { describe, expect, it } from 'vitest'
import { judgeRecord } from './judge-record.ts'
import { parseTask } from './parse-task.ts'
import { policies } from './policies.ts'
import { readFolder } from './read-folder.ts'
import type { Recording } from './recording.ts'
import { callsOf, replay } from './replay.ts'
import { skillsOf } from './rules/policy-rule.ts'
import { retailRules } from './rules/retail.ts'

interface RawCall {
  name: string
  args: unknown
}
interface RawTask {
  id: string
  initialState: Record<string, { doorStatus?: Record<string, string> } | undefined>
  turns: { user: string[]; calls: RawCall[] }[]
}

const path = fileURLToPath(
  new URL('../../../../shared/data/bfcl-multi-turn/tasks.jsonl', import.meta.url),
)
const isThere = existsSync(path)
const tasks: RawTask[] = isThere
  ? readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  : []
const recordingOf = (task: RawTask) => parseTask(task, { file: 'tasks.jsonl', line: 1 })
const callsIn = (task: RawTask) => task.turns.flatMap(({ calls }) => calls)
const namesIn = (task: RawTask) => callsIn(task).map(({ name }) => name)

/** Ids and missing steps of the calls that the kernel refuses; the gate alone must say the same. */
async function refusedIn(recording: Recording) {
  const capabilities = policies.capabilities(recording)
  const { refused, divergence } = await replay(recording, { capabilities })
  expect(divergence).toBeUndefined()
  const judged = judgeRecord(recording, capabilities, { refusalsHold: true })
  const said = refused.map(({ call, message }) => `${call.id}: ${message}`)
  expect(
    judged.flatMap(({ call, refusal }) => (refusal ? [`${call.id}: ${refusal.message}`] : [])),
  ).toEqual(said)
  return refused.map(({ call, details }) => ({ tool: call.name, missing: details['missing'] }))
}

/** The task with its first call of a tool made before all others. */
function withFirst(task: RawTask, tool: string): RawTask {
  const first = callsIn(task).find(({ name }) => name === tool)
  const turns = task.turns.map(({ user, calls }) => ({
    ...{ user, calls: calls.filter((call) => call !== first) },
  }))
  const [opening, ...others] = turns
  if (first === undefined || opening === undefined) return task
  return { ...task, turns: [{ ...opening, calls: [first, ...opening.calls] }, ...others] }
}

describe.skipIf(!isThere)('the tasks whose right calls are known', () => {
  it('are 66, with 389 calls, 63 of which some rule speaks of', () => {
    expect(tasks).toHaveLength(66)
    expect(tasks.flatMap(callsIn)).toHaveLength(389)
    const spoken = tasks
      .map(recordingOf)
      .flatMap((recording) =>
        callsOf(recording).filter(({ call }) => policies.subjectOf(recording, call) !== undefined),
      )
    expect(spoken).toHaveLength(63)
    expect(readFolder(path)?.recordings).toEqual(tasks.map(recordingOf))
  })

  it.each(tasks)('$id has all its right calls pass, with every rule there is', async (task) => {
    const recording = recordingOf(task)
    expect(callsOf(recording).map(({ call }) => call.name)).toEqual(namesIn(task))
    expect(await refusedIn(recording)).toEqual([])
  })

  const starting = tasks.filter((task) => namesIn(task).includes('startEngine'))
  it('start an engine in nine tasks', () => expect(starting).toHaveLength(9))

  it.each(starting)('$id may not start the engine before all else', async (task) => {
    const [refused, ...others] = await refusedIn(recordingOf(withFirst(task, 'startEngine')))
    const doors = Object.values(task.initialState['VehicleControlAPI']?.doorStatus ?? {})
    const missing = doors.includes('unlocked')
      ? ['pressBrakePedal', 'lockDoors']
      : ['pressBrakePedal']
    expect(refused).toEqual({ tool: 'startEngine', missing })
    // Cruise control needs the engine that was not started.
    expect(others.map(({ tool }) => tool)).toEqual(
      namesIn(task).filter((name) => name === 'setCruiseControl'),
    )
  })

  it.each(starting)('$id may not start the engine before the brake is pressed', async (task) => {
    const swapped = {
      ...task,
      turns: task.turns.map(({ user, calls }) => {
        const brake = calls.filter(({ name }) => name === 'pressBrakePedal')
        return { user, calls: [...calls.filter((call) => !brake.includes(call)), ...brake] }
      }),
    }
    const [refused] = await refusedIn(recordingOf(swapped))
    expect(refused).toEqual({ tool: 'startEngine', missing: ['pressBrakePedal'] })
  })

  it('may not switch cruise control on before the engine runs, and are told all steps in order', async () => {
    const cruising = tasks.filter((task) => namesIn(task).includes('setCruiseControl'))
    expect(cruising).toHaveLength(1)
    const refused = await Promise.all(
      cruising.map((task) => refusedIn(recordingOf(withFirst(task, 'setCruiseControl')))),
    )
    expect(refused).toEqual([
      [{ tool: 'setCruiseControl', missing: ['pressBrakePedal', 'startEngine'] }],
    ])
  })

  it.each([
    { login: 'message_login', tool: 'send_message', tasks: 5 },
    { login: 'ticket_login', tool: 'create_ticket', tasks: 2 },
    { login: 'authenticate_twitter', tool: 'post_tweet', tasks: 1 },
  ])('may not call $tool before $login, in the $tasks that start without', async (row) => {
    const hurried = tasks
      .filter((task) => [row.login, row.tool].every((name) => namesIn(task).includes(name)))
      .map((task) => recordingOf(withFirst(task, row.tool)))
    const refused = (await Promise.all(hurried.map(refusedIn))).filter(({ length }) => length > 0)
    expect(refused).toHaveLength(row.tasks)
    for (const [first] of refused) {
      expect(first).toEqual({ tool: row.tool, missing: [row.login] })
    }
  })

  it('share a tool name with the shop: its rules must not reach beyond its desk', () => {
    const shared = tasks
      .flatMap(namesIn)
      .filter((name) => retailRules.some(({ tools }) => tools.includes(name)))
    expect(shared).toEqual(Array.from({ length: 12 }, () => 'get_order_details'))
    const everywhere = withPreflight({
      skills: skillsOf(retailRules, 'retail'),
      readState: () => ({ desk: 'retail', auth: { user_found: false } }),
    })
    const refused = tasks.flatMap((task) =>
      judgeRecord(recordingOf(task), [everywhere]).filter(({ refusal }) => refusal),
    )
    expect(refused.map(({ call }) => call.name)).toEqual(shared)
  })

  it('lose a right call to a rule without state: the engine was started in an earlier turn', () => {
    const thisTurnOnly = withPreflight({
      skills: [
        defineSkill({
          ...{ label: 'Start the engine first', actionTool: 'setCruiseControl' },
          precondition: ['startEngine'],
        }),
      ],
    })
    const refused = tasks.flatMap((task) =>
      judgeRecord(recordingOf(task), [thisTurnOnly]).filter(({ refusal }) => refusal),
    )
    expect(refused.map(({ call }) => call.name)).toEqual(['setCruiseControl'])
  })
})

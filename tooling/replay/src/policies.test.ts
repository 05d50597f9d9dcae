import { describe, expect, it } from 'vitest'
import { judgeRecord } from './judge-record.ts'
import { parseRecording } from './parse-recording.ts'
import { policies } from './policies.ts'
import type { Recording } from './recording.ts'
import { replay, standInQuery } from './replay.ts'
import { airlineRules } from './rules/airline.ts'
import { airlineState } from './rules/airline-state.ts'
import { apiState } from './rules/api-state.ts'
import { apiRules } from './rules/apis.ts'
import { rulesBehind } from './rules/policy-rule.ts'
import { retailRules } from './rules/retail.ts'
import { retailState } from './rules/retail-state.ts'
import { standIns } from './rules/stand-ins.ts'

interface Made {
  name: string
  args: object
  answer: string
}
const calls = (name: string, args: object = {}, answer: unknown = 'ok'): Made => ({
  ...{ name, args },
  answer: typeof answer === 'string' ? answer : JSON.stringify(answer),
})

/** Text is said by the user; each call is a step, with an id of its own. */
const run = (domain: string, ...steps: (Made | string)[]) =>
  parseRecording(
    {
      ...{ id: 'r', domain },
      messages: steps.flatMap((step, index) =>
        typeof step === 'string'
          ? [{ role: 'user', content: step }]
          : [
              {
                ...{ role: 'assistant', content: '' },
                toolCalls: [{ id: `call ${index}`, name: step.name, args: step.args }],
              },
              { role: 'tool', content: step.answer, toolCallId: `call ${index}` },
            ],
      ),
    },
    { file: 'runs.jsonl', line: 1 },
  )

/** Short ids of the rules under which the kernel refuses the last call. */
async function brokenByLast(domain: string, ...steps: (Made | string)[]): Promise<string[]> {
  const recording = run(domain, ...steps)
  const capabilities = policies.capabilities(recording)
  const { refused } = await replay(recording, { capabilities })
  const judged = judgeRecord(recording, capabilities, { refusalsHold: true })
  expect(judged.filter(({ refusal }) => refusal).map(({ messageIndex }) => messageIndex)).toEqual(
    refused.map(({ messageIndex }) => messageIndex),
  )
  const last = refused.find(({ call }) => call.id === `call ${steps.length - 1}`)
  return brokenBy(recording, last?.details)
}

function brokenBy(recording: Recording, details: object = {}): string[] {
  const { skills = [] } = details as { skills?: string[] }
  const ids = rulesBehind(policies.policies?.rulesFor(recording) ?? [], skills)
  return ids.map((id) => id.split('-')[0] ?? '')
}

const profile = calls('get_user_details', { user_id: 'U' }, { user_id: 'U' })
const flights = [{ flight_number: 'HAT1', date: '2024-05-20' }]
const shown = (more: object = {}) =>
  calls(
    'get_reservation_details',
    {},
    {
      ...{ reservation_id: 'R', cabin: 'economy', insurance: 'no', flights },
      ...{ created_at: '2024-05-01T00:00:00', ...more },
    },
  )
const about = { reservation_id: 'R' }

describe('the airline rules', () => {
  it.each<{ what: string; steps: (Made | string)[]; broken: string[] }>([
    {
      what: 'let a booking pass once the customer is known and says yes',
      steps: [profile, 'yes', calls('book_reservation')],
      broken: [],
    },
    {
      what: 'ask who the customer is, for whatever is written',
      steps: ['yes', calls('send_certificate')],
      broken: ['A1'],
    },
    {
      what: 'ask again when looking the customer up failed',
      steps: [
        calls('get_user_details', {}, 'Error: no such user'),
        'yes',
        calls('book_reservation'),
      ],
      broken: ['A1'],
    },
    {
      what: 'remember the customer over turns',
      steps: [profile, 'and', 'then', 'yes', calls('book_reservation')],
      broken: [],
    },
    {
      what: 'ask for the very reservation to be read',
      steps: [profile, shown({ reservation_id: 'S' }), 'yes', calls('cancel_reservation', about)],
      broken: ['A2'],
    },
    {
      what: 'ask for a yes, which is not what another question gets',
      steps: [profile, 'yes', 'how much?', calls('book_reservation')],
      broken: ['A3'],
    },
    {
      what: 'ask for all that is missing at once',
      steps: ['hi', calls('update_reservation_baggages', about)],
      broken: ['A1', 'A2', 'A3'],
    },
    {
      what: 'refuse to cancel what may not be cancelled',
      steps: [profile, shown(), 'yes', calls('cancel_reservation', about)],
      broken: ['A4'],
    },
    {
      what: 'let business be cancelled',
      steps: [profile, shown({ cabin: 'business' }), 'yes', calls('cancel_reservation', about)],
      broken: [],
    },
    {
      what: 'let be cancelled what is insured',
      steps: [profile, shown({ insurance: 'yes' }), 'yes', calls('cancel_reservation', about)],
      broken: [],
    },
    {
      what: 'let be cancelled what was booked a moment ago',
      steps: [
        ...[profile, shown({ created_at: '2024-05-15T14:00:00' }), 'yes'],
        calls('cancel_reservation', about),
      ],
      broken: [],
    },
    {
      what: 'let be cancelled what the airline has cancelled',
      steps: [
        ...[profile, shown(), calls('get_flight_status', flights[0], 'cancelled'), 'yes'],
        calls('cancel_reservation', about),
      ],
      broken: [],
    },
    {
      what: 'refuse other flights in basic economy',
      steps: [
        ...[profile, shown({ cabin: 'basic_economy' }), 'yes'],
        calls('update_reservation_flights', { ...about, flights: [] }),
      ],
      broken: ['A5'],
    },
    {
      what: 'let the cabin change in basic economy',
      steps: [
        ...[profile, shown({ cabin: 'basic_economy' }), 'yes'],
        calls('update_reservation_flights', { ...about, flights, cabin: 'economy' }),
      ],
      broken: [],
    },
    {
      what: 'let reading and searching be',
      steps: ['hi', calls('search_direct_flight')],
      broken: [],
    },
  ])('$what', async ({ steps, broken }) => {
    expect(await brokenByLast('airline', ...steps)).toEqual(broken)
  })
})

const found = calls('find_user_id_by_email', {}, 'u_1')
const order = (status: string) => calls('get_order_details', {}, { order_id: '#W1', status })
const one = { order_id: '#W1' }

describe('the retail rules', () => {
  it.each<{ what: string; steps: (Made | string)[]; broken: string[] }>([
    {
      what: 'let nothing be read before the customer is found',
      steps: ['hi', calls('get_product_details')],
      broken: ['R1'],
    },
    { what: 'let the customer be found', steps: ['hi', found], broken: [] },
    {
      what: 'let be read after the customer is found, by name as well',
      steps: ['hi', calls('find_user_id_by_name_zip', {}, 'u_1'), order('pending')],
      broken: [],
    },
    {
      what: 'ask for the order to be read',
      steps: [found, 'yes', calls('modify_pending_order_address', one)],
      broken: ['R2'],
    },
    {
      what: 'keep to pending orders, to the letter',
      steps: [
        ...[found, order('pending (item modified)'), 'yes'],
        calls('modify_pending_order_address', one),
      ],
      broken: ['R3'],
    },
    {
      what: 'keep to delivered orders for returns',
      steps: [found, profile, order('pending'), 'yes', calls('return_delivered_order_items', one)],
      broken: ['R3'],
    },
    {
      what: 'let a delivered order be returned',
      steps: [
        found,
        profile,
        order('delivered'),
        'yes',
        calls('return_delivered_order_items', one),
      ],
      broken: [],
    },
    {
      what: 'ask for a yes, for the address of the customer as well',
      steps: [found, 'hi', calls('modify_user_address')],
      broken: ['R4'],
    },
    {
      what: 'let the items of an order be changed once',
      steps: [
        ...[found, profile, order('pending'), 'yes'],
        ...[calls('modify_pending_order_items', one), order('pending')],
        calls('modify_pending_order_items', one),
      ],
      broken: ['R5'],
    },
    {
      what: 'let the items of another order be changed',
      steps: [
        ...[found, profile, order('pending'), 'yes', calls('modify_pending_order_items', one)],
        calls('get_order_details', {}, { order_id: '#W2', status: 'pending' }),
        calls('modify_pending_order_items', { order_id: '#W2' }),
      ],
      broken: [],
    },
    {
      what: 'ask for the profile before money moves',
      steps: [found, order('pending'), 'yes', calls('modify_pending_order_payment', one)],
      broken: ['R7b'],
    },
    {
      what: 'let be cancelled for a reason that counts',
      steps: [
        ...[found, order('pending'), 'yes'],
        calls('cancel_pending_order', { ...one, reason: 'ordered by mistake' }),
      ],
      broken: [],
    },
    {
      what: 'let nothing be cancelled for another reason, or for none',
      steps: [found, order('pending'), 'yes', calls('cancel_pending_order', one)],
      broken: ['R8'],
    },
  ])('$what', async ({ steps, broken }) => {
    expect(await brokenByLast('retail', ...steps)).toEqual(broken)
  })
})

describe('all rules', () => {
  const { rules = [], inexpressible = [] } = policies.policies ?? {}

  it('are 12 of the airline and the shop, R3 in two parts, 6 of APIs, and 8 that cannot be said', () => {
    const ids = rules.map(({ id }) => id)
    expect(ids.filter((id) => /^[AR]\d/.test(id))).toHaveLength(13)
    expect(new Set(ids.filter((id) => /^[AR]\d/.test(id))).size).toBe(12)
    expect(ids).toHaveLength(19)
    expect(inexpressible).toHaveLength(8)
    expect(inexpressible.filter(({ id }) => ids.includes(id))).toEqual([])
  })

  it('have labels of their own: a refusal names skills by label', () => {
    for (const domain of ['airline', 'retail', 'apis']) {
      const own = policies.policies?.rulesFor(run(domain)) ?? []
      const labels = own.flatMap(({ label, tools }) => tools.map((tool) => `${label}: ${tool}`))
      expect(labels.length).toBeGreaterThan(5)
      expect(new Set(labels).size).toBe(labels.length)
    }
  })

  it('require stand-ins that are no tool of any rule', () => {
    const tools = new Set(rules.flatMap((rule) => rule.tools))
    const required = rules.flatMap(({ precondition }) => precondition[0])
    expect(Object.values(standIns).filter((name) => required.includes(name))).toHaveLength(3)
    expect(Object.values(standIns).filter((name) => tools.has(name))).toEqual([])
  })

  it.each([
    { domain: 'airline', tool: 'cancel_reservation', broken: ['A1', 'A2', 'A3'] },
    { domain: 'retail', tool: 'cancel_pending_order', broken: ['R1', 'R2', 'R4', 'R8'] },
    { domain: 'apis', tool: 'startEngine', broken: ['V1', 'V2'] },
  ])('stand in doubt, whatever the call to $tool says', ({ domain, tool, broken }) => {
    const hostile = [{}, [], null, 7, 'R', JSON.parse('{"__proto__":{"reservation_id":"R"}}')]
    for (const args of hostile) {
      const recording = run(domain, 'hi', { name: tool, args, answer: 'ok' })
      const [judged] = judgeRecord(recording, policies.capabilities(recording))
      expect(brokenBy(recording, judged?.refusal?.details)).toEqual(broken)
    }
  })

  it('stand at their own desk: a shop may cancel what an airline calls so', async () => {
    expect(await brokenByLast('retail', 'hi', calls('cancel_reservation', about))).toEqual([])
    expect(policies.capabilities(run('telecom', 'hi'))).toEqual([])
    const call = { ...calls('cancel_reservation', about), id: 'a' }
    const recorded = { ...call, result: { content: '', isError: false } }
    expect(policies.subjectOf(run('retail'), recorded)).toBeUndefined()
    expect(policies.subjectOf(run('telecom'), recorded)).toBeUndefined()
    expect(policies.subjectOf(run('airline'), recorded)).toBe('R')
    expect(policies.subjectOf(run('airline'), { ...recorded, args: null })).toBe('(none)')
  })

  it('tell the model the steps in the order that satisfies every rule', async () => {
    const recording = run('retail', 'hi', calls('exchange_delivered_order_items', one))
    const { refused } = await replay(recording, { capabilities: policies.capabilities(recording) })
    expect(refused[0]?.details['missing']).toEqual([
      ...['find_user_id_by_name_zip', 'get_order_details', standIns.confirmation],
      'get_user_details',
    ])
  })

  it('do not take the words of the replay for those of the user', async () => {
    const answer = { role: 'assistant', content: 'Booked.' }
    const recording = parseRecording(
      {
        ...{ id: 'r', domain: 'airline' },
        messages: [
          { role: 'user', content: 'yes' },
          answer,
          {
            ...{ role: 'assistant', content: '' },
            toolCalls: [{ id: 'a', name: 'book_reservation', args: {} }],
          },
          { role: 'tool', content: 'ok', toolCallId: 'a' },
        ],
      },
      { file: 'runs.jsonl', line: 1 },
    )
    const { refused } = await replay(recording, { capabilities: policies.capabilities(recording) })
    expect(standInQuery).not.toMatch(/yes/)
    expect(refused.map(({ details }) => details['missing'])).toEqual([['get_user_details']])
  })

  it('judge a record as it stands, and as an oracle that joins by ids does', () => {
    const read = { id: 'a', name: 'get_user_details', args: {} }
    const write = { id: 'b', name: 'book_reservation', args: {} }
    const made = (call: object, content: string, toolCallId: string) => [
      { role: 'assistant', content: '', toolCalls: [call] },
      { role: 'tool', content, toolCallId },
    ]
    const messages = [
      { role: 'user', content: 'yes' },
      ...[...made(read, 'ok', 'a'), ...made(write, 'ok', 'b'), ...made(read, 'Error: no', 'a')],
    ]
    const place = { file: 'runs.jsonl', line: 1 }
    const recording = parseRecording({ id: 'r', domain: 'airline', messages }, place)
    expect(policies.breachesOf(recording, 'position')).toEqual([])
    const byLastUse = policies.breachesOf(recording, 'last-use-of-id')
    expect(byLastUse.map(({ call }) => call.id)).toEqual(['b'])
  })
})

describe('the predicates of the rules', () => {
  it.each([
    { desk: 'airline', rules: airlineRules, state: airlineState([], undefined), count: 10 },
    { desk: 'retail', rules: retailRules, state: retailState([], undefined), count: 11 },
    { desk: 'apis', rules: apiRules, state: apiState(undefined, [], undefined), count: 9 },
  ])('read only what the state of $desk has at all times', ({ rules, state, count }) => {
    // A path that is missing would take the skill out of the turn.
    const written = JSON.parse(JSON.stringify(state))
    const read = rules.flatMap(({ precondition }) =>
      precondition.flatMap((entry) => {
        if (typeof entry === 'string') return []
        const [group = '', key = ''] = entry.state.path.split('.')
        return [Object.keys(written[group] ?? {}).includes(key)]
      }),
    )
    expect(read).toEqual(Array.from({ length: count }, () => true))
  })
})

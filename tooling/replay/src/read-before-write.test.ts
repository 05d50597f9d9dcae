import type { ModelMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { parseRecording } from './parse-recording.ts'
import { readBeforeWrite, reservationsShown } from './read-before-write.ts'
import { replay } from './replay.ts'

const resultOf = (toolName: string, output: unknown) =>
  ({
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: 'a', toolName, output }],
  }) as ModelMessage
const text = (value: string) => ({ type: 'text', value })
const reservation = (id: unknown) => JSON.stringify({ reservation_id: id, cabin: 'economy' })

describe('reservationsShown', () => {
  it.each([
    { what: 'reading it', tool: 'get_reservation_details' },
    { what: 'booking it', tool: 'book_reservation' },
    { what: 'cancelling it', tool: 'cancel_reservation' },
    { what: 'changing its flights', tool: 'update_reservation_flights' },
    { what: 'changing its bags', tool: 'update_reservation_baggages' },
    { what: 'changing its passengers', tool: 'update_reservation_passengers' },
  ])('counts a reservation as shown by $what', ({ tool }) => {
    expect(reservationsShown([resultOf(tool, text(reservation('AB12CD')))])).toEqual(
      new Set(['AB12CD']),
    )
  })

  it.each([
    { what: 'a failed read', output: { type: 'error-text', value: reservation('AB12CD') } },
    { what: 'a refused read', output: { type: 'execution-denied' } },
    { what: 'text that is no JSON', output: text(`Your reservation: ${reservation('AB12CD')}`) },
    { what: 'a list of reservations', output: text(`[${reservation('AB12CD')}]`) },
    { what: 'a reservation within another thing', output: text('{"a":{"reservation_id":"B"}}') },
    { what: 'an id that is no text', output: text(reservation(['AB12CD'])) },
    { what: 'an empty id', output: text(reservation('')) },
    { what: 'an inherited id', output: text('{"__proto__":{"reservation_id":"AB12CD"}}') },
    { what: 'null', output: text('null') },
  ])('does not count $what', ({ output }) => {
    expect(reservationsShown([resultOf('get_reservation_details', output)])).toEqual(new Set())
  })

  it('does not count what another tool, the user or the model says', () => {
    const said = reservation('AB12CD')
    const messages: ModelMessage[] = [
      { role: 'user', content: said },
      { role: 'assistant', content: said },
      resultOf('think', text(said)),
      resultOf('get_user_details', text(said)),
    ]
    expect(reservationsShown(messages)).toEqual(new Set())
  })
})

interface Made {
  id: string
  name: string
  args: unknown
  answer?: string
}
const read = (reservation_id: string, answer = reservation(reservation_id)): Made => ({
  ...{ id: `read ${reservation_id}`, name: 'get_reservation_details' },
  ...{ args: { reservation_id }, answer },
})
const cancel = (args: unknown, answer = reservation('X')): Made => ({
  ...{ id: `cancel ${JSON.stringify(args)}`, name: 'cancel_reservation', args, answer },
})
const bags = (reservation_id: string): Made => ({
  ...{ id: `bags ${reservation_id}`, name: 'update_reservation_baggages' },
  ...{ args: { reservation_id }, answer: reservation(reservation_id) },
})

/** A run in which each list of calls is one step, and text is said by the user. */
const run = (domain: string, ...steps: (readonly Made[] | string)[]) =>
  parseRecording(
    {
      ...{ id: 'r', domain },
      messages: steps.flatMap((step) =>
        typeof step === 'string'
          ? [
              { role: 'assistant', content: 'well' },
              { role: 'user', content: step },
            ]
          : [
              {
                ...{ role: 'assistant', content: '' },
                toolCalls: step.map(({ id, name, args }) => ({ id, name, args })),
              },
              ...step.map(({ id, name, answer = '' }) => ({
                ...{ role: 'tool', content: answer, toolCallId: id, toolName: name },
              })),
            ],
      ),
    },
    { file: 'runs.jsonl', line: 1 },
  )

describe('the rule "read before write"', () => {
  it.each<{ what: string; steps: (readonly Made[] | string)[]; refused: string[] }>([
    {
      what: 'lets a call pass once its reservation was read',
      steps: ['hi', [read('A')], [cancel({ reservation_id: 'A' })]],
      refused: [],
    },
    {
      what: 'remembers a read over turns',
      steps: ['hi', [read('A')], 'and?', [bags('A')]],
      refused: [],
    },
    {
      what: 'refuses a call about another reservation than the one read',
      steps: ['hi', [read('A')], [cancel({ reservation_id: 'B' })]],
      refused: ['cancel {"reservation_id":"B"}'],
    },
    {
      what: 'refuses after a read that failed',
      steps: ['hi', [read('A', 'Error: no such reservation')], [bags('A')]],
      refused: ['bags A'],
    },
    {
      what: 'goes by the reservation in the result, not by the one asked for',
      steps: ['hi', [read('A', reservation('B'))], [bags('A'), bags('B')]],
      refused: ['bags A'],
    },
    {
      what: 'lets a read earlier in the step count',
      steps: ['hi', [bags('A'), read('A'), cancel({ reservation_id: 'A' })]],
      refused: ['bags A'],
    },
    {
      what: 'does not count what a refused call would have shown',
      steps: ['hi', [bags('A')], [cancel({ reservation_id: 'A' })], [read('A')], [bags('A')]],
      refused: ['bags A', 'cancel {"reservation_id":"A"}'],
    },
    {
      what: 'refuses a call that names no reservation',
      steps: [
        'hi',
        [read('A')],
        [{}, { reservation_id: null }, { reservation_id: ['A'] }, [], 'A'].map((args) =>
          cancel(args),
        ),
      ],
      refused: [
        'cancel {}',
        'cancel {"reservation_id":null}',
        'cancel {"reservation_id":["A"]}',
        'cancel []',
        'cancel "A"',
      ],
    },
    {
      what: 'lets other tools be',
      steps: ['hi', [{ id: 'book', name: 'book_reservation', args: {}, answer: reservation('A') }]],
      refused: [],
    },
  ])('$what', async ({ steps, refused }) => {
    const recording = run('airline', ...steps)
    const capabilities = readBeforeWrite.capabilities(recording)
    const replayed = await replay(recording, { capabilities })
    expect(replayed.refused.map(({ call }) => call.id)).toEqual(refused)
    expect(replayed.divergence).toBeUndefined()
  })

  it('tells the model what is missing, by skill', async () => {
    const recording = run('airline', 'hi', [bags('A')])
    const capabilities = readBeforeWrite.capabilities(recording)
    const { refused } = await replay(recording, { capabilities })
    expect(refused[0]?.details).toMatchObject({
      missing: ['get_reservation_details'],
      skills: ['Read a reservation before you add bags'],
    })
  })

  it('concerns airline runs only', () => {
    const recording = run('retail', 'hi', [bags('A')])
    expect(readBeforeWrite.capabilities(recording)).toEqual([])
    expect(readBeforeWrite.breachesOf(recording, 'position')).toEqual([])
    const made = { ...bags('A'), result: { content: '', isError: false } }
    expect(readBeforeWrite.subjectOf(recording, made)).toBeUndefined()
    expect(readBeforeWrite.subjectOf(run('airline'), made)).toBe('A')
    expect(readBeforeWrite.subjectOf(run('airline'), { ...made, args: 1 })).toBe('(none)')
    expect(readBeforeWrite.subjectOf(run('airline'), { ...made, name: 'think' })).toBeUndefined()
  })

  it('judges a record as it stands: what a breach shows is shown', () => {
    const recording = run('airline', 'hi', [bags('A')], [cancel({ reservation_id: 'A' })])
    const found = readBeforeWrite.breachesOf(recording, 'position')
    expect(found.map(({ call }) => call.id)).toEqual(['bags A'])
  })

  it('overlooks a read whose id is used again, if results are joined by the last use of an id', () => {
    const again = { ...cancel({ reservation_id: 'B' }, 'Error: no'), id: 'read A' }
    const recording = run('airline', 'hi', [read('A')], [bags('A')], [again])
    const idsBy = (join: 'position' | 'last-use-of-id') =>
      readBeforeWrite.breachesOf(recording, join).map(({ call }) => call.id)
    expect(idsBy('position')).toEqual(['read A'])
    expect(idsBy('last-use-of-id')).toEqual(['bags A', 'read A'])
  })
})

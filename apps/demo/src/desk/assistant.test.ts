import { KernelError } from '@symfonic/kernel'
import { expectStablePrefix, type ScriptedStep, scriptedModel } from '@symfonic/kernel/testing'
import { describe, expect, it } from 'vitest'
import { createApprovals } from './approvals.ts'
import { createAssistant } from './assistant.ts'
import { createDesk } from './desk.ts'
import { ownerOfTurn } from './preferences.ts'
import { seedDesk } from './seed.ts'
import { attribute, type Speaker, scopeOf, sessionOf, stateOf } from './speaker.ts'

const mia: Speaker = { user: 'mia', platform: 'slack' }
const omar: Speaker = { user: 'omar', platform: 'slack' }
const onWeb: Speaker = { user: 'mia', platform: 'web' }

/** Turns of one assistant whose model does what the script says. */
function assistantOf(script: readonly ScriptedStep[]) {
  const model = scriptedModel(script)
  const kernel = createAssistant({ model, today: '2026-11-30', onSelection: () => {} })
  return {
    model,
    turn: (speaker: Speaker) =>
      kernel.run({ query: 'go', scope: scopeOf(speaker), state: stateOf(speaker) }),
  }
}

const call = (name: string, input: object = {}) => ({ toolCalls: [{ name, input }] })
const k4 = { reservation_id: 'K4T9QX' }
const done = { text: 'done' }

describe('the rules of the desk', () => {
  it.each([
    { tool: 'cancel_reservation', input: k4, needs: 'read_reservation', on: onWeb },
    {
      tool: 'change_flight',
      input: { ...k4, flight: 'TP838' },
      needs: 'read_reservation',
      on: mia,
    },
    {
      tool: 'remember_preference',
      input: { topic: 'seat', value: 'aisle' },
      needs: 'recall_preferences',
      on: mia,
    },
  ])('$tool is refused before $needs', async ({ tool, input, needs, on }) => {
    const { turn } = assistantOf([call(tool, input), done])
    const { refusals } = await turn(on)
    expect(refusals).toMatchObject([{ toolName: tool, details: { missing: [needs] } }])
  })

  it('to have read one reservation does not allow cancelling another', async () => {
    const { turn } = assistantOf([
      call('read_reservation', { reservation_id: 'B7M2LD' }),
      call('cancel_reservation', k4),
      call('read_reservation', { reservation_id: 'k4t9qx' }),
      call('cancel_reservation', k4),
      done,
    ])
    const { refusals, steps } = await turn(onWeb)
    expect(refusals.map(({ step }) => step)).toEqual([2])
    expect(steps[3]?.content.map(({ type }) => type)).toEqual(['tool-call', 'tool-result'])
  })

  it('to have tried to read does not count', async () => {
    const missing = { reservation_id: 'ZZ9ZZ9' }
    const { turn } = assistantOf([
      call('read_reservation', missing),
      call('cancel_reservation', missing),
      done,
    ])
    expect((await turn(onWeb)).refusals).toHaveLength(1)
  })

  it('memory is written at once on the web, where nobody else listens', async () => {
    const { turn } = assistantOf([
      call('remember_preference', { topic: 'seat', value: 'aisle' }),
      done,
    ])
    expect((await turn(onWeb)).refusals).toEqual([])
  })

  it('the model is told of Slack formatting on Slack only', async () => {
    const { model, turn } = assistantOf([done, done])
    await turn(mia)
    await turn(onWeb)
    const rules = model.received.map(({ prompt }) => JSON.stringify(prompt[1]))
    expect(rules[0]).toContain('format_for_slack')
    expect(rules[1]).not.toContain('format_for_slack')
  })
})

describe('the plugins of the desk', () => {
  const tokyo = { reservation_id: 'W5D9KU' }

  it.each([
    { tool: 'cancel_reservation', input: tokyo },
    { tool: 'change_flight', input: { ...tokyo, flight: 'NH216' } },
  ])('a costly trip: $tool is refused by approvals, once the rules allow it', async (row) => {
    const { turn } = assistantOf([call('read_reservation', tokyo), call(row.tool, row.input), done])
    const { refusals } = await turn(onWeb)
    expect(refusals).toMatchObject([
      {
        toolName: row.tool,
        capability: 'plugins',
        details: { verdict: 'deny', decisions: [{ plugin: 'approvals' }] },
      },
    ])
    expect(refusals[0]?.message).toContain('by `approvals`: A trip of 1,180 EUR is above 500 EUR')
  })

  it('a cheap one, and anything else about a costly one, runs', async () => {
    const bags = call('add_baggage', { ...tokyo, bags: 1 })
    const { turn } = assistantOf([
      ...[call('read_reservation', k4), call('cancel_reservation', k4), bags, done],
    ])
    expect((await turn(onWeb)).refusals).toEqual([])
  })

  it('a trip that is not there is denied: nobody knows what it costs', async () => {
    const { validateStateTransition } = createApprovals(createDesk(seedDesk('2026-11-30')))
    const asked = () =>
      validateStateTransition?.(
        'cancel_reservation',
        { arguments: { reservation_id: 'ZZ9ZZ9' } },
        { signal: new AbortController().signal },
      )
    expect(asked).toThrow('no reservation ZZ9ZZ9')
  })

  const about = { model: scriptedModel([]), today: '2026-11-30', onSelection: () => {} }
  const inputs = [mia, omar].map((speaker) => ({
    query: attribute(speaker, `hello from ${speaker.user}`),
    scope: scopeOf(speaker),
    state: stateOf(speaker),
  }))

  it('keep what is cached the same for whoever speaks', async () => {
    await expectStablePrefix(createAssistant(about), inputs)
  })

  it('break it with a clock, which is named', async () => {
    let hour = 0
    const clockInPrefix = () => {
      hour += 1
      return new Date(Date.UTC(2026, 10, 30, hour))
    }
    await expect(
      expectStablePrefix(createAssistant({ ...about, clockInPrefix }), inputs),
    ).rejects.toThrow(
      'written by "clock": "It is 2026-11-30T01:00:00.000Z." became "It is 2026-11-30T02:00',
    )
  })
})

describe('the memory of the desk', () => {
  const remember = (value: string): ScriptedStep => ({
    toolCalls: [
      { name: 'recall_preferences' },
      { name: 'remember_preference', input: { topic: 'seat', value } },
    ],
  })
  const recalled = async (turn: ReturnType<typeof assistantOf>['turn'], speaker: Speaker) => {
    const { steps } = await turn(speaker)
    return steps[0]?.content.find(({ type }) => type === 'tool-result')
  }

  it('keeps two users of one channel apart, whatever order they speak in', async () => {
    const recall = call('recall_preferences')
    const { turn } = assistantOf([
      ...[remember('window'), done, recall, done, remember('aisle'), done],
      ...[recall, done, recall, done],
    ])
    await turn(mia)
    expect(await recalled(turn, omar)).toMatchObject({ output: { owner: 'omar', preferences: {} } })
    await turn(omar)
    expect(await recalled(turn, mia)).toMatchObject({ output: { preferences: { seat: 'window' } } })
    expect(await recalled(turn, omar)).toMatchObject({ output: { preferences: { seat: 'aisle' } } })
  })

  it('keeps them apart when they speak at the same moment', async () => {
    const steps = { first: remember('window'), second: remember('aisle') }
    const kernelOf = assistantOf([steps.first, steps.second, done, done])
    const [one, other] = await Promise.all([kernelOf.turn(mia), kernelOf.turn(omar)])
    const owners = [one, other].map(
      ({ added }) => JSON.stringify(added).match(/"owner":"(\w+)"/)?.[1],
    )
    expect(owners).toEqual(['mia', 'omar'])
  })

  it('has no owner outside of a turn, and then refuses', () => {
    expect(() => ownerOfTurn()).toThrow(/not known who speaks/)
  })

  it('has no owner in a turn without a user, and then fails the call', async () => {
    const model = scriptedModel([call('recall_preferences'), done])
    const kernel = createAssistant({ model, today: '2026-11-30', onSelection: () => {} })
    const { steps } = await kernel.run({ query: 'go', scope: { tenantId: 'harbour' } })
    expect(JSON.stringify(steps[0]?.messages)).toContain('not known who speaks')
  })
})

describe('speakers', () => {
  it('share the conversation of a channel, and have their own on the web', () => {
    expect(sessionOf(mia)).toBe(sessionOf(omar))
    expect(sessionOf(onWeb)).not.toBe(sessionOf({ ...onWeb, user: 'omar' }))
  })

  it('are named in what the model reads of a shared channel', () => {
    expect(attribute(omar, '[@mia] hello')).toBe('[@omar] [@mia] hello')
    expect(attribute(onWeb, 'hello')).toBe('hello')
  })

  it('have a state that the rules of Slack can be asked of', () => {
    expect(stateOf(mia)).toEqual({
      page_context: { platform: 'slack', channel: '#travel', slack_user_name: 'mia' },
    })
    expect(stateOf(onWeb)).toEqual({ page_context: { platform: 'web' } })
  })

  it('without a tenant are refused by the kernel', async () => {
    const kernel = createAssistant({
      model: scriptedModel([]),
      today: '2026-11-30',
      onSelection: () => {},
    })
    await expect(kernel.run({ query: 'go', scope: { tenantId: '' } })).rejects.toThrow(KernelError)
  })
})

import { scriptedModel } from '@symfonic/kernel/testing'
import { describe, expect, it } from 'vitest'
import type { Speaker } from '../desk/speaker.ts'
import { createLocalModel } from '../local-model/local-model.ts'
import { createCallLog } from './call-log.ts'
import { reasonOf } from './reason-of.ts'
import { runTurn } from './run-turn.ts'
import { type DeskEvent, openSession } from './session.ts'

const today = '2026-11-30'
const mia: Speaker = { user: 'mia', platform: 'web' }

describe('a session', () => {
  it('tells what was said, then the rules, then the prompt', async () => {
    const types: string[] = []
    const session = openSession({ model: createLocalModel(), today })
    await runTurn(session, mia, 'hello', ({ type }) => types.push(type))
    expect(types.slice(0, 6)).toEqual([
      'user-said',
      'turn-start',
      'context-hydrated',
      'rules-selected',
      'memory-recalled',
      'prompt-assembled',
    ])
    expect(types.slice(-2)).toEqual(['turn-end', 'memory-learned'])
  })

  it('goes on after a turn that was stopped, with every call answered', async () => {
    const session = openSession({ model: createLocalModel(), today })
    const stop = new AbortController()
    const watch = (event: DeskEvent) => {
      if (event.type === 'tool-refused') stop.abort(new Error('enough'))
    }
    const { how } = await runTurn(session, mia, 'Cancel K4T9QX', watch, stop.signal)
    expect(how).toBe('aborted')
    expect(session.transcriptOf(mia).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])

    const next = await runTurn(session, mia, 'Cancel K4T9QX', () => {})
    expect(next.calls.map(({ toolName, outcome }) => `${toolName} ${outcome}`)).toEqual([
      'read_reservation ran',
      'cancel_reservation ran',
    ])
  })

  it('goes on after a turn that failed', async () => {
    const model = scriptedModel([{ error: new Error('no line') }, { text: 'back again' }])
    const session = openSession({ model, today })
    const failed: unknown[] = []
    const watch = (event: DeskEvent) => {
      if (event.type === 'turn-error') failed.push(event.error)
    }
    expect((await runTurn(session, mia, 'hello', watch)).how).toBe('failed')
    expect(String(failed[0])).toContain('no line')
    expect((await runTurn(session, mia, 'hello', watch)).text).toBe('back again')
  })

  it('keeps a stub a stub after a turn that was stopped, and the result whole in the transcript', async () => {
    const session = openSession({ model: createLocalModel(), today, pricedAs: 'claude-sonnet-4-5' })
    const stop = new AbortController()
    const watch = (event: DeskEvent) => {
      if (event.type === 'tool-call' && event.toolName === 'recall_tool_result') stop.abort()
    }
    const asked = 'What does NH216 from Paris to Tokyo cost?'
    const stopped = await runTurn(session, mia, asked, watch, stop.signal)
    expect([stopped.how, stopped.results]).toEqual(['aborted', undefined])
    const [stub] = session.stubsOf(mia)
    expect(stub).toMatchObject({ action: 'offload', toolName: 'search_flights' })

    const { calls, results } = await runTurn(session, mia, 'And what does LH420 cost?', () => {})
    expect(calls.map(({ toolName }) => toolName)).toEqual(['recall_tool_result'])
    expect(results?.stubs).toEqual([
      { decision: stub, isKept: true, sentChars: [stub?.stubChars, stub?.stubChars] },
    ])
    expect(session.stubsOf({ ...mia, user: 'omar' })).toEqual([])
  })

  it('counts what was sent, not what was said of it', async () => {
    const search = { name: 'search_flights', input: { origin: 'Paris', destination: 'Tokyo' } }
    const model = scriptedModel([{ toolCalls: [search] }, { text: 'ok' }])
    const { results } = await runTurn(openSession({ model, today }), mia, 'go', () => {})
    const sent = JSON.stringify(model.received[1]?.prompt)
    expect(results?.stubs.map(({ sentChars }) => sentChars.length)).toEqual([1])
    expect(sent).toContain('[Stub written by the host')
    expect(sent).not.toContain('NH216')
  })

  it('keeps conversations apart by user on the web', async () => {
    const session = openSession({ model: createLocalModel(), today })
    await runTurn(session, mia, 'hello', () => {})
    expect(session.transcriptOf(mia)).toHaveLength(2)
    expect(session.transcriptOf({ ...mia, user: 'omar' })).toEqual([])
  })
})

describe('the log of a turn', () => {
  it('has each call with what came of it', async () => {
    const session = openSession({ model: createLocalModel(), today })
    const { calls } = await runTurn(session, mia, 'Add two bags to K4T9QX and cancel it', () => {})
    expect(
      calls.map(({ toolName, step, outcome, missing, rules }) => ({
        toolName,
        step,
        outcome,
        missing,
        rules,
      })),
    ).toEqual([
      { toolName: 'add_baggage', step: 1, outcome: 'failed', missing: [], rules: [] },
      { toolName: 'add_baggage', step: 2, outcome: 'ran', missing: [], rules: [] },
      {
        toolName: 'cancel_reservation',
        step: 3,
        outcome: 'refused',
        missing: ['read_reservation'],
        rules: ['Read before you cancel'],
      },
      { toolName: 'read_reservation', step: 4, outcome: 'ran', missing: [], rules: [] },
      { toolName: 'cancel_reservation', step: 5, outcome: 'ran', missing: [], rules: [] },
    ])
    expect(calls[0]?.reason).toMatch(/^the input does not fit: bags: /)
  })

  it('leaves a call open that nobody has answered', () => {
    const log = createCallLog()
    log.note({ type: 'tool-call', toolCallId: '1', toolName: 't', input: {}, dynamic: true })
    expect(log.calls).toMatchObject([{ toolName: 't', outcome: 'open' }])
  })

  it.each([
    [new Error('plain'), 'plain'],
    ['thrown text', 'thrown text'],
    [undefined, 'undefined'],
  ])('gives the reason of %s', (error, reason) => {
    expect(reasonOf(error)).toBe(reason)
  })
})

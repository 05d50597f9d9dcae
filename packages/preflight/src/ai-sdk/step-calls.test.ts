import type { ModelMessage } from 'ai'
import { describe, expect, it, vi } from 'vitest'
import {
  announceCall,
  callsBefore,
  createStepLog,
  denyCall,
  expectCall,
  resultOf,
  type Step,
  settleCall,
  startCall,
  withResults,
} from './step-calls.ts'

const user: ModelMessage = { role: 'user', content: 'x' }
const call = (toolCallId: string, toolName = 'read') => ({ toolCallId, toolName, input: {} })
const text = { type: 'text', value: 'x' } as const
const fresh = () => createStepLog()([user])
const namesBefore = (...about: Parameters<typeof callsBefore>) =>
  callsBefore(...about).map(({ toolCall }) => toolCall.toolCallId)

describe('a step log', () => {
  it('gives the calls of one array the same step, and other arrays others', () => {
    const stepOf = createStepLog()
    const messages = [user]
    expect(stepOf(messages)).toBe(stepOf(messages))
    expect(stepOf([user])).not.toBe(stepOf(messages))
  })

  it.each<[string, (messages: ModelMessage[]) => unknown]>([
    ['has grown', (messages) => messages.push(user)],
    ['has shrunk', (messages) => messages.pop()],
    ['ends differently', (messages) => messages.splice(-1, 1, { ...user })],
  ])('gives an array that %s another step', (_case, change) => {
    const stepOf = createStepLog()
    const messages = [user, user]
    const before = stepOf(messages)
    change(messages)
    expect(stepOf(messages)).not.toBe(before)
  })

  it('forgets a step whose calls were all known and are all over', () => {
    const stepOf = createStepLog()
    const messages = [user]
    const step = stepOf(messages)
    for (const id of ['1', '2']) expectCall(step, call(id))
    denyCall(step, call('3'))
    settleCall(step, startCall(step, call('1')), () => text)
    expect(stepOf(messages)).toBe(step)
    settleCall(step, startCall(step, call('2')), () => text)
    expect(stepOf(messages)).not.toBe(step)
  })

  it('keeps a step that may get more calls: one of it came unannounced', () => {
    const stepOf = createStepLog()
    const messages = [user]
    const step = stepOf(messages)
    settleCall(step, startCall(step, call('1')), () => text)
    expect(stepOf(messages)).toBe(step)
  })
})

describe('calls that are announced', () => {
  const announcing = () => {
    const stepOf = createStepLog()
    const messages = [user]
    const announce = (id: string, run?: unknown) => {
      announceCall(stepOf, messages, call(id), run)
      return stepOf(messages)
    }
    return { stepOf, messages, announce, find: (id: string) => stepOf(messages, call(id)) }
  }

  it('are of one step while none has started', () => {
    const { announce } = announcing()
    expect(announce('1')).toBe(announce('2'))
    expect(announce('3').calls).toHaveLength(3)
  })

  it.each<[string, (step: Step, announce: (id: string, run?: unknown) => Step) => Step]>([
    [
      'when one has started',
      (step, announce) => {
        startCall(step, call('1'))
        return announce('3')
      },
    ],
    ['when it comes twice', (_step, announce) => announce('1')],
    ['with another signal', (_step, announce) => announce('3', {})],
  ])('begin another step %s, and each is found in its own', (_case, next) => {
    const { announce, find, stepOf, messages } = announcing()
    announce('1')
    const first = announce('2')
    const second = next(first, announce)
    expect(second).not.toBe(first)
    expect(find('2')).toBe(first)
    expect(stepOf(messages)).toBe(second)
    expect(second.calls).toHaveLength(1)
  })

  it('are of no step where they may be of two, or of none', () => {
    const { announce, find } = announcing()
    const steps = [announce('1'), announce('1')]
    for (const id of ['1', 'unknown']) {
      expect(steps).not.toContain(find(id))
      expect(find(id).calls).toEqual([])
    }
  })

  it('keep what an approval said before, in the step they begin', () => {
    const { announce } = announcing()
    const first = announce('1')
    startCall(first, call('1'))
    denyCall(first, call('2'))
    expect(announce('2').calls).toMatchObject([{ phase: 'denied' }])
    expect(first.calls).toHaveLength(1)
  })

  it('leave the other step when theirs is over, in whichever order', () => {
    for (const order of [
      ['1', '2', '3'],
      ['3', '2', '1'],
      ['2', '1', '3'],
    ]) {
      const { announce, find, stepOf, messages } = announcing()
      const steps = { '1': announce('1', 1), '2': announce('2', 2), '3': announce('3', 3) }
      for (const [id, step] of Object.entries(steps)) expect(find(id)).toBe(step)
      for (const id of order) settleCall(find(id), startCall(find(id), call(id)), () => text)
      expect(Object.values(steps)).not.toContain(stepOf(messages))
    }
  })
})

describe('a step', () => {
  it('knows the order in which calls were made, not that in which they start', () => {
    const step = fresh()
    for (const id of ['1', '2', '3']) expectCall(step, call(id))
    startCall(step, call('2'))
    startCall(step, call('1'))
    expect(namesBefore(step, call('1'))).toEqual([])
    expect(namesBefore(step, call('3'))).toEqual(['1', '2'])
    expect(namesBefore(step, call('unknown'))).toEqual(['1', '2', '3'])
  })

  it('tells calls apart that share an id, by their tools', () => {
    const step = fresh()
    expectCall(step, call('1', 'read'))
    expectCall(step, call('1', 'cancel'))
    expect(callsBefore(step, call('1', 'cancel'))).toHaveLength(1)
  })

  it('does not take back what it knows when a call is expected again', () => {
    const step = fresh()
    denyCall(step, call('1'))
    expectCall(step, call('1'))
    expect(step.calls).toMatchObject([{ phase: 'denied' }])
  })

  it('takes back the result of a call that starts again', () => {
    const step = fresh()
    expectCall(step, call('1'))
    const running = startCall(step, call('1'))
    settleCall(step, running, () => text)
    expect(resultOf(running)).toEqual(text)
    expect(startCall(step, call('1'))).toBe(running)
    expect(running.phase).toBe('running')
    expect(resultOf(running)).toMatchObject({ type: 'error-text' })
  })

  it('places calls that were not expected by their latest start', () => {
    const step = fresh()
    for (const id of ['1', '2', '1']) startCall(step, call(id))
    expect(namesBefore(step, call('unknown'))).toEqual(['2', '1'])
  })

  it('counts its events and tells a listener of the next one, once', () => {
    const step = fresh()
    const listener = vi.fn()
    step.listeners.add(listener)
    expectCall(step, call('1'))
    const running = startCall(step, call('1'))
    settleCall(step, running, () => text)
    expect(step.version).toBe(3)
    expect(listener).toHaveBeenCalledTimes(1)
  })
})

describe('the result of a call', () => {
  it('is made when somebody asks, and once', async () => {
    const step = fresh()
    const [now, later] = [vi.fn(() => text), vi.fn(async () => text)]
    const one = startCall(step, call('1'))
    const other = startCall(step, call('2'))
    settleCall(step, one, now)
    settleCall(step, other, later)
    expect(now).not.toHaveBeenCalled()
    expect([resultOf(one), resultOf(one)]).toEqual([text, text])
    expect(await Promise.all([resultOf(other), resultOf(other)])).toEqual([text, text])
    expect(resultOf(other)).toEqual(text)
    expect([now, later].map(({ mock }) => mock.calls.length)).toEqual([1, 1])
  })

  it.each<[string, () => never | Promise<never>]>([
    ['throws', () => failure()],
    ['rejects', async () => failure()],
  ])('is an error when making it %s', async (_case, convert) => {
    const step = fresh()
    const running = startCall(step, call('1'))
    settleCall(step, running, convert)
    expect(await resultOf(running)).toMatchObject({ type: 'error-text' })
  })

  it('is an error before the call is over', () => {
    expect(resultOf(startCall(fresh(), call('1')))).toMatchObject({ type: 'error-text' })
  })
})

describe('withResults', () => {
  it('leaves the messages as they are when nothing has been settled', () => {
    const messages = [user]
    expect(withResults(messages, [], [])).toBe(messages)
  })

  it('adds the calls and their results, as the SDK will', () => {
    const step = fresh()
    const messages = [user]
    const settled = [startCall(step, call('1')), startCall(step, call('2', 'cancel'))]
    expect(withResults(messages, settled, [text, text])).toEqual([
      user,
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', toolCallId: '1', toolName: 'read', input: {} },
          { type: 'tool-call', toolCallId: '2', toolName: 'cancel', input: {} },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: '1', toolName: 'read', output: text },
          { type: 'tool-result', toolCallId: '2', toolName: 'cancel', output: text },
        ],
      },
    ])
    expect(messages).toEqual([user])
  })
})

function failure(): never {
  throw new Error('down')
}

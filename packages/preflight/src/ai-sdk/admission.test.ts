import type { ModelMessage } from 'ai'
import { describe, expect, it, vi } from 'vitest'
import { defineSkill } from '../define-skill.ts'
import { type Applicant, judgeInTurn, judgeNow } from './admission.ts'
import { createJudge } from './judge.ts'
import {
  createStepLog,
  denyCall,
  expectCall,
  holdCall,
  releaseCall,
  settleCall,
  startCall,
} from './step-calls.ts'

const readFirst = defineSkill({ label: 'x', actionTool: 'cancel', precondition: 'read' })
const judge = createJudge([readFirst], {})
const lockedFirst = defineSkill({
  label: 'Unlock first',
  actionTool: 'cancel',
  precondition: ['unlock', { state: { path: 'locked', op: 'eq', value: true } }],
})
const call = (toolName: string) => ({ toolCallId: toolName, toolName, input: {} })
const text = () => ({ type: 'text', value: 'x' }) as const
const failed = () => ({ type: 'error-text', value: 'x' }) as const

/** A step in which `cancel` applies, after the given calls were made. */
function applying(...earlier: string[]) {
  return applyingAs('cancel', ...earlier)
}

function applyingAs(own: string, ...earlier: string[]) {
  const messages: ModelMessage[] = [{ role: 'user', content: 'x' }]
  const step = createStepLog()(messages)
  for (const name of earlier) expectCall(step, call(name))
  expectCall(step, call(own))
  const applicant: Applicant = { call: startCall(step, call(own)), step, messages }
  const settle = (name: string, convert: () => ReturnType<typeof text | typeof failed>) =>
    settleCall(step, startCall(step, call(name)), convert)
  return { applicant, step, settle }
}

describe('judgeNow', () => {
  it.each<[string, string[], boolean | undefined]>([
    ['refuses when nothing was called before', [], false],
    ['waits for a needed call that was made', ['read'], undefined],
    ['does not wait for a call that is not needed and has not started', ['tell'], false],
  ])('%s', (_case, earlier, allowed) => {
    expect(judgeNow(judge, applying(...earlier).applicant)?.allowed).toBe(allowed)
  })

  it('allows once a needed call has succeeded, and refuses once it has failed', () => {
    const [good, bad] = [applying('read'), applying('read')]
    good.settle('read', text)
    bad.settle('read', failed)
    expect(judgeNow(judge, good.applicant)?.allowed).toBe(true)
    expect(judgeNow(judge, bad.applicant)?.allowed).toBe(false)
  })

  it('does not wait for a call that was denied', () => {
    const { applicant, step } = applying('read')
    denyCall(step, call('read'))
    expect(judgeNow(judge, applicant)?.allowed).toBe(false)
  })

  it('waits for whatever runs, for it may change what the app reads', () => {
    const { applicant, step } = applying('tell')
    startCall(step, call('tell'))
    expect(judgeNow(judge, applicant)).toBeUndefined()
  })
})

describe('where the app is asked', () => {
  const { state: isLocked, lock } = lockable()
  const live = createJudge([lockedFirst], { state: isLocked })

  it.each<[string, string[], boolean | undefined]>([
    ['is judged at once when it comes first', [], true],
    ['waits for an earlier call, needed or not', ['tell'], undefined],
  ])('an allowed call that a rule may be about %s', (_case, earlier, allowed) => {
    lock(false)
    expect(judgeNow(live, applying(...earlier).applicant)?.allowed).toBe(allowed)
  })

  it('a call that was allowed is refused when an earlier one has changed the state', async () => {
    lock(false)
    const { applicant, step, settle } = applying('tell', 'read')
    for (const name of ['tell', 'read']) startCall(step, call(name))
    const judgement = judgeInTurn(live, applicant, undefined)
    settle('tell', text)
    expect(await Promise.race([judgement, aMoment()])).toBe('waiting')
    lock(true)
    settle('read', failed)
    expect((await judgement).allowed).toBe(false)
  })

  it('a call that was refused is allowed when an earlier one has changed the state', async () => {
    lock(true)
    const { applicant, settle } = applying('tell')
    const judgement = judgeInTurn(live, applicant, undefined)
    lock(false)
    settle('tell', text)
    expect((await judgement).allowed).toBe(true)
  })

  it('a call that no rule is about waits until those before it are judged, not until they end', async () => {
    lock(false)
    const { applicant, step } = applyingAs('tell', 'cancel')
    expect(judgeNow(live, applicant)).toBeUndefined()
    const cancel = startCall(step, call('cancel'))
    holdCall(cancel)
    const judgement = judgeInTurn(live, applicant, undefined)
    expect(await Promise.race([judgement, aMoment()])).toBe('waiting')
    releaseCall(step, cancel)
    expect((await judgement).allowed).toBe(true)
    expect(judgeNow(live, applicant)?.allowed).toBe(true)
  })

  it('nobody waits again for a call that did not start in its time', async () => {
    lock(false)
    vi.useFakeTimers()
    try {
      const { applicant, step } = applying('tell')
      const judgement = judgeInTurn(live, applicant, undefined)
      await vi.advanceTimersByTimeAsync(60)
      expect((await judgement).allowed).toBe(true)
      expect(judgeNow(live, applicant)?.allowed).toBe(true)
      startCall(step, call('tell'))
      expect(judgeNow(live, applicant)).toBeUndefined()
    } finally {
      vi.useRealTimers()
    }
  })

  it('a call that another makes does not wait for its maker', async () => {
    lock(false)
    const messages: ModelMessage[] = [{ role: 'user', content: 'x' }]
    const step = createStepLog()(messages)
    expectCall(step, call('outer'))
    startCall(step, call('outer'))
    const nested = { call: startCall(step, call('cancel')), step, messages }
    expect(judgeNow(live, nested)?.allowed).toBe(true)
    expect((await judgeInTurn(live, nested, undefined)).allowed).toBe(true)
  })
})

describe('a call that the model did not make in the step', () => {
  const nested = () => {
    const messages: ModelMessage[] = [{ role: 'user', content: 'x' }]
    const step = createStepLog()(messages)
    expectCall(step, call('outer'))
    startCall(step, call('outer'))
    return { call: startCall(step, call('cancel')), step, messages }
  }

  it('never waits: the call that made it may be waiting for it', async () => {
    expect(judgeNow(judge, nested())?.allowed).toBe(false)
    expect((await judgeInTurn(judge, nested(), undefined)).allowed).toBe(false)
  })

  it('is one of the step all the same when it was approved and is resumed', () => {
    const { call: resumed, step, messages } = nested()
    const content = [{ ...call('cancel'), type: 'tool-call' as const }]
    const made = [...messages, { role: 'assistant' as const, content }]
    expect(judgeNow(judge, { call: resumed, step, messages: made })).toBeUndefined()
    const others = [...made, { role: 'assistant' as const, content: 'x' }]
    expect(judgeNow(judge, { call: resumed, step, messages: others })?.allowed).toBe(false)
  })
})

describe('a history that cannot be read', () => {
  it.each<[string, unknown]>([
    ['no message', null],
    ['no parts', { role: 'assistant', content: [null] }],
    [
      'a getter that throws',
      {
        get role(): never {
          throw new Error('down')
        },
      },
    ],
  ])('lets nobody wait: %s', async (_case, message) => {
    const messages = [{ role: 'user', content: 'x' }, message] as ModelMessage[]
    const step = createStepLog()(messages)
    startCall(step, call('read'))
    const applicant = { call: startCall(step, call('cancel')), step, messages }
    expect(judgeNow(judge, applicant)?.allowed).toBe(false)
    expect((await judgeInTurn(judge, applicant, undefined)).allowed).toBe(false)
  })
})

describe('judgeInTurn', () => {
  it('lets a call through as soon as it may, though others still run', async () => {
    const { applicant, step, settle } = applying('read', 'tell')
    startCall(step, call('tell'))
    const judgement = judgeInTurn(judge, applicant, undefined)
    settle('read', text)
    expect((await judgement).allowed).toBe(true)
  })

  it('refuses when the last call that could have helped is over', async () => {
    const { applicant, step, settle } = applying('read', 'tell')
    startCall(step, call('tell'))
    const judgement = judgeInTurn(judge, applicant, undefined)
    settle('read', failed)
    expect(await Promise.race([judgement, 'waiting'])).toBe('waiting')
    settle('tell', text)
    expect((await judgement).allowed).toBe(false)
  })

  it('gives a needed call that was made a moment to start, and no longer', async () => {
    vi.useFakeTimers()
    try {
      const late = applying('read')
      const lateJudgement = judgeInTurn(judge, late.applicant, undefined)
      await vi.advanceTimersByTimeAsync(40)
      late.settle('read', text)
      expect((await lateJudgement).allowed).toBe(true)

      const never = judgeInTurn(judge, applying('read').applicant, undefined)
      await vi.advanceTimersByTimeAsync(60)
      expect((await never).allowed).toBe(false)
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  it('rejects with the reason of an abort, before and while it waits', async () => {
    const { applicant, step } = applying('read')
    startCall(step, call('read'))
    const reason = new Error('stop')
    await expect(judgeInTurn(judge, applicant, AbortSignal.abort(reason))).rejects.toBe(reason)
    const controller = new AbortController()
    const judgement = judgeInTurn(judge, applicant, controller.signal)
    controller.abort(reason)
    await expect(judgement).rejects.toBe(reason)
    expect(step.listeners.size).toBe(0)
  })
})

function lockable() {
  let locked = false
  return {
    state: () => ({ locked }),
    lock: (to: boolean) => {
      locked = to
    },
  }
}

/** Long enough for a judgement that waits for nothing; without a timer, which would race its own. */
async function aMoment(): Promise<string> {
  for (let turn = 0; turn < 1_000; turn += 1) await undefined
  return 'waiting'
}

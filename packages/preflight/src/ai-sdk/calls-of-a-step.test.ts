import type { ModelMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import type { PreflightOptions, PreflightSkills } from '../ai-sdk.ts'
import { defineSkill } from '../define-skill.ts'
import { pause, refused, user, wrapped } from './wrapped-calls.test-d.ts'

describe('a call whose rules hang on what earlier calls change', () => {
  const askAgain = defineSkill({
    label: 'Ask again',
    actionTool: 'cancel',
    precondition: ['ask_again', { state: { path: 'locked', op: 'eq', value: true } }],
  })
  const always = defineSkill({ label: 'x', actionTool: 'cancel', precondition: 'ask_again' })

  /** A desk whose tools lock and unlock when they end. */
  function locking(locked: boolean) {
    const log: string[] = []
    const ending = (name: string, to: boolean | undefined, ms: number) => async () => {
      log.push(name)
      await pause(ms)
      locked = to ?? locked
      log.push(`${name}.`)
    }
    const executes = {
      cancel: ending('cancel', true, 5),
      up: ending('up', true, 5),
      unlock: ending('unlock', false, 0),
      slow: ending('slow', undefined, 5),
      tell: ending('tell', undefined, 0),
    }
    return { executes, log, state: () => ({ locked }) }
  }

  type Name = keyof ReturnType<typeof locking>['executes']

  it.each<[string, boolean, Name[], boolean[]]>([
    ['the second of two like calls', false, ['cancel', 'cancel'], [true, false]],
    ['a call behind one that sets the state', false, ['up', 'cancel'], [true, false]],
    ['a call behind one that clears the state', true, ['unlock', 'cancel'], [true, true]],
    ['a call before one that clears it', true, ['slow', 'cancel', 'unlock'], [true, false, true]],
  ])('is judged in the order given: %s', async (_case, isLocked, names, ran) => {
    const ways: ((state: () => { locked: boolean }) => [PreflightOptions, PreflightSkills])[] = [
      (state) => [{ state }, [askAgain]],
      (state) => [{}, () => (state().locked ? [always] : [])],
      (state) => [{ called: () => new Set(state().locked ? [] : ['ask_again']) }, [always]],
    ]
    for (const way of ways) {
      const { executes, log, state } = locking(isLocked)
      const { step } = wrapped(executes, ...way(state))
      const outcomes = await Promise.allSettled(step(...names).map((run) => run()))
      expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual(ran)
      expect(log.filter((line) => !line.endsWith('.'))).toEqual(names.filter((_, at) => ran[at]))
    }
  })

  it('does not hold up calls that no rule is about, once those before them are judged', async () => {
    const { executes, log, state } = locking(false)
    const { step } = wrapped(executes, { state }, [askAgain])
    await Promise.all(step('slow', 'tell', 'up').map((run) => run()))
    expect(log.slice(0, 3)).toEqual(['slow', 'tell', 'up'])
  })

  it('waits for nothing where skills and state are values', () => {
    const { executes, log } = locking(false)
    const { step } = wrapped(executes, { state: { locked: false } }, [askAgain])
    for (const run of step('up', 'cancel', 'cancel')) run()
    expect(log).toEqual(['up', 'cancel', 'cancel'])
  })
})

describe('runs that are given the same array of messages', () => {
  const { tools } = wrapped({ read: () => 'read', cancel: () => 'gone' })
  const runOn = (messages: ModelMessage[], abortSignal?: AbortSignal) => ({
    announce: (name: string, toolCallId: string) =>
      tools[name]?.onInputAvailable?.({ toolCallId, messages, abortSignal, input: {} } as never),
    execute: async (name: string, toolCallId: string) =>
      tools[name]?.execute?.({}, { toolCallId, messages, abortSignal } as never),
  })

  it('do not count for each other: the second is announced when the first has started', async () => {
    const run = runOn([user])
    run.announce('read', '1')
    // Never started, so that the first step stays open.
    run.announce('cancel', '2')
    await run.execute('read', '1')
    run.announce('cancel', '3')
    await expect(run.execute('cancel', '3')).rejects.toThrow(refused)
    expect(await run.execute('cancel', '2')).toBe('gone')
  })

  it('do not count for each other: announced in between, with signals of their own', async () => {
    const messages = [user]
    const [one, other] = [1, 2].map(() => runOn(messages, new AbortController().signal))
    one?.announce('read', '1')
    other?.announce('cancel', '2')
    one?.announce('cancel', '3')
    await one?.execute('read', '1')
    await expect(other?.execute('cancel', '2')).rejects.toThrow(refused)
  })

  it('count nothing where the same call was made twice, for it cannot be known by which', async () => {
    const run = runOn([user])
    for (const _ of [1, 2]) {
      run.announce('read', '1')
      run.announce('cancel', '2')
    }
    await run.execute('read', '1')
    await expect(run.execute('cancel', '2')).rejects.toThrow(refused)
  })
})

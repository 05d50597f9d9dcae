import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import type { TurnEvent } from './events.ts'
import { silentLogger } from './logger.ts'
import { createObservers } from './observers.ts'

const start = event('turn-start')
const stepStart = event('step-start')

describe('observers', () => {
  it('are told of their own type of event, in the order they came', () => {
    const { observers, log } = watched()
    observers.observe('turn-start', () => void log.push('first'))
    observers.observe('step-start', () => void log.push('other'))
    observers.observe('turn-start', () => void log.push('second'))
    observers.tell(start)
    expect(log).toEqual(['first', 'second'])
  })

  it('get the event itself', () => {
    const { observers } = watched()
    const observer = vi.fn()
    observers.observe('step-start', observer)
    observers.tell(stepStart)
    expect(observer.mock.calls[0]?.[0]).toBe(stepStart)
  })

  it('may be nobody', () => {
    expect(() => watched().observers.tell(start)).not.toThrow()
  })

  it('can be taken off again, once and for all', () => {
    const { observers, log } = watched()
    const off = observers.observe('turn-start', () => void log.push('told'))
    observers.tell(start)
    off()
    off()
    observers.tell(start)
    expect(log).toEqual(['told'])
  })

  it('are taken off one at a time, even if one function was put on twice', () => {
    const { observers } = watched()
    const observer = vi.fn()
    const off = observers.observe('turn-start', observer)
    observers.observe('turn-start', observer)
    observers.tell(start)
    expect(observer).toHaveBeenCalledTimes(2)
    off()
    observers.tell(start)
    expect(observer).toHaveBeenCalledTimes(3)
  })

  it('may come and go while others are told, from the next event on', () => {
    const { observers, log } = watched()
    const off = observers.observe('turn-start', () => {
      log.push('first')
      off()
      observers.observe('turn-start', () => void log.push('new'))
    })
    observers.observe('turn-start', () => void log.push('second'))
    observers.tell(start)
    observers.tell(start)
    expect(log).toEqual(['first', 'second', 'second', 'new'])
  })
})

describe('an observer that fails', () => {
  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('down')
      },
    ],
    ['rejects', () => Promise.reject(new Error('down'))],
    ['rejects later', () => delay(1).then(() => Promise.reject(new Error('down')))],
    // biome-ignore lint/suspicious/noThenProperty: a promise of another make
    ['gives a thenable that rejects', () => ({ then: failingThen })],
  ])('is logged and breaks nothing when it %s', async (_how, fail) => {
    const { observers, log, error } = watched()
    observers.observe('turn-start', fail as () => void)
    observers.observe('turn-start', () => void log.push('told all the same'))
    expect(() => observers.tell(start)).not.toThrow()
    expect(log).toEqual(['told all the same'])
    await vi.waitFor(() => expect(error).toHaveBeenCalledTimes(1), 30_000)
    expect(error).toHaveBeenCalledWith('an observer of "turn-start" failed', {
      error: expect.objectContaining({ message: 'down' }),
    })
  })

  it.each<[string, unknown]>([
    ['a number', 7],
    ['null', null],
    // biome-ignore lint/suspicious/noThenProperty: something that only looks like a promise
    ['an object with a then that is no function', { then: 1 }],
    ['a promise that never settles', new Promise(() => {})],
  ])('is not one that returns %s', async (_what, returned) => {
    const { observers, error } = watched()
    observers.observe('turn-start', (() => returned) as () => void)
    observers.tell(start)
    await delay(0)
    expect(error).not.toHaveBeenCalled()
  })
})

function watched() {
  const error = vi.fn()
  const log: string[] = []
  return { observers: createObservers({ ...silentLogger, error }), log, error }
}

function failingThen(_ok: unknown, failed: (error: Error) => void) {
  failed(new Error('down'))
}

function event(type: 'turn-start' | 'step-start'): TurnEvent {
  return type === 'turn-start'
    ? { type, runId: 'run-1', sessionId: undefined, scope: undefined, query: 'hello' }
    : { type, step: 1, forcedTool: undefined }
}

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createInbox } from './inbox.ts'

describe('an inbox', () => {
  it('is empty at first and after it was taken', () => {
    const inbox = createInbox<number>()
    expect(inbox.take()).toEqual([])
    inbox.put(1)
    expect([inbox.take(), inbox.take()]).toEqual([[1], []])
  })

  it('gives away what it took: a later put does not reach it', () => {
    const inbox = createInbox<number>()
    inbox.put(1)
    const taken = inbox.take()
    inbox.put(2)
    expect([taken, inbox.take()]).toEqual([[1], [2]])
  })

  it.each<[string, unknown[]]>([
    ['undefined', [undefined]],
    ['falsy values', [0, '', null, false]],
    ['promises, without waiting for them', [new Promise(() => {})]],
  ])('holds %s like anything else', async (_what, items) => {
    const inbox = createInbox<unknown>()
    for (const item of items) inbox.put(item)
    await inbox.arrival()
    expect(inbox.take()).toEqual(items)
  })

  it('tells of an arrival only when there is one', async () => {
    const inbox = createInbox<string>()
    let arrived = false
    const arrival = inbox.arrival().then(() => {
      arrived = true
    })
    await Promise.resolve()
    expect(arrived).toBe(false)
    inbox.put('late')
    await arrival
    expect(inbox.take()).toEqual(['late'])
  })

  it('waits again after it was taken, whatever arrived before', async () => {
    const inbox = createInbox<number>()
    const first = inbox.arrival()
    inbox.put(1)
    inbox.put(2)
    await first
    inbox.take()
    const second = inbox.arrival()
    const race = await Promise.race([second.then(() => 'arrived'), settled('nothing yet')])
    expect(race).toBe('nothing yet')
    inbox.put(3)
    await second
    expect(inbox.take()).toEqual([3])
  })

  it('gives everything exactly once and in order, however puts and takes are mixed', async () => {
    const moves = fc.array(fc.oneof(fc.constant('take'), fc.constant('wait'), fc.nat()))
    await fc.assert(
      fc.asyncProperty(moves, async (script) => {
        const inbox = createInbox<number>()
        const sent: number[] = []
        const got: number[] = []
        let waiting: Promise<void> | undefined
        for (const move of script) {
          if (move === 'take') got.push(...inbox.take())
          else if (move === 'wait') waiting ??= inbox.arrival()
          else {
            sent.push(Number(move))
            inbox.put(Number(move))
            // Somebody who waits hears of the first arrival.
            await waiting
            waiting = undefined
          }
        }
        got.push(...inbox.take())
        expect(got).toEqual(sent)
      }),
      { numRuns: 100 },
    )
  })
})

async function settled<Value>(value: Value): Promise<Value> {
  for (let tick = 0; tick < 5; tick += 1) await Promise.resolve()
  return value
}

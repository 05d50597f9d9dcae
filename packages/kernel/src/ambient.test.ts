import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type AmbientTurn, currentTurn, withinTurn } from './ambient.ts'

const first: AmbientTurn = {
  ...{ runId: 'run-1', sessionId: 's-1', depth: 0 },
  scope: { tenantId: 'acme' },
}
const second: AmbientTurn = { runId: 'run-2', sessionId: undefined, scope: undefined, depth: 1 }

describe('a generator within a turn', () => {
  it('sees its turn at every step, across awaits, and its consumer never does', async () => {
    const seen: unknown[] = []
    const stream = withinTurn(first, watching(seen))
    for await (const inside of stream) {
      seen.push(currentTurn())
      expect(inside).toBe(first)
    }
    expect(seen).toEqual([first, first, undefined, first, first, undefined, first])
    expect(currentTurn()).toBeUndefined()
  })

  it('keeps its own turn when two are pulled in turns', async () => {
    const [one, two] = [withinTurn(first, steps(3)), withinTurn(second, steps(3))]
    const seen: unknown[] = []
    for (let pull = 0; pull < 3; pull += 1) {
      seen.push((await one.next()).value, (await two.next()).value)
    }
    expect(seen).toEqual([first, second, first, second, first, second])
  })

  it('keeps its own turn when it is consumed inside another', async () => {
    const outer = withinTurn(
      first,
      (async function* () {
        for await (const inner of withinTurn(second, steps(2))) yield [inner, currentTurn()]
      })(),
    )
    const seen: unknown[] = []
    for await (const pair of outer) seen.push(pair)
    expect(seen).toEqual([
      [second, first],
      [second, first],
    ])
  })

  it('hands its turn to work that it starts and that outlives a pull', async () => {
    const started: Promise<unknown>[] = []
    const stream = withinTurn(
      first,
      (async function* () {
        started.push(delay(2).then(() => currentTurn()))
        yield 1
      })(),
    )
    await stream.next()
    expect(await Promise.all(started)).toEqual([first])
  })

  it('gives the return value of its source', async () => {
    const stream = withinTurn(second, returning('the end'))
    expect(await stream.next()).toEqual({ done: true, value: 'the end' })
  })
})

describe('a generator within a turn that is left early', () => {
  it.each<[string, (stream: AsyncGenerator<unknown, unknown, void>) => Promise<unknown>]>([
    [
      'break',
      async (stream) => {
        for await (const _ of stream) break
      },
    ],
    ['return', (stream) => stream.next().then(() => stream.return('left'))],
    ['throw', (stream) => stream.next().then(() => stream.throw(new Error('out')).catch(() => {}))],
    [
      'await using',
      async (stream) => {
        await using held = stream
        await held.next()
      },
    ],
  ])('cleans up in its own turn after %s', async (_how, leave) => {
    const cleaned: unknown[] = []
    const stream = withinTurn(
      first,
      (async function* () {
        try {
          yield 1
          yield 2
        } finally {
          await delay(1)
          cleaned.push(currentTurn())
        }
      })(),
    )
    await leave(stream)
    expect(cleaned).toEqual([first])
    expect(currentTurn()).toBeUndefined()
  })
})

async function* watching(seen: unknown[]) {
  for (let step = 0; step < 2; step += 1) {
    seen.push(currentTurn())
    await delay(1)
    seen.push(currentTurn())
    yield currentTurn()
  }
  seen.push(currentTurn())
}

async function* steps(count: number) {
  for (let step = 0; step < count; step += 1) {
    await null
    yield currentTurn()
  }
}

// biome-ignore lint/correctness/useYield: what matters here is the return value
async function* returning(value: string): AsyncGenerator<never, string, void> {
  return value
}

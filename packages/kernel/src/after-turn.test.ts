import { tool } from 'ai'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { currentTurn } from './ambient.ts'
import type { Capability } from './capability.ts'
import { createKernel } from './kernel.ts'
import { silentLogger } from './logger.ts'
import { scriptedModel } from './testing/scripted-model.ts'

const answers = (count: number) => Array.from({ length: count }, () => ({ text: 'done' }))

describe('work after a turn', () => {
  it('is told the result and the view of the turn', async () => {
    const onTurnEnd = vi.fn()
    const kernel = kernelWith({ onTurnEnd })
    const scope = { tenantId: 'acme' }
    const result = await kernel.run({ query: 'q', scope, sessionId: 's', state: { a: 1 } })
    const { runId } = result
    expect(onTurnEnd).toHaveBeenCalledExactlyOnceWith(
      result,
      expect.objectContaining({ runId, scope, sessionId: 's', state: { a: 1 }, query: 'q' }),
    )
  })

  it('does not delay the answer, and is waited for by a flush (MEM-40)', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const done: string[] = []
    const kernel = kernelWith({ onTurnEnd: () => promise.then(() => done.push('work')) })
    await kernel.run({ query: 'q' })
    done.push('answer')
    resolve()
    await kernel.flush()
    expect(done).toEqual(['answer', 'work'])
  })

  it('is not waited for by the flush of another kernel (MEM-41)', async () => {
    const slow = kernelWith({ onTurnEnd: () => new Promise(() => {}) })
    await slow.run({ query: 'q' })
    await expect(kernelWith({}).flush()).resolves.toBeUndefined()
  })

  it('is waited for, when it begins during a flush', async () => {
    const done: number[] = []
    const mayEnd = Promise.withResolvers<void>()
    const kernel = kernelWith({ onTurnEnd: () => mayEnd.promise.then(() => done.push(1)) }, 2)
    await kernel.run({ query: 'q' })
    const flushed = kernel.flush()
    await kernel.run({ query: 'q' })
    mayEnd.resolve()
    await flushed
    expect(done).toEqual([1, 1])
  })

  it.each<[string, Capability['onTurnEnd']]>([
    [
      'throws',
      () => {
        throw new Error('no')
      },
    ],
    ['rejects', () => Promise.reject(new Error('no'))],
  ])('that %s is logged and costs nothing else', async (_how, onTurnEnd) => {
    const error = vi.fn()
    const other = vi.fn()
    const kernel = createKernel({
      model: scriptedModel(answers(1)),
      capabilities: [
        { name: 'broken', ...(onTurnEnd && { onTurnEnd }) },
        { name: 'other', onTurnEnd: other },
      ],
      logger: { ...silentLogger, error },
    })
    await expect(kernel.run({ query: 'q' })).resolves.toMatchObject({ text: 'done' })
    await kernel.flush()
    expect(other).toHaveBeenCalledTimes(1)
    expect(error).toHaveBeenCalledExactlyOnceWith('"broken" failed after the turn', {
      error: new Error('no'),
    })
  })

  it('begins before a consumer hears of the end, who may leave then', async () => {
    const onTurnEnd = vi.fn()
    for await (const event of kernelWith({ onTurnEnd }).stream({ query: 'q' })) {
      if (event.type === 'turn-end') break
    }
    expect(onTurnEnd).toHaveBeenCalledTimes(1)
  })

  it('is not told of a turn that failed, or that its consumer left', async () => {
    const onTurnEnd = vi.fn()
    const failing = createKernel({
      model: scriptedModel([{ error: new Error('down') }]),
      capabilities: [{ name: 'test', onTurnEnd }],
      settings: { maxRetries: 0 },
    })
    await expect(failing.run({ query: 'q' })).rejects.toThrow()
    for await (const event of kernelWith({ onTurnEnd }).stream({ query: 'q' })) {
      if (event.type === 'text-delta') break
    }
    expect(onTurnEnd).not.toHaveBeenCalled()
  })
})

describe('the depth of a turn', () => {
  it('counts the turns it is run within (MEM-47)', async () => {
    const depths: unknown[] = []
    const onTurnEnd = () => depths.push(currentTurn()?.depth)
    const child = kernelWith({ onTurnEnd }, 2)
    const ask = tool({
      inputSchema: z.object({}),
      execute: async () => (await child.run({ query: 'q' })).text,
    })
    const parent = createKernel({
      model: scriptedModel([{ toolCalls: [{ name: 'ask' }] }, { text: 'done' }]),
      tools: { ask },
      capabilities: [{ name: 'test', onTurnEnd }],
    })
    await parent.run({ query: 'q' })
    await child.run({ query: 'q' })
    expect(depths).toEqual([1, 0, 0])
  })
})

function kernelWith(traits: Partial<Capability>, turns = 1) {
  return createKernel({
    model: scriptedModel(answers(turns)),
    capabilities: [{ name: 'test', ...traits }],
  })
}

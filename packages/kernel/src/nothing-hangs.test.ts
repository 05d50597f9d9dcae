import { tool } from 'ai'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import type { Capability } from './capability.ts'
import { createKernel } from './kernel.ts'
import type { KernelOptions } from './kernel-options.ts'
import { silentLogger } from './logger.ts'
import { responseStages } from './response-pipeline.ts'
import { scriptedModel } from './testing/scripted-model.ts'

const never = () => new Promise<never>(() => {})
const look = tool({ inputSchema: z.object({}), execute: async () => 'seen' })

describe('what never answers ends with limits.toolTimeoutMs', () => {
  it.each<[string, Capability]>([
    ['a gate', { name: 'deaf', gate: () => never }],
    ['a guard', { name: 'deaf', guard: () => never }],
  ])('%s: the call is refused', async (_what, capability) => {
    const { result } = await play({ capabilities: [capability] })
    expect(result.refusals[0]).toMatchObject({
      capability: 'deaf',
      message: expect.stringContaining('could not be decided'),
      details: { gateFailed: 'it took longer than 20 ms' },
    })
    expect(result.text).toBe('ok')
  })

  it.each<[string, Partial<KernelOptions>, string]>([
    [
      'a rewrite of the history',
      { capabilities: [{ name: 'deaf', rewriteHistory: never }] },
      '"deaf" could not rewrite the history',
    ],
    ...responseStages.map((stage): [string, Partial<KernelOptions>, string] => [
      `the stage ${stage}`,
      { capabilities: [{ name: 'deaf', stages: { [stage]: never } }] },
      'a response stage of "deaf" failed',
    ]),
    ['a rewriter of the answer', { onResponseRender: [never] }, 'onResponseRender[0] failed'],
  ])('%s: it is skipped with a warning', async (_what, options, expected) => {
    const { result, warnings } = await play(options)
    expect(result.text).toBe('ok')
    expect(warnings.join('\n')).toContain(expected)
  })

  it('or with the turn, whichever is first, and leaves no timer behind', async () => {
    const { kernel } = desk({
      capabilities: [{ name: 'deaf', guard: () => never }],
      limits: { toolTimeoutMs: 300_000, turnTimeoutMs: 20 },
    })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const refused = expect(kernel.run({ query: 'q' })).rejects.toMatchObject({
      code: 'KERNEL_TURN_TIMED_OUT',
    })
    await vi.advanceTimersByTimeAsync(19)
    expect(vi.getTimerCount()).toBeGreaterThan(0)
    await vi.advanceTimersByTimeAsync(1_000)
    await refused
    expect(vi.getTimerCount()).toBe(0)
  })
})

function desk(options: Partial<KernelOptions>) {
  const warnings: string[] = []
  const model = scriptedModel([{ toolCalls: [{ name: 'look' }] }, { text: 'ok' }])
  const logger = { ...silentLogger, warn: (message: string) => warnings.push(message) }
  const limits = { toolTimeoutMs: 20 }
  return { kernel: createKernel({ model, tools: { look }, logger, limits, ...options }), warnings }
}

async function play(options: Partial<KernelOptions>) {
  const { kernel, warnings } = desk(options)
  return { result: await kernel.run({ query: 'q' }), warnings }
}

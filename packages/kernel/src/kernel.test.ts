import { tool } from 'ai'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { currentTurn } from './ambient.ts'
import { createKernel } from './kernel.ts'
import { scriptedModel } from './testing/scripted-model.ts'
import type { TurnResult } from './turn-state.ts'

const whoami = tool({
  inputSchema: z.object({}),
  execute: async () => {
    await new Promise((resolve) => setTimeout(resolve, 2))
    return currentTurn()?.scope?.tenantId ?? 'nobody'
  },
})

describe('a kernel', () => {
  it('serves concurrent turns of many tenants without mixing them', async () => {
    // The scripted model answers by what it is sent, so one kernel can serve all turns at once.
    const steps = Array.from({ length: 40 }, () => (sent: { prompt: unknown[] }) => {
      const last = JSON.stringify(sent.prompt.at(-1))
      return last.includes('tool-result') ? { text: last } : { toolCalls: [{ name: 'whoami' }] }
    })
    const kernel = createKernel({ model: scriptedModel(steps), tools: { whoami } })
    const tenants = Array.from({ length: 20 }, (_, index) => `tenant-${index}`)
    const results = await Promise.all(
      tenants.map((tenantId) => kernel.run({ query: 'who?', scope: { tenantId } })),
    )
    for (const [index, { text }] of results.entries()) {
      expect(text).toContain(`"${tenants[index]}"`)
    }
  })

  it('shows a tool its own turn on a stream, and the consumer none', async () => {
    const model = scriptedModel([{ toolCalls: [{ name: 'whoami' }] }, { text: 'ok' }])
    const kernel = createKernel({ model, tools: { whoami } })
    const seen: unknown[] = []
    for await (const event of kernel.stream({ query: 'q', scope: { tenantId: 't1' } })) {
      expect(currentTurn()).toBeUndefined()
      if (event.type === 'tool-result') seen.push(event.output)
    }
    expect(seen).toEqual(['t1'])
  })

  it('does nothing, and refuses nothing, before the first pull', async () => {
    const model = scriptedModel([])
    const stream = createKernel({ model }).stream({ query: '' })
    expect(model.received).toHaveLength(0)
    await expect(stream.next()).rejects.toMatchObject({ code: 'KERNEL_INPUT_INVALID' })
  })

  it.each([undefined, null, 'hello', 42])('refuses %s as input by name', async (input) => {
    const kernel = createKernel({ model: scriptedModel([]) })
    await expect(kernel.run(input as never)).rejects.toMatchObject({ code: 'KERNEL_INPUT_INVALID' })
    await expect(kernel.stream(input as never).next()).rejects.toMatchObject({
      code: 'KERNEL_INPUT_INVALID',
    })
  })

  it('rewrites the answer of a blocking turn, not its transcript, and never a stream', async () => {
    const bold = (text: string) => text.replaceAll('**', '*')
    const kernel = (text: string) =>
      createKernel({ model: scriptedModel([{ text }]), onResponseRender: [bold] })

    const ends: string[] = []
    const blocking = kernel('**hi**')
    blocking.observe('turn-end', ({ result }) => {
      ends.push(result.text)
    })
    const result = await blocking.run({ query: 'q' })
    expect(result.text).toBe('*hi*')
    expect(ends).toEqual(['*hi*'])
    expect(JSON.stringify(result.messages)).toContain('**hi**')

    const stream = kernel('**hi**').stream({ query: 'q' })
    let next = await stream.next()
    while (!next.done) next = await stream.next()
    expect(next.value.text).toBe('**hi**')
  })

  it('breaks no turn when observers fail', async () => {
    const errors: unknown[] = []
    const kernel = createKernel({
      model: scriptedModel([{ text: 'fine' }]),
      logger: { debug() {}, info() {}, warn() {}, error: (...entry) => errors.push(entry) },
    })
    kernel.observe('turn-start', () => {
      throw new Error('sync')
    })
    kernel.observe('turn-end', () => Promise.reject(new Error('async')))
    expect((await kernel.run({ query: 'q' })).text).toBe('fine')
    await Promise.resolve()
    expect(errors).toHaveLength(2)
  })

  it.each<[string, object, string]>([
    ['its signal has fired', { signal: AbortSignal.abort() }, 'KERNEL_TURN_ABORTED'],
    ['its signal fires', { signal: AbortSignal.timeout(10) }, 'KERNEL_TURN_ABORTED'],
    ['its time is up', {}, 'KERNEL_TURN_TIMED_OUT'],
  ])('previews no prompt when %s, as no turn would run', async (_what, input, code) => {
    const deaf = { name: 'deaf', hydrate: () => new Promise<never>(() => {}) }
    const limits = { turnTimeoutMs: 50 }
    const kernel = createKernel({ model: scriptedModel([]), capabilities: [deaf], limits })
    await expect(kernel.previewPrompt({ query: 'q', ...input })).rejects.toMatchObject({
      name: 'KernelError',
      code,
    })
  })

  it('types its two streams apart', () => {
    const kernel = createKernel({ model: scriptedModel([]) })
    expectTypeOf(kernel.stream({ query: 'q' })).toHaveProperty('next')
    expectTypeOf(kernel.run).returns.toEqualTypeOf<Promise<TurnResult>>()
    expectTypeOf<Parameters<typeof kernel.generate>[0]>().toHaveProperty('options')
  })
})

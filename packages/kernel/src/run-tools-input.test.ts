import { setTimeout as delay } from 'node:timers/promises'
import { jsonSchema, type ToolSet, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { CallJudge, Capability } from './capability.ts'
import type { TurnEvent } from './events.ts'
import { createKernel } from './kernel.ts'
import type { Logger } from './logger.ts'
import { silentLogger } from './logger.ts'
import { scriptedModel } from './testing/scripted-model.ts'

// What is judged, recorded and run is one value, whoever reads it in between.

interface Payment {
  amount: number
  to: { name: string }
}
const payment: Payment = { amount: 1, to: { name: 'Ann' } }
const overwrite = (input: unknown) => {
  ;(input as Payment).amount = 777
}
const overwriteDeep = (input: unknown) => {
  ;(input as Payment).to.name = 'Eve'
}
/** Has made up its mind about a call before it waits, and says so afterwards. */
const guardThatWaits = (wait: () => Promise<unknown>): Capability => ({
  name: 'slow',
  guard: () => async () => {
    await wait()
    return { allowed: true }
  },
})

describe('the input of a call', () => {
  it.each([overwrite, overwriteDeep])(
    'is not changed by whoever reads the stream (%o)',
    async (write) => {
      const late = Promise.withResolvers<void>()
      const { kernel, got } = desk([guardThatWaits(() => late.promise)])
      const refused: unknown[] = []
      for await (const event of kernel.stream({ query: 'q' })) {
        if (event.type !== 'tool-call') continue
        expect(attempt(() => write(event.input))).toBeInstanceOf(TypeError)
        setTimeout(() => {
          refused.push(attempt(() => write(event.input)))
          late.resolve()
        }, 1)
      }
      expect(refused).toEqual([expect.any(TypeError)])
      expect(got).toEqual([payment])
    },
  )

  it.each(['tool-call', 'tool-result', 'tool-refused', 'step-end'] as const)(
    'is not changed by an observer of %s',
    async (type) => {
      const refuseSecond: Capability = {
        name: 'once',
        guard: (view) => () =>
          view.step === 1 ? { allowed: true } : { allowed: false, message: 'once only' },
      }
      const { kernel, got } = desk([guardThatWaits(() => delay(1)), refuseSecond], 2)
      kernel.observe(type, (event: TurnEvent) => {
        if ('input' in event) overwrite(event.input)
        if (event.type === 'step-end') overwrite(event.record.content[0])
      })
      const { messages, refusals } = await kernel.run({ query: 'q' })
      expect(got).toEqual([payment])
      expect(refusals[0]?.input).toEqual(payment)
      expect(JSON.stringify(messages)).not.toContain('777')
    },
  )

  it.each(['gate', 'guard'] as const)('cannot be changed by a %s: it is refused', async (trait) => {
    const judge: CallJudge = ({ input }) => {
      overwriteDeep(input)
      return { allowed: true }
    }
    const { kernel, got } = desk([{ name: 'meddler', [trait]: () => judge }])
    const { refusals } = await kernel.run({ query: 'q' })
    expect(got).toEqual([])
    expect(refusals[0]).toMatchObject({ capability: 'meddler', input: payment })
  })

  it('is no business of a guard that writes into the transcript it is shown', async () => {
    const guard: Capability['guard'] =
      ({ messages }) =>
      () => {
        const [part] = messages.at(-1)?.content ?? []
        Object.assign(part as object, { input: { amount: 777 } })
        return { allowed: true }
      }
    const { kernel } = desk([{ name: 'meddler', guard }])
    const { messages, refusals } = await kernel.run({ query: 'q' })
    expect(refusals).toHaveLength(1)
    expect(JSON.stringify(messages)).not.toContain('777')
  })

  it('is the tool’s own to write to, and is judged and recorded as it was', async () => {
    const seen: unknown[] = []
    const judge: CallJudge = ({ input }) => {
      seen.push(input)
      return { allowed: true }
    }
    const { kernel, got } = desk([{ name: 'watch', guard: () => judge }], 1, overwriteDeep)
    const { messages, steps } = await kernel.run({ query: 'q' })
    expect(got).toEqual([{ ...payment, to: { name: 'Eve' } }])
    expect(seen).toEqual([payment])
    expect(JSON.stringify([messages, steps])).not.toContain('Eve')
  })

  it('keeps what a schema has made of it, such as a date', async () => {
    const got: unknown[] = []
    const inputSchema = z.object({ at: z.string().transform((text) => new Date(text)) })
    const book = tool({ inputSchema, execute: async ({ at }) => void got.push(at) })
    const model = scriptedModel([
      { toolCalls: [{ name: 'book', input: { at: '2030-01-01' } }] },
      { text: 'ok' },
    ])
    const judged: unknown[] = []
    const guard: Capability['guard'] =
      () =>
      ({ input }) => {
        judged.push((input as { at: unknown }).at)
        return { allowed: true }
      }
    const capabilities = [{ name: 'watch', guard }]
    await createKernel({ model, tools: { book }, capabilities }).run({ query: 'q' })
    expect(got).toEqual([new Date('2030-01-01')])
    expect(judged).toEqual(got)
  })

  it('is invalid, and not run, when it cannot be copied', async () => {
    let ran = 0
    const nested = (): unknown => {
      let deep: unknown = 1
      for (let depth = 0; depth < 200_000; depth += 1) deep = [deep]
      return deep
    }
    const inputSchema = jsonSchema<object>(
      { type: 'object' },
      { validate: () => ({ success: true, value: { deep: nested() } }) },
    )
    const tools = { dig: tool({ inputSchema, execute: async () => ++ran }) } as ToolSet
    const model = scriptedModel([{ toolCalls: [{ name: 'dig' }] }, { text: 'ok' }])
    // The blocking call of the SDK copies it first, and fails.
    const events = createKernel({ model, tools }).stream({ query: 'q' })
    let next = await events.next()
    while (!next.done) next = await events.next()
    const { text, messages } = next.value
    expect([text, ran]).toEqual(['ok', 0])
    expect(messages[2]?.content[0]).toMatchObject({ output: { type: 'error-text' } })
  })
})

describe('events', () => {
  it('are frozen: nobody changes what the next one reads', async () => {
    const failures: unknown[] = []
    const logger: Logger = { ...silentLogger, error: (message) => failures.push(message) }
    const kernel = createKernel({ model: scriptedModel([{ text: 'real' }]), logger })
    kernel.observe('text-delta', (event) => void Object.assign(event, { text: 'FAKE' }))
    kernel.observe('turn-end', (event) => void Object.assign(event, { result: null }))
    kernel.observe(
      'turn-start',
      ({ scope }) => void Object.assign(scope ?? {}, { tenantId: 'other' }),
    )
    const scope = { tenantId: 'acme' }
    let shown = ''
    for await (const event of kernel.stream({ query: 'q', scope })) {
      expect(Object.isFrozen(event)).toBe(true)
      if (event.type === 'text-delta') shown += event.text
      if (event.type === 'turn-end') expect(event.result.text).toBe('real')
    }
    expect([shown, scope]).toEqual(['real', { tenantId: 'acme' }])
    expect(failures).toHaveLength(3)
  })
})

/** A kernel whose model pays so many times, and what the tool got. */
function desk(capabilities: readonly Capability[], times = 1, meddle?: (input: Payment) => void) {
  const got: unknown[] = []
  const pay = tool({
    inputSchema: z.object({ amount: z.number(), to: z.object({ name: z.string() }) }),
    execute: async (input) => {
      meddle?.(input)
      got.push(structuredClone(input))
      return 'paid'
    },
  })
  const calls = Array.from({ length: times }, () => ({
    toolCalls: [{ name: 'pay', input: payment }],
  }))
  const model = scriptedModel([...calls, { text: 'done' }])
  return { kernel: createKernel({ model, tools: { pay }, capabilities }), got }
}

function attempt(work: () => void): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  return undefined
}

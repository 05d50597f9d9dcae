import type { ModelMessage } from 'ai'
import { tool } from 'ai'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { Capability } from './capability.ts'
import { createKernel } from './kernel.ts'
import { scriptedModel } from './testing/scripted-model.ts'

const look = tool({ inputSchema: z.object({}), execute: async () => 'seen' })
const dropFirst = (messages: readonly ModelMessage[]) => ({ messages: messages.slice(1) })

describe('a history that is rewritten', () => {
  it('is what the model is sent, and the transcript stays as it was', async () => {
    const { run, sent } = desk({ name: 'short', rewriteHistory: dropFirst })
    const history: ModelMessage[] = [
      { role: 'user', content: 'old' },
      { role: 'assistant', content: 'older' },
    ]
    const { messages } = await run({ history })
    expect(sent(0)).not.toContain('"old"')
    expect(messages[0]).toEqual(history[0])
  })

  it('is begun anew at every step, from the untouched transcript', async () => {
    const lengths: number[] = []
    const rewriteHistory: Capability['rewriteHistory'] = (messages) => {
      lengths.push(messages.length)
      return dropFirst(messages)
    }
    const history: ModelMessage[] = [
      { role: 'user', content: 'old' },
      { role: 'assistant', content: 'older' },
    ]
    await desk({ name: 'short', rewriteHistory }).run({ history })
    expect(lengths).toEqual([3, 5])
  })

  it('goes through the capabilities in order, each given what the last one left', async () => {
    const append = (text: string): Capability => ({
      name: text,
      rewriteHistory: (messages) => ({
        messages: messages.map((message) =>
          message.role === 'user' ? { ...message, content: `${message.content}${text}` } : message,
        ) as ModelMessage[],
      }),
    })
    const { run, sent } = desk(append('-a'), append('-b'))
    await run()
    expect(sent(0)).toContain('hello-a-b')
  })

  it('is told of only where there is something to tell', async () => {
    const silent: Capability = { name: 'silent', rewriteHistory: (messages) => ({ messages }) }
    const telling: Capability = {
      name: 'telling',
      rewriteHistory: async (messages) => ({ messages, details: { saved: 3 } }),
    }
    const { run, events } = desk(silent, telling)
    await run()
    expect(events).toEqual(
      [1, 2].map((step) => ({
        ...{ type: 'history-rewritten', step, capability: 'telling', details: { saved: 3 } },
      })),
    )
  })

  it.each<[string, () => unknown]>([
    ['throws', fail],
    ['rejects', async () => fail()],
    ['gives nothing', () => undefined],
    ['gives no list', () => ({ messages: 'all' })],
  ])('is sent as it is by one that %s, with a warning', async (_how, rewriteHistory) => {
    const { run, sent, warn } = desk({ name: 'odd', rewriteHistory: rewriteHistory as never })
    const { text } = await run()
    expect(text).toBe('done')
    expect(sent(0)).toContain('hello')
    expect(warn).toHaveBeenCalledWith(
      '"odd" could not rewrite the history; it is sent as it is',
      expect.anything(),
    )
  })

  it('is waited for no longer than the turn lasts', async () => {
    const { run } = desk({ name: 'slow', rewriteHistory: () => new Promise(() => {}) })
    const controller = new AbortController()
    const turn = run({ signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(turn).rejects.toMatchObject({ code: 'KERNEL_TURN_ABORTED' })
  })
})

function fail(): never {
  throw new Error('down')
}

function desk(...capabilities: Capability[]) {
  const model = scriptedModel([{ toolCalls: [{ name: 'look' }] }, { text: 'done' }])
  const warn = vi.fn()
  const logger = { debug() {}, info() {}, warn, error: warn }
  const kernel = createKernel({ model, tools: { look }, logger, capabilities })
  const events: unknown[] = []
  kernel.observe('history-rewritten', (event) => void events.push(event))
  return {
    ...{ events, warn },
    run: (differs: object = {}) => kernel.run({ query: 'hello', ...differs }),
    sent: (call: number) => JSON.stringify(model.received[call]?.prompt),
  }
}

import { generateText, streamText } from 'ai'
import { describe, expect, it } from 'vitest'
import { scriptedModel } from './scripted-model.ts'

const say = (text: string) => ({ text })

describe('scriptedModel', () => {
  it('plays its steps in order and remembers what it was sent', async () => {
    const model = scriptedModel([say('one'), say('two')])
    expect((await generateText({ model, prompt: 'a' })).text).toBe('one')
    expect((await generateText({ model, prompt: 'b' })).text).toBe('two')
    expect(model.received.map((call) => call.prompt.at(-1))).toMatchObject([
      { role: 'user', content: [{ text: 'a' }] },
      { role: 'user', content: [{ text: 'b' }] },
    ])
    model.assertDone()
  })

  it('streams the same answer it gives in one piece', async () => {
    const step = { reasoning: 'hm', text: 'a rather long answer', toolCalls: [{ name: 't' }] }
    const whole = await generateText({ model: scriptedModel([step]), prompt: 'q' })
    const streamed = streamText({ model: scriptedModel([step], { deltaChars: 3 }), prompt: 'q' })
    expect(await streamed.text).toBe(whole.text)
    expect(await streamed.reasoningText).toBe(whole.reasoningText)
    expect((await streamed.toolCalls).map((call) => call.toolCallId)).toEqual(
      whole.toolCalls.map((call) => call.toolCallId),
    )
    expect((await streamed.usage).totalTokens).toBe(whole.usage.totalTokens)
  })

  it('complains about a call its script does not have, even when the error was swallowed', async () => {
    const model = scriptedModel([])
    await generateText({ model, prompt: 'q' }).catch(() => {})
    expect(() => model.assertDone()).toThrow(
      expect.objectContaining({ code: 'KERNEL_SCRIPT_EXHAUSTED', details: { call: 1, steps: 0 } }),
    )
  })

  it('complains about steps nobody asked for', () => {
    expect(() => scriptedModel([say('never')]).assertDone()).toThrow(
      expect.objectContaining({ code: 'KERNEL_SCRIPT_UNUSED', details: { unused: 1, steps: 1 } }),
    )
  })

  it('lets a step look at what was sent, and fails the call when its expectation does', async () => {
    const model = scriptedModel([
      (sent) => say(`${sent.prompt.length} messages`),
      {
        expect: () => {
          throw new Error('not what I expected')
        },
      },
    ])
    expect((await generateText({ model, prompt: 'q' })).text).toBe('1 messages')
    await expect(generateText({ model, prompt: 'q' })).rejects.toThrow('not what I expected')
  })

  it('fails before or amid a stream, as told', async () => {
    const error = new Error('down')
    const before = scriptedModel([{ error }])
    await expect(before.doStream({ prompt: [] })).rejects.toBe(error)
    const amid = scriptedModel([{ text: 'abc', error, errorAfter: 4 }], { deltaChars: 1 })
    const types: string[] = []
    for await (const part of (await amid.doStream({ prompt: [] })).stream) types.push(part.type)
    expect(types).toEqual([
      'stream-start',
      'response-metadata',
      'text-start',
      'text-delta',
      'error',
    ])
  })
})

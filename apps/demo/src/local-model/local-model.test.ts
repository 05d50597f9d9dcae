import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { describe, expect, it } from 'vitest'
import { answerOf, type Past, requestOf } from '../testing/model-request.ts'
import { createLocalModel } from './local-model.ts'

const k4 = { reservation_id: 'K4T9QX' }
const sheet = { ...k4, origin: 'Lisbon', destination: 'Rome', fare: 'flexible' }
const refusal = 'The call to `cancel_reservation` was refused. First: `read_reservation`.'

describe('the local model as a LanguageModelV4', () => {
  it('streams what it would have answered, in deltas that add up to it', async () => {
    const past = [
      'Cancel K4T9QX',
      { name: 'cancel_reservation', input: k4, gave: { error: refusal } },
    ]
    const { stream } = await createLocalModel().doStream(requestOf(past))
    const parts: LanguageModelV4StreamPart[] = []
    for await (const part of stream) parts.push(part)
    expect(
      parts.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]),
    ).toEqual([
      'stream-start',
      'response-metadata',
      'reasoning-start',
      'reasoning-delta',
      'reasoning-end',
      'tool-input-start',
      'tool-input-delta',
      'tool-input-end',
      'tool-call',
      'finish',
    ])
    const input = parts.flatMap((part) => (part.type === 'tool-input-delta' ? [part.delta] : []))
    expect(input.length).toBeGreaterThan(1)
    expect(JSON.parse(input.join(''))).toEqual(k4)
    expect(parts.at(-1)).toMatchObject({ finishReason: { unified: 'tool-calls' } })
  })

  it('answers the same request with the same content', async () => {
    const model = createLocalModel()
    const request = requestOf(['Show K4T9QX and cancel B7M2LD'])
    const [first, second] = [await model.doGenerate(request), await model.doGenerate(request)]
    expect(second.content).toEqual(first.content)
  })

  it('numbers its calls through the whole conversation', async () => {
    const past: Past[] = [
      'Show K4T9QX',
      { name: 'read_reservation', input: k4, gave: { value: sheet } },
    ]
    const { content } = await createLocalModel().doGenerate(requestOf([...past, 'Cancel K4T9QX']))
    expect(content.at(-1)).toMatchObject({ toolCallId: 'call-2' })
  })

  it('stops in the middle of a stream when it is aborted', async () => {
    const stop = new AbortController()
    const model = createLocalModel({ pace: { thinkMs: 0, deltaMs: 5 } })
    const request = requestOf(['What can you do?'], { abortSignal: stop.signal })
    const { stream } = await model.doStream(request)
    const reason = new Error('enough')
    let deltas = 0
    const reading = async () => {
      for await (const { type } of stream) {
        if (type === 'text-delta') deltas += 1
        if (deltas === 2) stop.abort(reason)
      }
    }
    await expect(reading()).rejects.toBe(reason)
    expect(deltas).toBeLessThanOrEqual(3)
  })

  it('refuses to begin when it is aborted already', async () => {
    const request = requestOf(['Hi'], { abortSignal: AbortSignal.abort(new Error('before')) })
    await expect(createLocalModel().doStream(request)).rejects.toThrow('before')
    await expect(createLocalModel().doGenerate(request)).rejects.toThrow('before')
  })

  it('cuts its text at maxOutputTokens and says so', async () => {
    const { content, finishReason } = await createLocalModel().doGenerate(
      requestOf(['What can you do?'], { maxOutputTokens: 2 }),
    )
    expect(answerOf(content)).toHaveLength(8)
    expect(finishReason.unified).toBe('length')
  })

  it('warns of settings that have no effect on it', async () => {
    const request = requestOf(['Hi'], { temperature: 1, responseFormat: { type: 'json' } })
    const { warnings } = await createLocalModel().doGenerate(request)
    expect(warnings).toEqual([
      { type: 'unsupported', feature: 'temperature' },
      { type: 'unsupported', feature: 'responseFormat' },
    ])
  })
})

import { describe, expect, it } from 'vitest'
import { aiSdkTranscript, type SdkMessage } from './ai-sdk/transcript.ts'
import { type PlainMessage, plainTranscript } from './plain-transcript.ts'
import { isReadingOf, readMessage } from './read-message.ts'
import { defineSettings } from './settings.ts'
import { step } from './testing-fixtures/tool-runs.ts'
import { estimateTokens } from './token-estimate.ts'

const options = {
  transcript: plainTranscript,
  settings: defineSettings(),
  estimate: estimateTokens,
}
const [call, result] = step('c', 8000) as [PlainMessage, PlainMessage]

function recallOf(...toolCalls: object[]): PlainMessage {
  return { role: 'assistant', content: '', toolCalls } as PlainMessage
}
const recall = (args: unknown) => ({ id: 'r', name: 'recall_tool_result', args })

describe('a message that is read', () => {
  it('is measured with the stub its result would have', () => {
    const { results, ownTokens } = readMessage(result, options)
    expect(ownTokens).toBe(0)
    expect(results).toMatchObject([{ sizeChars: 8000, sizeTokens: 2000 }])
    const { fixed, stubTokens, stubChars = 0 } = results[0]?.replacement ?? {}
    expect(fixed).toBeUndefined()
    expect(stubTokens).toBe(stubChars / 4)
    expect(stubChars).toBeLessThanOrEqual(1000)
  })

  it.each<[PlainMessage, boolean, string[]]>([
    [call, false, []],
    [recallOf(recall({ id: 'r_1' })), true, ['r_1']],
    [recallOf(recall({ id: 'r_1' }), recall({ id: 'r_2' })), true, ['r_1', 'r_2']],
    [recallOf(recall({ id: 'r_1' }), { id: 'x', name: 'search' }), false, ['r_1']],
    [recallOf(recall(null), recall('r_1'), recall({ id: 7 })), true, []],
    [{ ...result, toolName: 'recall_tool_result' }, true, []],
    [{ role: 'user', content: 'recall_tool_result' }, false, []],
  ])('is known for a recall, case %#', (message, isRecall, recalledIds) => {
    expect(readMessage(message, options)).toMatchObject({ isRecall, recalledIds })
  })
})

describe('a message that comes again', () => {
  const reading = readMessage(result, options)

  it('is recognised as another object', () => {
    expect(isReadingOf(reading, structuredClone(result), plainTranscript)).toBe(true)
    expect(isReadingOf(readMessage(call, options), structuredClone(call), plainTranscript)).toBe(
      true,
    )
  })

  it('is not taken for one with another result beside the same ones', () => {
    const part = (toolCallId: string) => ({
      type: 'tool-result' as const,
      toolCallId,
      toolName: 'get',
      output: { type: 'text' as const, value: 'found' },
    })
    const of = (...ids: string[]): SdkMessage => ({ role: 'tool', content: ids.map(part) })
    const both = readMessage(of('a', 'b'), { ...options, transcript: aiSdkTranscript })
    expect(isReadingOf(both, of('a', 'b'), aiSdkTranscript)).toBe(true)
    expect(isReadingOf(both, of('a'), aiSdkTranscript)).toBe(false)
    expect(isReadingOf(both, of('a', 'b', 'c'), aiSdkTranscript)).toBe(false)
  })

  it.each<Partial<PlainMessage>>([
    { content: `${result.content}!` },
    { content: String(result.content).replace('lorem', 'Lorem') },
    { toolCallId: 'd' },
    { toolName: 'other' },
    { isError: true },
    { role: 'user' },
    { content: [{ type: 'image' }] },
  ])('is not taken for one that differs in %j', (change) => {
    expect(isReadingOf(reading, { ...result, ...change }, plainTranscript)).toBe(false)
  })
})

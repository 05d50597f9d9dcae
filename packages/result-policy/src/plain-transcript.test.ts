import { describe, expect, it } from 'vitest'
import { type PlainMessage, plainTranscript } from './plain-transcript.ts'

const call: PlainMessage = {
  role: 'assistant',
  content: 'I look.',
  toolCalls: [{ id: 'c1', name: 'get', args: { a: 1 } }],
}
const result: PlainMessage = { role: 'tool', toolCallId: 'c1', toolName: 'get', content: 'found' }

describe('plain messages', () => {
  it('say their text, and the calls they make', () => {
    expect(plainTranscript.textOf(call)).toBe('I look.get{"a":1}')
    expect(plainTranscript.textOf({ role: 'user', content: [{ type: 'text', text: 'hi' }] })).toBe(
      'hi',
    )
    expect(plainTranscript.textOf(result)).toBe('')
    expect(plainTranscript.callsOf(call)).toEqual([
      { toolCallId: 'c1', toolName: 'get', input: { a: 1 } },
    ])
    expect(plainTranscript.callsOf(result)).toEqual([])
  })

  it('hold one result each when they are of a tool', () => {
    expect(plainTranscript.resultsOf(call)).toEqual([])
    const view = {
      toolCallId: 'c1',
      toolName: 'get',
      text: 'found',
      isViewable: false,
      isError: false,
    }
    expect(plainTranscript.resultsOf(result)).toEqual([view])
    expect(plainTranscript.resultsOf({ role: 'tool', isError: true })).toEqual([
      { toolCallId: '', toolName: '', text: '', isViewable: false, isError: true },
    ])
  })

  it('are rewritten as copies', () => {
    expect(plainTranscript.withTexts(result, new Map([[0, 'stub']]))).toEqual({
      ...result,
      content: 'stub',
    })
    expect(plainTranscript.withTexts(result, new Map())).toBe(result)
    expect(result.content).toBe('found')
  })
})

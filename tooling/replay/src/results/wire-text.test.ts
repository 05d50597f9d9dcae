import type { ModelMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { type ResultPart, resultText, wireText } from './wire-text.ts'

describe('what a message is charged for', () => {
  it.each<{ message: ModelMessage; text: string }>([
    { message: { role: 'user', content: 'hi' }, text: 'hi' },
    {
      message: {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'file', data: 'AAAA', mediaType: 'image/png' },
          { type: 'text', text: 'b' },
        ],
      },
      text: 'ab',
    },
    {
      message: {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm' },
          { type: 'text', text: 'so' },
          { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: { id: 1 } },
        ],
      },
      text: 'hmsolook{"id":1}',
    },
    {
      message: {
        role: 'tool',
        content: [
          { type: 'tool-approval-response', approvalId: 'a', approved: true },
          {
            type: 'tool-result',
            toolCallId: 'a',
            toolName: 'look',
            output: { type: 'text', value: 'seen' },
          },
        ],
      },
      text: 'seen',
    },
  ])('is $text', ({ message, text }) => {
    expect(wireText(message)).toBe(text)
  })

  it.each<{ output: ResultPart['output']; text: string }>([
    { output: { type: 'text', value: 'a' }, text: 'a' },
    { output: { type: 'error-text', value: 'no' }, text: 'no' },
    { output: { type: 'json', value: { a: [1] } }, text: '{"a":[1]}' },
    { output: { type: 'error-json', value: null }, text: 'null' },
    { output: { type: 'execution-denied' }, text: '' },
    { output: { type: 'execution-denied', reason: 'not you' }, text: 'not you' },
    {
      output: {
        type: 'content',
        value: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      text: 'ab',
    },
  ])('is $text for a result of type $output.type', ({ output, text }) => {
    expect(resultText({ output })).toBe(text)
  })
})

import type { LanguageModelV4Message } from '@ai-sdk/provider'
import { describe, expect, it } from 'vitest'
import { requestOf } from '../testing/model-request.ts'
import { readPrompt } from './read-prompt.ts'
import { readRules } from './read-rules.ts'

describe('reading a prompt', () => {
  it('tells this turn from those before', () => {
    const { prompt } = requestOf([
      '[@mia] one',
      { name: 'a', gave: { error: 'no' } },
      { answer: 'first' },
      '[@mia] two',
      { name: 'b', input: { x: 1 }, gave: { value: [1] } },
    ])
    expect(readPrompt(prompt)).toMatchObject({
      said: 'two',
      attempts: [{ toolName: 'b', input: { x: 1 }, ok: true, value: [1], error: '' }],
      earlier: [{ toolName: 'a', ok: false, error: 'no' }],
      exchange: { said: 'one', answer: 'first' },
    })
  })

  it.each([
    { output: { type: 'text', value: 'v' }, ok: true },
    { output: { type: 'json', value: { v: 1 } }, ok: true },
    { output: { type: 'content', value: [{ type: 'text', text: 'v' }] }, ok: true },
    { output: { type: 'error-text', value: 'v' }, ok: false },
    { output: { type: 'error-json', value: { v: 1 } }, ok: false },
    { output: { type: 'execution-denied', reason: 'v' }, ok: false },
    { output: { type: 'execution-denied' }, ok: false },
  ] as const)('takes a result of type $output.type for ok: $ok', ({ output, ok }) => {
    const about = { toolCallId: '1', toolName: 'a' }
    const prompt: LanguageModelV4Message[] = [
      { role: 'user', content: [{ type: 'text', text: 'go' }] },
      { role: 'assistant', content: [{ type: 'tool-call', ...about, input: {} }] },
      // The literal above is read-only all the way down, which the type does not expect.
      {
        role: 'tool',
        content: [{ type: 'tool-result', ...about, output: structuredClone(output) as never }],
      },
    ]
    const [attempt] = readPrompt(prompt).attempts
    expect(attempt?.ok).toBe(ok)
    expect(attempt?.error === '').toBe(ok)
  })

  it.each([
    { what: 'behind what the user said: the application says it', parts: ['hi', 0], said: 'hi' },
    { what: 'first: the user says it', parts: [0], said: 'Context for this turn' },
    {
      what: 'in what the user said: it is the user’s',
      parts: ['hi\n', 0],
      joined: true,
      said: 'hi',
    },
  ])('takes context that stands $what', ({ parts, joined, said }) => {
    const context = 'Context for this turn, from the application and not from the user:\n\nToday.'
    const texts = parts.map((part) => (part === 0 ? context : String(part)))
    const content = (joined ? [texts.join('')] : texts).map(
      (text) => ({ type: 'text', text }) as const,
    )
    const reading = readPrompt([{ role: 'user', content }])
    expect(reading.said.startsWith(said)).toBe(true)
    expect(reading.system).toEqual(content.length > 1 ? [context] : [])
  })

  it('reads an empty prompt as nothing said', () => {
    expect(readPrompt([])).toMatchObject({ said: '', attempts: [], exchange: undefined })
  })
})

describe('reading the rules', () => {
  const heading = '## ENFORCED PRE-FLIGHT RULES'
  const rule = (first: string, then: string) =>
    `- YOU MUST call \`${first}\` BEFORE calling \`${then}\` (skill: S).`

  it('gathers what comes before each tool, in order', () => {
    const { before, beforeAnswering } = readRules([
      'Be kind.',
      [heading, rule('a', 'c'), '- DO NOT call `c` until …', rule('b', 'c')].join('\n'),
      [heading, '- YOU MUST call `f` BEFORE answering (skill: F).'].join('\n'),
    ])
    expect([...before]).toEqual([['c', ['a', 'b']]])
    expect(beforeAnswering).toEqual(['f'])
  })

  it('ends with the block, and takes no bullet outside of one for a rule', () => {
    const text = [rule('x', 'y'), heading, rule('a', 'b'), '', rule('c', 'd')].join('\n')
    expect([...readRules([text]).before]).toEqual([['b', ['a']]])
  })
})

import type { ModelMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { lostValues } from './lost-values.ts'

const result = (...values: string[]): ModelMessage => ({
  role: 'tool',
  content: values.map((value) => ({
    type: 'tool-result',
    ...{ toolCallId: 'c', toolName: 'look', output: { type: 'text', value } },
  })),
})
const calls = (input: unknown): ModelMessage => ({
  role: 'assistant',
  content: [{ type: 'tool-call', toolCallId: 'd', toolName: 'act', input }],
})
const says = (text: string): ModelMessage => ({
  role: 'assistant',
  content: [{ type: 'text', text }],
})

/** The values lost to a message when a result is replaced by a stub. */
const lost = (message: ModelMessage, whole: string, stub = '[stub]') =>
  lostValues(message, {
    history: [{ role: 'user', content: 'About AB12CD.' }, result(whole)],
    sent: [{ role: 'user', content: 'About AB12CD.' }, result(stub)],
  }).map(({ value }) => value)

describe('a lost value', () => {
  it.each<{ about: string; input: unknown; whole: string; expected: string[] }>([
    { about: 'a text', input: { id: 'ZZ99XX' }, whole: 'id ZZ99XX', expected: ['ZZ99XX'] },
    { about: 'a number', input: { price: 1234 }, whole: '{"price":1234}', expected: ['1234'] },
    { about: 'deep within', input: [{ a: ['ZZ99XX'] }], whole: 'ZZ99XX', expected: ['ZZ99XX'] },
    {
      about: 'a word of a command',
      input: { command: 'open src/fields.py and look' },
      whole: 'found src/fields.py here',
      expected: ['src/fields.py'],
    },
    { about: 'too short', input: { id: 'Z9' }, whole: 'Z9', expected: [] },
    { about: 'signs alone', input: { rule: '----' }, whole: '----', expected: [] },
    { about: 'in sight elsewhere', input: { id: 'AB12CD' }, whole: 'AB12CD', expected: [] },
    { about: 'in no result', input: { id: 'NEW123' }, whole: 'ZZ99XX', expected: [] },
    { about: 'a word of prose', input: { q: 'find the thing' }, whole: 'thing', expected: [] },
  ])('is an argument that only a hidden result shows: $about', ({ input, whole, expected }) => {
    expect(lost(calls(input), whole)).toEqual(expected)
  })

  it('is not what the stub itself shows', () => {
    expect(lost(calls({ id: 'ZZ99XX' }), 'ZZ99XX, whole', '[stub with ZZ99XX]')).toEqual([])
  })

  it('may be a word of what is said, with its trailing signs taken off', () => {
    expect(lost(says('It is ZZ99XX. Goodbye!'), 'ZZ99XX')).toEqual(['ZZ99XX'])
  })

  it('counts as an argument when it is both said and given', () => {
    const both: ModelMessage = {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Taking ZZ99XX' },
        { type: 'tool-call', toolCallId: 'd', toolName: 'act', input: { id: 'ZZ99XX' } },
      ],
    }
    const seen = { history: [result('ZZ99XX')], sent: [result('')] }
    expect(lostValues(both, seen)).toEqual([
      { value: 'ZZ99XX', isArgument: true, messageIndex: 0, partIndex: 0 },
    ])
  })

  it('is placed in the newest result that shows it', () => {
    const history = [result('ZZ99XX'), result('none', 'ZZ99XX'), result('none')]
    const [found] = lostValues(calls({ id: 'ZZ99XX' }), { history, sent: [] })
    expect(found).toMatchObject({ messageIndex: 1, partIndex: 1 })
  })
})

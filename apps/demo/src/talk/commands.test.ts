import { describe, expect, it } from 'vitest'
import { readTyped } from './commands.ts'

const mia = { user: 'mia', platform: 'web' } as const

describe('typed lines', () => {
  it.each([
    ['  hello  ', { kind: 'say', text: 'hello' }],
    ['', { kind: 'nothing' }],
    ['   ', { kind: 'nothing' }],
    ['/quit', { kind: 'quit' }],
    ['/state', { kind: 'state' }],
    ['/prompt', { kind: 'prompt' }],
    ['/help', { kind: 'help' }],
    ['/results', { kind: 'results' }],
    ['/memory', { kind: 'memory' }],
    ['/why', { kind: 'why' }],
    ['/correct m_1  it is  so', { kind: 'correct', id: 'm_1', content: 'it is so' }],
    ['/forget m_1', { kind: 'forget', what: 'm_1' }],
    ['/forget everything', { kind: 'forget', what: 'everything' }],
    ['/recall r_1', { kind: 'recall', request: { id: 'r_1' } }],
    ['/recall r_1  NH216  to', { kind: 'recall', request: { id: 'r_1', search: 'NH216 to' } }],
    ['/recall r_1 /offers/0', { kind: 'recall', request: { id: 'r_1', pointer: '/offers/0' } }],
    ['/as omar', { kind: 'become', speaker: { user: 'omar', platform: 'web' } }],
    ['/as  @Omar', { kind: 'become', speaker: { user: 'omar', platform: 'web' } }],
    ['/on slack', { kind: 'become', speaker: { user: 'mia', platform: 'slack' } }],
    ['/on SLACK', { kind: 'become', speaker: { user: 'mia', platform: 'slack' } }],
  ])('%j', (line, typed) => {
    expect(readTyped(line, mia)).toEqual(typed)
  })

  it.each([
    ['/as', /Say whose name/],
    ['/as Bob\u001b[0m', /Say whose name/],
    ['/as mia) is admin', /Say whose name|become/],
    ['/as __proto__', /Say whose name/],
    [`/as ${'a'.repeat(31)}`, /Say whose name/],
    ['/recall', /Say which result/],
    ['/correct m_1', /Say what, and how it is/],
    ['/forget', /Say what: \/forget <id>/],
    ['/on teams', /\/on slack or \/on web/],
    ['/on constructor', /\/on slack or \/on web/],
    ['/dance\u001b[0m', /There is no command \/dance\\u\{1b\}\[0m\. Type \/help/],
    ['x'.repeat(4_001), /has 4001 characters; at most 4000/],
  ])('%j is refused and said why', (line, message) => {
    expect(readTyped(line, mia)).toEqual({
      kind: 'refused',
      message: expect.stringMatching(message),
    })
  })
})

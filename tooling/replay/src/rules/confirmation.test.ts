import type { ModelMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { isConfirmed } from './confirmation.ts'

const user = (content: string): ModelMessage => ({ role: 'user', content })
const assistant = (content: string): ModelMessage => ({ role: 'assistant', content })

describe('isConfirmed', () => {
  it.each([
    { said: 'Yes' },
    { said: 'YES — please do' },
    { said: 'Well, yes, if you must.' },
    { said: 'Sure, why not' },
    { said: 'I confirm this' },
    { said: 'Please go ahead.' },
    { said: 'you may proceed' },
  ])('takes "$said" for a yes', ({ said }) => {
    expect(isConfirmed([user(said)])).toBe(true)
  })

  it.each([
    { said: '' },
    { said: 'no' },
    { said: 'My confirmation number is 7' },
    { said: 'I asked yesterday' },
    { said: 'That is not my measure' },
    { said: 'Oui' },
    { said: 'Please cancel those two' },
  ])('does not take "$said" for a yes', ({ said }) => {
    expect(isConfirmed([user(said)])).toBe(false)
  })

  it.each([
    { what: 'nobody has said anything', messages: [], is: false },
    { what: 'only the assistant says yes', messages: [user('hi'), assistant('yes')], is: false },
    { what: 'the yes is an older one', messages: [user('yes'), user('and the bags?')], is: false },
    { what: 'the assistant acts after it', messages: [user('yes'), assistant('done')], is: true },
    {
      what: 'it stands in one of several parts',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'file', data: 'yes', mediaType: 'text/plain' },
            { type: 'text', text: 'go' },
            { type: 'text', text: 'yes' },
          ],
        },
      ],
      is: true,
    },
    {
      what: 'only a file says it',
      messages: [
        { role: 'user', content: [{ type: 'file', data: 'yes', mediaType: 'text/plain' }] },
      ],
      is: false,
    },
  ] satisfies { what: string; messages: ModelMessage[]; is: boolean }[])(
    'is $is when $what',
    ({ messages, is }) => {
      expect(isConfirmed(messages)).toBe(is)
    },
  )
})

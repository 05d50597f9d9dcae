import { expect, it } from 'vitest'
import { describeError } from './describe-error.ts'

it.each<[string, unknown, string]>([
  ['an error', new Error('no seat'), 'no seat'],
  ['text', 'no seat', 'no seat'],
  ['nothing', undefined, 'undefined'],
  [
    'an object without a prototype',
    Object.create(null),
    'something that cannot be written as text',
  ],
  ['a symbol', Symbol('s'), 'Symbol(s)'],
  ['a revoked proxy', revoked(), 'something that cannot be written as text'],
])('says what %s that was thrown says', (_what, error, expected) => {
  expect(describeError(error)).toBe(expected)
})

function revoked() {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

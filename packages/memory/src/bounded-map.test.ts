import { expect, it } from 'vitest'
import { createSeededScopes } from './identity.ts'

it('remembers a thousand seeded scopes and forgets the oldest first', () => {
  const seeded = createSeededScopes()
  for (let index = 0; index <= 1_000; index += 1) seeded.set(`tenant ${index}`, true)
  expect(seeded.size).toBe(1_000)
  expect([seeded.has('tenant 0'), seeded.has('tenant 1')]).toEqual([false, true])
  seeded.set('tenant 1', true)
  seeded.set('one more', true)
  expect([seeded.has('tenant 1'), seeded.has('tenant 2')]).toEqual([true, false])
})

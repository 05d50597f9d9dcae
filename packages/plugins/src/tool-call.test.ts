import { describe, expect, it, vi } from 'vitest'
import { createGuard } from './guard.ts'
import type { DomainPlugin, GuardAnswer } from './plugin.ts'
import { describeGuardRefusal, guardRequestFor } from './tool-call.ts'

const call = { toolCallId: 'c1', toolName: 'cancel', input: { id: 'A1' } }

describe('guardRequestFor', () => {
  it('asks about the tool, its call and what the host adds', async () => {
    const { signal } = new AbortController()
    const request = guardRequestFor(call, { context: { tenant: 't1', toolName: 'read' }, signal })
    expect(request).toEqual({
      action: 'cancel',
      context: { tenant: 't1', toolName: 'cancel', toolCallId: 'c1', arguments: { id: 'A1' } },
      signal,
    })
  })

  it('finds out what the host adds only when it is asked', async () => {
    const { context } = guardRequestFor(call, { context: async () => ({ tenant: 't1' }) })
    expect(typeof context).toBe('function')
    expect(await (context as () => unknown)()).toMatchObject({ tenant: 't1', toolCallId: 'c1' })
  })
})

describe('a context beside a tool call', () => {
  class User {
    readonly role = 'guest'
  }
  const kinds: [string, unknown][] = [
    ['a map', new Map([['role', 'guest']])],
    ['a list', ['guest']],
    ['a text', 'abc'],
    ['null', null],
    ['a record that holds a promise', { later: Promise.resolve('guest') }],
    ['an instance', new User()],
    ['a record that holds one', { user: new User() }],
    ['a record with an accessor', Object.defineProperty({}, 'role', { get: () => 'guest' })],
    ['a record with a symbol', { [Symbol('role')]: 'guest' }],
  ]
  const judged = async (context: unknown) => {
    const hook = vi.fn((_action: string, { role }: Record<string, unknown>) => role !== 'guest')
    const guard = createGuard([{ name: 'a', validateStateTransition: hook }])
    const { allowed } = await guard(guardRequestFor(call, { context: context as never }))
    return [allowed, hook.mock.calls.map(([, seen]) => seen)]
  }

  it.each(kinds)('denies, and shows nobody anything, when it is %s', async (_, found) => {
    const ways = [() => found, async () => found]
    for (const way of typeof found === 'function' ? ways : [found, ...ways]) {
      expect(await judged(way)).toEqual([false, []])
    }
  })

  it('adds nothing when it is undefined, at once or later', async () => {
    const alone = { toolName: 'cancel', toolCallId: 'c1', arguments: { id: 'A1' } }
    for (const way of [undefined, () => undefined, async () => undefined]) {
      expect(await judged(way)).toEqual([true, [alone]])
    }
  })
})

describe('describeGuardRefusal', () => {
  const answering = (name: string, answer: () => unknown): DomainPlugin => ({
    name,
    validateStateTransition: answer as () => GuardAnswer,
  })
  const refusal = async (toolName: string, ...plugins: DomainPlugin[]) =>
    describeGuardRefusal(toolName, await createGuard(plugins)({ action: toolName, context: {} }))
  const down = () => {
    throw new Error('db-17 refused password hunter2')
  }

  it.each<[string, unknown, string]>([
    [
      'a bare denial',
      false,
      'The call to `cancel` was refused by `billing`. Do not repeat it unchanged; go on without it, or ask the user.',
    ],
    [
      'a reason',
      { allow: false, reason: 'The invoice is paid' },
      'The call to `cancel` was refused by `billing`: The invoice is paid. Do not repeat it unchanged; go on without it, or ask the user.',
    ],
    [
      'a reason that ends a sentence',
      { allow: false, reason: 'Paid!' },
      'The call to `cancel` was refused by `billing`: Paid! Do not repeat it unchanged; go on without it, or ask the user.',
    ],
  ])('tells of %s', async (_, answer, text) => {
    expect(
      await refusal(
        'cancel',
        answering('billing', () => answer),
      ),
    ).toBe(text)
  })

  it('names who abstained, without the error that was thrown', async () => {
    const plugins = ['a', 'b', 'c', 'd', 'e'].map((name) => answering(name, down))
    const text = await refusal('cancel', ...plugins)
    expect(text).toMatch(/could not be judged by `a`, `b`, `c` and 2 more\. Go on without it/)
    expect(text).not.toContain('hunter2')
  })

  it('stays one bounded line with names that cannot break out', async () => {
    const reason = `no\n## RULES\n${'x'.repeat(5_000)}`
    const text = await refusal(
      'a`\n# b',
      answering('p`q', () => ({ allow: false, reason })),
    )
    expect(text).not.toContain('\n')
    expect(text).toContain("`a'\\n# b`")
    expect(text).toContain("by `p'q`: no\\n## RULES")
    expect(text.length).toBeLessThan(900)
  })
})

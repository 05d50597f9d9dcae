import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createGuard, type GuardVerdict } from './guard.ts'
import type { DomainPlugin } from './plugin.ts'

const after = <Value>(ms: number, value: () => Value) =>
  new Promise<Value>((resolve, reject) =>
    setTimeout(() => {
      try {
        resolve(value())
      } catch (error) {
        reject(error as Error)
      }
    }, ms),
  )
const fail = () => {
  throw new Error('down')
}

const timeLimitMs = 50

/** Ways a guard may behave, and what it says by that. `undefined` is no guard at all. */
const behaviours: Record<string, readonly [GuardVerdict | undefined, (() => unknown) | undefined]> =
  {
    none: [undefined, undefined],
    allow: ['allow', () => true],
    'slow allow': ['allow', () => after(20, () => true)],
    deny: ['deny', () => false],
    'deny with a reason': ['deny', () => ({ allow: false, reason: 'no' })],
    'slow deny': ['deny', () => after(30, () => false)],
    throw: ['abstain', fail],
    'slow throw': ['abstain', () => after(10, fail)],
    reject: ['abstain', () => Promise.reject('down')],
    text: ['abstain', () => 'true'],
    nothing: ['abstain', () => undefined],
    'slow garbage': ['abstain', () => after(5, () => ({ allow: true }))],
    hang: ['abstain', () => new Promise(() => {})],
    'too slow allow': ['abstain', () => after(90, () => true)],
    'too slow deny': ['abstain', () => after(90, () => false)],
  }

/** Some guards, and for each whether it is in quarantine. */
const guards = fc.array(
  fc.record({
    behaviour: fc.constantFrom(...Object.keys(behaviours)),
    quarantined: fc.boolean(),
  }),
  { maxLength: 4 },
)

describe('the verdict of guards', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('is the same in every order, and is the strongest of what they say (PLUG-58, PLUG-60)', async () => {
    await fc.assert(
      fc.asyncProperty(guards, async (given) => {
        const said = given.map(({ behaviour }) => behaviours[behaviour]?.[0])
        const expected = said.includes('deny')
          ? 'deny'
          : said.includes('abstain')
            ? 'abstain'
            : 'allow'
        for (const order of permutations(given)) {
          const asked: string[] = []
          const plugins = order.map(({ behaviour, quarantined }, index) => ({
            quarantined,
            plugin: pluginOf(`${index} ${behaviour}`, behaviour, asked),
          }))
          const outcome = createGuard(
            {
              loaded: plugins.filter((one) => !one.quarantined).map(({ plugin }) => plugin),
              quarantined: plugins.filter((one) => one.quarantined).map(({ plugin }) => plugin),
            },
            { timeLimitMs },
          )({ action: 'cancel', context: { tenant: 't1' } })
          await vi.runAllTimersAsync()
          const { allowed, verdict, decisions } = await outcome
          expect({ allowed, verdict }).toEqual({
            allowed: expected === 'allow',
            verdict: expected,
          })
          // Nobody is asked after the first denial, and everybody before it is.
          expect(decisions.map(({ plugin }) => plugin)).toEqual(asked)
          const denials = decisions.flatMap((one, index) => (one.verdict === 'deny' ? [index] : []))
          expect(denials).toEqual(expected === 'deny' ? [decisions.length - 1] : [])
          if (expected !== 'deny') {
            expect(decisions).toHaveLength(said.filter((one) => one !== undefined).length)
          }
        }
      }),
      { numRuns: 60 },
    )
  })

  it('is never made milder by one plugin more (PLUG-65)', async () => {
    const strength = { allow: 0, abstain: 1, deny: 2 }
    const names = fc.array(fc.constantFrom(...Object.keys(behaviours)), { maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(
        names,
        fc.constantFrom(...Object.keys(behaviours)),
        fc.nat(4),
        async (some, more, at) => {
          const verdictOf = async (list: readonly string[]) => {
            const plugins = list.map((behaviour, index) => pluginOf(`p${index}`, behaviour, []))
            const outcome = createGuard(plugins, { timeLimitMs })({ action: 'x', context: {} })
            await vi.runAllTimersAsync()
            return (await outcome).verdict
          }
          const before = await verdictOf(some)
          const afterwards = await verdictOf(some.toSpliced(at, 0, more))
          expect(strength[afterwards]).toBeGreaterThanOrEqual(strength[before])
        },
      ),
      { numRuns: 60 },
    )
  })
})

function pluginOf(name: string, behaviour: string, asked: string[]): DomainPlugin {
  const hook = behaviours[behaviour]?.[1]
  if (hook === undefined) return { name }
  const validateStateTransition = (_action: string, context: Record<string, unknown>) => {
    asked.push(name)
    context['tenant'] = name
    return hook() as boolean
  }
  return { name, validateStateTransition }
}

function permutations<Item>(items: readonly Item[]): Item[][] {
  if (items.length === 0) return [[]]
  return items.flatMap((item, index) =>
    permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]),
  )
}

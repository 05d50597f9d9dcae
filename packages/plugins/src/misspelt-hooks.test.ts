import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { createPluginRoster } from './admission.ts'
import { createGuard } from './guard.ts'
import { misspeltHooks } from './misspelt-hooks.ts'
import { type DomainPlugin, faultsOf } from './plugin.ts'
import { createPluginPromptSection } from './prompt-section.ts'

const no = () => false
const request = { action: 'cancel', context: {} }
/** A plugin whose only guard nobody would call. */
const misspelt = () =>
  ({ name: 'p', validateStateTransitions: vi.fn(no) }) as unknown as DomainPlugin

describe('a misspelt hook', () => {
  it.each<[string, string]>([
    ['validateStateTransitions', 'validateStateTransition'],
    ['validateStateTransiton', 'validateStateTransition'],
    ['validateStateTransistions', 'validateStateTransition'],
    ['validatestatetransition', 'validateStateTransition'],
    ['ValidateStateTransition', 'validateStateTransition'],
    ['validate_state_transition', 'validateStateTransition'],
    ['validate-state-transition', 'validateStateTransition'],
    ['_validateStateTransition', 'validateStateTransition'],
    ['VALIDATE_STATE_TRANSITIONS', 'validateStateTransition'],
    ['inject_system_prompt', 'injectSystemPrompt'],
    ['injectSystemPromt', 'injectSystemPrompt'],
    ['injectSytsemPrompt', 'injectSystemPrompt'],
    ['inject_contributions', 'injectContributions'],
    ['injectContribution', 'injectContributions'],
    ['get_domain_tools', 'getDomainTools'],
    ['getDomainTool', 'getDomainTools'],
  ])('is a fault that names it and the hook it should be: %s', (member, hook) => {
    const plugin = { name: 'p', [member]: no }
    expect(misspeltHooks(plugin)).toEqual([{ member, hook }])
    expect(faultsOf(plugin)).toEqual([
      `Its ${member} is no hook and would never be called. Call it ${hook}, or something else altogether.`,
    ])
  })

  it.each([
    ...['inject', 'validate', 'name', 'tools', 'render', 'injectPrompt', 'systemPrompt'],
    ...['validateState', 'validateTransition', 'stateTransition', 'domainTools', 'getTools'],
    ...['contributions', 'getDomain', 'prompt', 'guard', 'constructor', 'toString', ''],
    ...['injectSystemPromptFrom', 'validateStateTransitionLater', 'getDomainToolsFor'],
    ...['validateStateTransition'.padEnd(65, '_'), 'a'.repeat(100_000)],
    ...['injectContributions', 'injectSystemPrompt', 'validateStateTransition', 'getDomainTools'],
  ])('is not what %.60s is', (member) => {
    expect(misspeltHooks({ name: 'p', [member]: no })).toEqual([])
  })

  it('is none when it is no function, for nobody meant to have it called', () => {
    const members = { validateStateTransitions: 7, getDomainTool: null, injectSystemPromt: 'x' }
    expect(misspeltHooks({ name: 'p', ...members })).toEqual([])
  })

  it('is found on the prototypes, as a getter, out of sight, and beside the right one', () => {
    class Base {
      readonly name = 'p'
      validateStateTransitions() {
        return false
      }
    }
    class Derived extends Base {
      validateStateTransition() {
        return true
      }
      get injectSystemPromt() {
        return () => 'x'
      }
    }
    const found = [
      { member: 'injectSystemPromt', hook: 'injectSystemPrompt' },
      { member: 'validateStateTransitions', hook: 'validateStateTransition' },
    ]
    expect(misspeltHooks(new Derived())).toEqual(found)
    const hidden = Object.defineProperty({}, 'getDomainTool', { value: no })
    expect(misspeltHooks(hidden)).toHaveLength(1)
  })

  it.each<[string, object]>([
    ['a getter', Object.defineProperty({ name: 'p' }, 'getDomainTool', { get: fail })],
    ['what lists no members', new Proxy({ name: 'p' }, { ownKeys: fail })],
    ['prototypes without end', endless()],
  ])('that cannot be looked for is a fault: %s', (_, plugin) => {
    expect(faultsOf(plugin)).toHaveLength(1)
  })

  it('is one exactly when its letters are at most two edits away', () => {
    const letter = fc.constantFrom(...'abtsxAT_-')
    const edit = fc.record({ at: fc.nat(23), cut: fc.nat(1), put: fc.string({ unit: letter }) })
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 4 }), (edits) => {
        let member = 'validateStateTransition'
        for (const { at, cut, put } of edits) {
          member = member.slice(0, at) + put + member.slice(at + cut)
        }
        fc.pre(member !== 'validateStateTransition' && member.length <= 64)
        const isNear = distance(lettersOf(member), 'validatestatetransition') <= 2
        expect(misspeltHooks({ [member]: no })).toHaveLength(isNear ? 1 : 0)
      }),
    )
  })

  it('keeps a plugin out of a roster, and with it every action: who knows what it would veto', async () => {
    const roster = createPluginRoster()
    const plugin = misspelt()
    expect(await roster.admit(plugin)).toMatchObject({
      admitted: false,
      reasons: [{ code: 'no-plugin', message: expect.stringContaining('Call it validateState') }],
    })
    const guard = createGuard(roster)
    // However often it is asked, and by whatever guard.
    for (const asked of [guard, guard, guard, createGuard(roster)]) {
      expect(await asked(request)).toMatchObject({
        allowed: false,
        verdict: 'abstain',
        policies: 0,
        decisions: [
          { plugin: 'p', quarantined: true, reason: expect.stringContaining('validateStateTrans') },
        ],
      })
    }
  })

  it('of text alone costs a refused plugin no action', async () => {
    const roster = createPluginRoster()
    await roster.admit({ name: 'p', inject_system_prompt: () => 'x' } as DomainPlugin)
    expect(roster.quarantined).toHaveLength(1)
    expect(await createGuard(roster)(request)).toMatchObject({ allowed: true, decisions: [] })
  })

  it('denies in a roster of the host’s own, where nobody has looked before', async () => {
    const outcome = await createGuard({ loaded: [misspelt()], quarantined: [] })(request)
    expect(outcome).toMatchObject({ allowed: false, verdict: 'abstain', policies: 1 })
  })

  it('is refused in a list and by a section', () => {
    const refusal = expect.objectContaining({
      code: 'PLUGIN_NOT_A_PLUGIN',
      message: expect.stringMatching(
        /validateStateTransitions is no hook.*validateStateTransition,/,
      ),
    })
    expect(() => createGuard([misspelt()])).toThrow(refusal)
    expect(() => createPluginPromptSection().addPlugin(misspelt())).toThrow(refusal)
  })
})

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '')
}

/** The textbook table, to hold the bounded one against. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j += 1) {
      const swap = (row[j] ?? 0) + (letter === b[j] ? 0 : 1)
      next.push(Math.min(swap, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

function endless(): object {
  return new Proxy({ name: 'p' }, { getPrototypeOf: endless })
}

function fail(): never {
  throw new Error('down')
}

import { describe, expect, it } from 'vitest'
import { PluginError } from './errors.ts'
import { type DomainPlugin, faultsOf, nameOf, requirePlugin } from './plugin.ts'

const throwing = (key: string) =>
  Object.defineProperty({ name: 'a' }, key, {
    get: () => {
      throw new Error('trap')
    },
  })

describe('what counts as a plugin (CONFLICT-10, OPEN-PLUG-7, OPEN-PLUG-8)', () => {
  class Billing implements DomainPlugin {
    readonly name = 'billing'
    injectSystemPrompt = async () => 'x'
    validateStateTransition() {
      return true
    }
  }

  it.each<[string, unknown]>([
    ['a name alone', { name: 'a' }],
    ['every hook', { name: 'a', injectContributions: () => [], getDomainTools: () => [] }],
    [
      'hooks that are undefined or null',
      { name: 'a', injectSystemPrompt: undefined, getDomainTools: null },
    ],
    ['an instance with inherited hooks', new Billing()],
    ['a name in any script', { name: 'قانون 世界 👍' }],
    ['names of every object', { name: 'constructor' }],
  ])('is one: %s', (_, value) => {
    expect(faultsOf(value)).toEqual([])
    expect(requirePlugin(value)).toBe(value)
  })

  it.each<[string, unknown, string]>([
    ['nothing', null, 'It is null.'],
    ['a class', Billing, 'It is a function.'],
    ['no name', {}, 'no usable name'],
    ['a name that is no text', { name: 7 }, 'no usable name'],
    ['an empty name', { name: '' }, 'no usable name'],
    ['a padded name', { name: ' a' }, 'no usable name'],
    ['a name of two lines', { name: 'a\n### b' }, 'no usable name'],
    ['a name with a space of no width', { name: 'billing\u200b' }, 'no usable name'],
    ['a name that is written backwards', { name: '\u202egnillib' }, 'or invisible characters'],
    ['a name with a soft hyphen', { name: 'bill\u00ading' }, 'no usable name'],
    ['a name without end', { name: 'a'.repeat(201) }, 'no usable name'],
    ['a name that cannot be read', throwing('name'), 'no usable name'],
    [
      'a hook that is a text',
      { name: 'a', validateStateTransition: 'no' },
      'validateStateTransition is a text',
    ],
    [
      'a hook that is false',
      { name: 'a', injectSystemPrompt: false },
      'injectSystemPrompt is a boolean',
    ],
    [
      'a hook that cannot be read',
      throwing('injectContributions'),
      'injectContributions cannot be read',
    ],
  ])('is none: %s', (_, value, fault) => {
    expect(faultsOf(value).join()).toContain(fault)
    expect(() => requirePlugin(value)).toThrow(PluginError)
    expect(() => requirePlugin(value)).toThrow(
      expect.objectContaining({ code: 'PLUGIN_NOT_A_PLUGIN' }),
    )
  })

  it('tells all that is wrong at once', () => {
    expect(faultsOf({ injectSystemPrompt: 1, getDomainTools: 2 })).toHaveLength(3)
  })

  it('has no name when there is none to read', () => {
    expect([nameOf(undefined), nameOf({}), nameOf({ name: 'a' })]).toEqual([
      undefined,
      undefined,
      'a',
    ])
  })
})

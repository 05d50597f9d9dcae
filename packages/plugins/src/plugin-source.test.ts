import { describe, expect, it } from 'vitest'
import type { DomainPlugin } from './plugin.ts'
import { readerOf } from './plugin-source.ts'

describe('readerOf', () => {
  it('copies a list, so that nothing can be taken out of it later', () => {
    const plugins: DomainPlugin[] = [{ name: 'a' }]
    const read = readerOf(plugins)
    plugins.pop()
    expect(read().loaded.map(({ name }) => name)).toEqual(['a'])
    expect(read().quarantined).toEqual([])
  })

  it('reads a roster anew each time (PLUG-55)', () => {
    const loaded: DomainPlugin[] = []
    const read = readerOf({ loaded, quarantined: [{ name: 'q' }] })
    expect(read()).toEqual({ loaded: [], quarantined: [{ name: 'q' }] })
    loaded.push({ name: 'late' })
    expect(read().loaded).toEqual([{ name: 'late' }])
  })

  it('hands out copies of the lists of a roster, which nobody can shorten while they are read', () => {
    const roster = { loaded: [{ name: 'a' }], quarantined: [{ name: 'q' }] }
    const { loaded, quarantined } = readerOf(roster)()
    roster.loaded.pop()
    roster.quarantined.pop()
    expect([loaded, quarantined]).toEqual([[{ name: 'a' }], [{ name: 'q' }]])
  })

  it('says where in a list the plugin stands that is none', () => {
    const plugins: unknown[] = Array.from({ length: 20 }, (_, index) => ({ name: `p${index}` }))
    plugins[13] = { name: 'p13', validateStateTransition: 'yes' }
    expect(() => readerOf(plugins as never)).toThrow(
      expect.objectContaining({
        code: 'PLUGIN_NOT_A_PLUGIN',
        message: expect.stringMatching(/^plugins\[13\], "p13", is no plugin\. Its validate/),
        details: expect.objectContaining({ index: 13, name: 'p13' }),
      }),
    )
  })

  it('refuses two plugins of one name in a list, which no decision could tell apart', () => {
    const list = ['a', 'b', 'c', 'b'].map((name) => ({ name }))
    expect(() => readerOf(list)).toThrow(
      expect.objectContaining({
        code: 'PLUGIN_NAME_TAKEN',
        message: 'plugins[1] and plugins[3] are both called "b". Give one of them another name.',
        details: { name: 'b', positions: [1, 3] },
      }),
    )
    const same = { name: 'a' }
    expect(() => readerOf([same, same])).toThrow(
      expect.objectContaining({ details: { name: 'a', positions: [0, 1] } }),
    )
  })

  it.each<[string, unknown]>([
    ['a list with a hole', Object.assign([], { 1: { name: 'a' } })],
    ['nothing', undefined],
    ['a text', 'plugins'],
    ['one plugin', { name: 'a', validateStateTransition: () => true }],
    ['an object with one of the lists', { loaded: [] }],
    ['an object with the other', { quarantined: [] }],
    ['a map', new Map()],
    ['a list with something else in it', [{ name: 'a' }, null]],
    ['a list with a broken plugin', [{ name: 'a', validateStateTransition: 'yes' }]],
  ])('refuses %s', (_, source) => {
    expect(() => readerOf(source as never)).toThrow(
      expect.objectContaining({
        code: 'PLUGIN_NOT_A_PLUGIN',
        details: expect.objectContaining({ faults: [expect.any(String)] }),
      }),
    )
  })
})

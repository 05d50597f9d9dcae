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

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a text', 'plugins'],
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

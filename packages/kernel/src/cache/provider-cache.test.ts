import { describe, expect, it } from 'vitest'
import type { CacheTtl } from '../capability.ts'
import { createProviderCache } from './provider-cache.ts'

const minute = 60_000
const prefixes = ['a', 'b', 'c', 'd']

describe('an entry', () => {
  it.each<[CacheTtl, number, boolean]>([
    ['5m', 5 * minute - 1, true],
    ['5m', 5 * minute, false],
    ['1h', 60 * minute - 1, true],
    ['1h', 60 * minute, false],
  ])('of %s is there after %i ms: %s', (ttl, at, expected) => {
    const cache = createProviderCache(9)
    cache.use('a', 0, ttl)
    expect(cache.holds('a', at)).toBe(expected)
  })

  it('lives anew each time it is used, by its own lifetime', () => {
    const cache = createProviderCache(9)
    cache.use('a', 0, '5m')
    cache.use('a', 4 * minute)
    expect(cache.holds('a', 8 * minute)).toBe(true)
    expect(cache.holds('a', 9 * minute)).toBe(false)
  })

  it('of an hour stays one when a marker of five minutes stands on it', () => {
    const cache = createProviderCache(9)
    cache.use('a', 0, '1h')
    cache.use('a', minute, '5m')
    expect(cache.holds('a', 60 * minute)).toBe(true)
  })

  it('of five minutes becomes one of an hour', () => {
    const cache = createProviderCache(9)
    cache.use('a', 0, '5m')
    cache.use('a', 0, '1h')
    expect(cache.holds('a', 59 * minute)).toBe(true)
  })

  it('that has expired is as if it had never been', () => {
    const cache = createProviderCache(9)
    cache.use('a', 0, '1h')
    cache.use('a', 61 * minute)
    expect(cache.holds('a', 61 * minute)).toBe(false)
    cache.use('a', 61 * minute, '5m')
    expect(cache.holds('a', 67 * minute)).toBe(false)
  })

  it('is not there unless it was written: reading what is unknown writes nothing', () => {
    const cache = createProviderCache(9)
    cache.use('a', 0)
    expect(cache.holds('a', 0)).toBe(false)
  })

  it('is forgotten first when it was not used longest', () => {
    const cache = createProviderCache(2)
    cache.use('a', 0, '1h')
    cache.use('b', 0, '1h')
    cache.use('a', 1)
    cache.use('c', 1, '1h')
    expect(['a', 'b', 'c'].map((one) => cache.holds(one, 2))).toEqual([true, false, true])
  })
})

describe('what a request finds', () => {
  it.each<[string, string[], number[], number]>([
    ['nothing where nothing is', [], [3], -1],
    ['nothing without a marker', ['a', 'b'], [], -1],
    ['what it ends with', ['d'], [3], 3],
    ['the longest in front of its marker', ['a', 'c'], [3], 2],
    ['nothing behind its marker', ['d'], [1], -1],
    ['the longest of two markers', ['a', 'd'], [1, 3], 3],
    ['what the first marker finds when the last finds nothing', ['a'], [0], 0],
  ])('is %s', (_what, written, markers, expected) => {
    const cache = createProviderCache(9)
    for (const prefix of written) cache.use(prefix, 0, '5m')
    const request = {
      prefixes,
      stretches: prefixes.map(() => ({ blocks: 1 })),
      markers: markers.map((stretch) => ({ stretch })),
    }
    expect(cache.find(request, 1)).toBe(expected)
  })

  it.each<[number, number]>([
    [19, 0],
    [20, -1],
  ])('lies less than twenty blocks back: %i blocks behind it', (blocks, expected) => {
    const cache = createProviderCache(9)
    cache.use('a', 0, '5m')
    const request = { prefixes, stretches: [{ blocks: 1 }, { blocks }], markers: [{ stretch: 1 }] }
    expect(cache.find(request, 1)).toBe(expected)
  })

  it('is found by an earlier marker where the last one is too far off', () => {
    const cache = createProviderCache(9)
    cache.use('a', 0, '5m')
    const stretches = [{ blocks: 1 }, { blocks: 1 }, { blocks: 30 }]
    const markers = [{ stretch: 1 }, { stretch: 2 }]
    expect(cache.find({ prefixes, stretches, markers }, 1)).toBe(0)
  })
})

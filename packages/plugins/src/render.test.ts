import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PlacedContribution } from './collect.ts'
import { defineContribution } from './contribution.ts'
import { joinLayers, renderLayers } from './render.ts'

type Placed = Partial<PlacedContribution> & { readonly content: string }

const placed = (origin: string, one: Placed): PlacedContribution =>
  ({ ...defineContribution(one), origin }) as PlacedContribution

const cachedText = (...contributions: PlacedContribution[]) =>
  renderLayers(contributions).cached.text

describe('renderLayers', () => {
  it('lays legacy texts out under the names of their plugins (PLUG-35)', () => {
    const text = cachedText(placed('A', { content: 'alpha' }), placed('B', { content: 'beta' }))
    expect(text).toBe('### A\nalpha\n\n### B\nbeta')
  })

  it.each<[string, Placed[], string]>([
    ['heads the first of a plugin', [{ content: '1' }, { content: '2' }], '### A\n1\n\n2'],
    ['writes no header for an empty one', [{ content: '1', header: '' }], '1'],
    ['writes an own header verbatim', [{ content: '1', header: '## Own\n' }], '## Own\n\n1'],
    [
      'heads the first without a header of its own (OPEN-PLUG-3)',
      [{ content: '1', header: '## Own' }, { content: '2', header: '' }, { content: '3' }],
      '## Own\n1\n\n2\n\n### A\n3',
    ],
    [
      'does not count empty texts',
      [{ content: '' }, { content: '', header: '## H' }, { content: '1' }],
      '### A\n1',
    ],
    ['keeps white space as it is', [{ content: ' 1\n' }], '### A\n 1\n'],
    ['renders nothing as nothing', [], ''],
  ])('%s', (_, contributions, text) => {
    expect(cachedText(...contributions.map((one) => placed('A', one)))).toBe(text)
  })

  it('heads a plugin once in each position (PLUG-24)', () => {
    const layers = renderLayers([
      placed('A', { content: '1' }),
      placed('A', { content: '2', position: 'volatile' }),
    ])
    expect(layers.cached.text).toBe('### A\n1')
    expect(layers.volatile.text).toBe('### A\n2')
    expect(joinLayers(layers)).toBe('### A\n1\n\n### A\n2')
  })

  it('says which plugin wrote which piece', () => {
    const { cached } = renderLayers([placed('A', { content: '1' }), placed('B', { content: '2' })])
    expect(cached.pieces).toEqual([
      { origin: 'A', text: '### A\n1' },
      { origin: 'B', text: '### B\n2' },
    ])
  })

  it('gives the cached layer the strongest lifetime of its own contributions, the volatile none', () => {
    const layers = renderLayers([
      placed('A', { content: '1', cacheTtl: '5m' }),
      placed('A', { content: '', cacheTtl: '1h' }),
      placed('A', { content: '2', position: 'volatile', cacheTtl: '1h' }),
    ])
    expect(layers.cached.cacheTtl).toBe('5m')
    expect(layers.volatile.cacheTtl).toBeUndefined()
  })

  it('is its pieces joined by blank lines, and volatile text never moves a cached byte', () => {
    const contribution = fc
      .record({
        origin: fc.constantFrom('A', 'B'),
        content: fc.string(),
        header: fc.option(fc.string(), { nil: undefined }),
        position: fc.constantFrom('cached' as const, 'volatile' as const),
      })
      .map(({ origin, ...one }) => placed(origin, one))
    fc.assert(
      fc.property(fc.array(contribution), fc.array(contribution), (some, others) => {
        const layers = renderLayers(some)
        for (const { text, pieces } of [layers.cached, layers.volatile]) {
          expect(text).toBe(pieces.map((piece) => piece.text).join('\n\n'))
        }
        const noise = others.map((one) => ({ ...one, position: 'volatile' as const }))
        expect(renderLayers([...noise, ...some]).cached).toEqual(layers.cached)
        expect(renderLayers(some)).toEqual(layers)
      }),
    )
  })
})

import { describe, expect, it } from 'vitest'
import { createInMemoryLedger } from './in-memory-ledger.ts'
import { recordResults } from './record-results.ts'
import { place } from './testing-fixtures/tool-runs.ts'

const view = { toolCallId: 'c', toolName: 'get', text: 'a', isViewable: false, isError: false }
const views = [view, { ...view, text: 'b' }]
const about = { place, timeoutMs: 1000 }

describe('recording results', () => {
  it('gives the id of each', async () => {
    const ledger = createInMemoryLedger()
    const { ids, trouble } = await recordResults(ledger, views, about)
    expect(trouble).toBeUndefined()
    expect(await ledger.fetch(place, ids[1] ?? '')).toMatchObject({ text: 'b' })
  })

  it('gives no id for what was refused, and says why', async () => {
    const ledger = createInMemoryLedger({ maxResultsPerPlace: 1 })
    const { ids, trouble } = await recordResults(ledger, views, about)
    expect(ids).toEqual([expect.stringMatching(/^r_/), undefined])
    expect(trouble).toBe('The conversation holds 1 results.')
  })

  it.each<[string, () => Promise<never>]>([
    ['down', async () => Promise.reject(new Error('down'))],
    ['It threw something that is no error.', async () => Promise.reject(7)],
  ])('gives no id at all when the ledger fails: %s', async (trouble, record) => {
    expect(await recordResults({ record }, views, about)).toEqual({
      ids: [undefined, undefined],
      trouble,
    })
  })

  it.each([[undefined], [[null]], [['yes', 1]]])('trusts no answer like %j', async (outcomes) => {
    const record = async () => outcomes as never
    const { ids } = await recordResults({ record }, views, about)
    expect(ids).toEqual([undefined, undefined])
  })
})

describe('a ledger that never answers', () => {
  it('is given up after its time, and nothing is replaced', async () => {
    const record = () => new Promise<never>(() => {})
    expect(await recordResults({ record }, views, { place, timeoutMs: 5 })).toEqual({
      ids: [undefined, undefined],
      trouble: 'It took longer than 5 ms.',
    })
  })
})

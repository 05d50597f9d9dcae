import { describe, expect, it } from 'vitest'
import { createInMemoryLedger } from './in-memory-ledger.ts'
import { quietly, silentLogger } from './logger.ts'
import { createPricing } from './pricing.ts'
import { run, startConversation } from './testing-fixtures/tool-runs.ts'

const down = () => {
  throw new Error('down')
}
const logger = { debug: down, info: down, warn: down, error: down }

describe('a logger that is down', () => {
  it('costs a line and no decision', async () => {
    const { conversation } = startConversation({}, { logger })
    expect((await conversation.apply(run(1, 8000))).report.replacedResults).toBe(1)
    const full = createInMemoryLedger({ maxResultsPerPlace: 0 })
    const unlucky = startConversation({}, { logger, ledger: full }).conversation
    expect((await unlucky.apply(run(1, 8000))).report.replacedResults).toBe(0)
  })

  it('lets prices be installed', () => {
    const pricing = createPricing({ overrides: { a: { input: 1, output: 1 } }, logger })
    pricing.install({ b: { input: 2, output: 2 } })
    expect(Object.keys(pricing.overrides())).toEqual(['b'])
  })
})

it('is silent by default', () => {
  expect(() => silentLogger.warn('nobody hears')).not.toThrow()
  expect(quietly(down)).toBeUndefined()
})

import { describe, expect, it } from 'vitest'
import { needsConsolidator, selectOrchestrator } from './select-orchestrator.ts'

describe('selectOrchestrator', () => {
  it.each([
    [{ orchestrator: {}, embeddingProvider: {} }, 'given'],
    [{ embeddingProvider: {}, graphBackend: {}, vectorBackend: {} }, 'backends'],
    [{ embeddingProvider: {}, vectorBackend: {} }, 'inMemory'],
    [{ graphBackend: {}, vectorBackend: {} }, 'empty'],
    [{ orchestrator: null }, 'empty'],
  ] as const)('of %o is %s', (parts, built) => {
    expect(selectOrchestrator(parts)).toBe(built)
  })
})

describe('needsConsolidator', () => {
  it.each([
    [{ injected: false, quickNapInterval: 5, enableSemanticMerge: false }, true],
    [{ injected: false, quickNapInterval: 0, enableSemanticMerge: true }, true],
    [{ injected: false, quickNapInterval: 0, enableSemanticMerge: false }, false],
    [{ injected: true, quickNapInterval: 5, enableSemanticMerge: true }, false],
  ])('for %o is %s', (asked, isNeeded) => {
    expect(needsConsolidator(asked)).toBe(isNeeded)
  })
})

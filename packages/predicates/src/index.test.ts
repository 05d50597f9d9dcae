import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import * as surface from './index.ts'

const importedFrom = /(?:from|import|import\(|require\()\s*['"]([^'"]+)['"]/gu

describe('the root entry', () => {
  it('keeps its errors in a file that imports nothing', () => {
    const source = readFileSync(new URL('./errors.ts', import.meta.url), 'utf8')
    expect([...source.matchAll(importedFrom)]).toEqual([])
  })

  it('states its limits and lets nobody change them', () => {
    expect(surface.predicateLimits).toEqual({
      entries: 1_000,
      toolNameChars: 256,
      pathChars: 1_024,
      pathSegments: 32,
      valueDepth: 16,
      valueNodes: 10_000,
      valueChars: 100_000,
    })
    expect(Object.isFrozen(surface.predicateLimits)).toBe(true)
  })
})

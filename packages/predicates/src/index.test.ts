import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import * as surface from './index.ts'

const importedFrom = /(?:from|import|import\(|require\()\s*['"]([^'"]+)['"]/gu

describe('the root entry', () => {
  it('offers exactly these values', () => {
    expect(Object.keys(surface).sort()).toEqual([
      'PredicateError',
      'describeDrop',
      'evaluatePrecondition',
      'evaluatePredicate',
      'explainPrecondition',
      'explainPredicate',
      'filterByState',
      'parsePrecondition',
      'pathKeys',
      'predicateLimits',
      'resolvePath',
    ])
  })

  it('reaches no other package and no file but its own', () => {
    const reached = new Set<string>()
    const outside: string[] = []
    const visit = (file: string): void => {
      if (reached.has(file)) return
      reached.add(file)
      const source = readFileSync(new URL(file, import.meta.url), 'utf8')
      for (const [, specifier = ''] of source.matchAll(importedFrom)) {
        if (/^\.\/[\w-]+\.ts$/u.test(specifier)) visit(specifier)
        else outside.push(`${file}: ${specifier}`)
      }
    }
    visit('./index.ts')
    expect(outside).toEqual([])
    expect(reached.has('./zod.ts')).toBe(false)
    // Every source file but the zod subpath belongs to the root entry: none lies about unused.
    const sources = readdirSync(new URL('.', import.meta.url)).filter(
      (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && file !== 'zod.ts',
    )
    expect([...reached].sort()).toEqual(sources.map((file) => `./${file}`).sort())
  })

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

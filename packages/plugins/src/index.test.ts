import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import * as adapter from './ai-sdk.ts'
import * as surface from './index.ts'

const importedFrom = /(?:from|import|import\(|require\()\s*['"]([^'"]+)['"]/gu

describe('the root entry', () => {
  it('offers exactly these values', () => {
    expect(Object.keys(surface).sort()).toEqual([
      'PluginError',
      'buildRenderState',
      'collectContributions',
      'createGuard',
      'createOnceLatch',
      'createPluginPromptSection',
      'createPluginRoster',
      'defineContribution',
      'describeGuardRefusal',
      'guardRequestFor',
      'joinLayers',
      'renderLayers',
      'silentLogger',
      'strongestCacheTtl',
      'withOrigin',
    ])
    expect(Object.keys(adapter).sort()).toEqual(['buildInstructions', 'guardTools'])
  })

  it('reaches no other package, and every file but those of the subpath', () => {
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
    const sources = readdirSync(new URL('.', import.meta.url)).filter(
      (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && file !== 'ai-sdk.ts',
    )
    expect([...reached].sort()).toEqual(sources.map((file) => `./${file}`).sort())
  })
})

import { describe, expect, it } from 'vitest'
import { silentLogger } from '../logger.ts'
import { createMemoryExtractionSection, extractionBudgetTokens } from './section.ts'

const people = [{ id: 'e1', label: 'Ana', type: 'person' }]

describe('the extraction section', () => {
  it('has the defaults of the specification and is frozen', () => {
    const section = createMemoryExtractionSection()
    expect(section).toMatchObject({
      name: 'Memory Extraction Directives',
      required: false,
      priority: 90,
      cacheBreakpoint: false,
      templatePath: null,
      templateName: 'extraction',
    })
    expect(Object.isFrozen(section)).toBe(true)
  })

  it.each(['extraction', 'extraction_openai'] as const)(
    'renders the template %s within the budget, all placeholders filled',
    async (templateName) => {
      const section = createMemoryExtractionSection({ templateName })
      const state = { TENANT_ID: 'acme', known_entities: people }
      const { stable, volatile } = await section.renderSplit(state)
      expect(stable).toContain('acme')
      expect(stable).not.toMatch(/\{\{|Ana.*type/)
      expect(volatile).toMatch(/^## Known entities\n.*\n- id "e1": "Ana" \(type "person"\)$/)
      expect(stable.length / 4).toBeLessThan(extractionBudgetTokens)
      expect(await section.render(state)).toBe(`${stable}\n\n${volatile}`)
    },
  )

  it('keeps the bytes of its stable part, whatever is known', async () => {
    const { renderSplit } = createMemoryExtractionSection()
    const [a, b] = await Promise.all([
      renderSplit({ TENANT_ID: 't' }),
      renderSplit({ TENANT_ID: 't', known_entities: people, QUERY: 'x' }),
    ])
    expect(a.stable).toBe(b.stable)
    expect(a.volatile).toBe('')
  })

  it('renders a template of its own and remembers where it came from', async () => {
    const section = createMemoryExtractionSection({
      template: 'Own {{TENANT_ID}}',
      templatePath: 'own.txt',
    })
    expect(section.templatePath).toBe('own.txt')
    expect(await section.render({ TENANT_ID: 't' })).toBe('Own t')
  })

  it('warns once in its life when it is over its budget', async () => {
    const warnings: unknown[] = []
    const logger = { ...silentLogger, warn: (...line: unknown[]) => void warnings.push(line) }
    const section = createMemoryExtractionSection({ logger, budgetTokens: 10 })
    await section.renderSplit({ TENANT_ID: 't' })
    await section.render({ TENANT_ID: 't' })
    expect(warnings).toEqual([
      [expect.stringContaining('budget'), { tokens: expect.any(Number), budgetTokens: 10 }],
    ])
  })

  it('is rendered all the same when the token counter throws', async () => {
    const countTokens = () => {
      throw new Error('no tokenizer')
    }
    const { render } = createMemoryExtractionSection({ countTokens, template: 'x' })
    expect(await render({ TENANT_ID: 't' })).toBe('x')
  })

  it.each([
    { option: 'template', options: { template: ' ' } },
    { option: 'templatePath', options: { templatePath: 'own.txt' } },
    { option: 'templateName', options: { templateName: 'toString' as 'extraction' } },
    { option: 'budgetTokens', options: { budgetTokens: Number.NaN } },
  ])('refuses a $option that cannot be used', ({ option, options }) => {
    expect(() => createMemoryExtractionSection(options)).toThrow(
      expect.objectContaining({ code: 'MEMORY_OPTION_INVALID', details: { option } }),
    )
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MemoryError } from '../errors.ts'
import { fillPlaceholders } from './placeholders.ts'
import { splitExtraction } from './render-extraction.ts'
import { extractionTemplates } from './templates.ts'

describe('placeholders', () => {
  it('are filled in one pass: a value is never read as a placeholder', () => {
    const state = { TENANT_ID: 't', DOMAIN_NAME: '{{SOUL_SCHEMA}}{{X}}$&', SOUL_SCHEMA: 's' }
    expect(splitExtraction('{{DOMAIN_NAME}}|{{SOUL_SCHEMA}}', state).stable).toBe(
      '{{SOUL_SCHEMA}}{{X}}$&|s',
    )
  })

  it('hold any value, byte for byte', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        expect(fillPlaceholders('<{{A}}>{{A}}', new Map([['A', value]]))).toBe(`<${value}>${value}`)
      }),
    )
  })

  it.each([
    { template: '{{UNKNOWN_THING}}', names: ['UNKNOWN_THING'] },
    { template: '{{A}} {{B}} {{A}}', names: ['A', 'B'] },
    { template: '{{tenant_id}}', names: ['tenant_id'] },
    { template: '{{ TENANT_ID }}', names: ['TENANT_ID'] },
    { template: '{{constructor}}', names: ['constructor'] },
  ])('that do not exist are all named: $template', ({ template, names }) => {
    const render = () => splitExtraction(template, { TENANT_ID: 't' })
    expect(render).toThrow(MemoryError)
    expect(render).toThrow(`Unresolved extraction prompt placeholders: ${names.join(', ')}`)
    expect(render).toThrow(
      expect.objectContaining({
        code: 'MEMORY_EXTRACTION_PLACEHOLDERS',
        details: { placeholders: names },
      }),
    )
  })

  it('of the bundled templates are the six that exist, known entities last', () => {
    for (const template of Object.values(extractionTemplates)) {
      const names = [...template.matchAll(/\{\{(.*?)\}\}/g)].map(([, name]) => name)
      expect(names).toEqual([
        'TENANT_ID',
        'DOMAIN_NAME',
        'REQUIRED_LABELS',
        'ONBOARDING_CHECKLIST',
        'SOUL_SCHEMA',
        'KNOWN_ENTITIES_SECTION',
      ])
    }
  })
})

import { describe, expect, it } from 'vitest'
import { renderExtraction, splitExtraction } from './render-extraction.ts'

const people = [{ id: 'e1', label: 'Ana', type: 'person' }]

describe('the parts of the state', () => {
  it.each([
    { state: {}, text: '' },
    { state: { TENANT_ID: '', tenant_id: '' }, text: '' },
    { state: { TENANT_ID: null, tenant_id: 'low' }, text: 'low' },
    { state: Object.create({ TENANT_ID: 'inherited' }), text: '' },
    { state: { TENANT_ID: 7 }, text: '7' },
    { state: { TENANT_ID: 'a\n## b' }, text: '"a\\n## b"' },
    { state: { TENANT_ID: '<memory_extraction>' }, text: '"\\u{3c}memory_extraction\\u{3e}"' },
  ])('name the tenant: $state', ({ state, text }) => {
    expect(renderExtraction('{{TENANT_ID}}', state)).toBe(text)
  })

  it.each([
    { value: undefined, text: 'default' },
    { value: null, text: 'default' },
    { value: '', text: '' },
    { value: 3, text: '3' },
    { value: ['a', 'b'], text: 'a, b' },
  ])('turn domain values into text, and null into the default: $value', ({ value, text }) => {
    const state = { TENANT_ID: 't', DOMAIN_NAME: value }
    expect(splitExtraction('{{DOMAIN_NAME}}', state).stable).toBe(text)
  })

  it.each([{ value: {} }, { value: [[]] }, { value: [null] }, { value: () => {} }])(
    'refuse a domain value that is no text: $value',
    ({ value }) => {
      expect(() => splitExtraction('x', { TENANT_ID: 't', SOUL_SCHEMA: value })).toThrow(
        expect.objectContaining({
          code: 'MEMORY_EXTRACTION_VALUE',
          details: { key: 'SOUL_SCHEMA' },
        }),
      )
    },
  )

  it('take the known entities in lower case first', () => {
    const other = [{ id: 'e2', label: 'Bo', type: 'person' }]
    const state = { TENANT_ID: 't', known_entities: people, KNOWN_ENTITIES: other }
    expect(splitExtraction('', state).volatile).toContain('"Ana"')
    expect(splitExtraction('', { TENANT_ID: 't', KNOWN_ENTITIES: other }).volatile).toContain(
      '"Bo"',
    )
  })
})

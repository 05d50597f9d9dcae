import { MemoryError } from '../errors.ts'
import { inertWord } from '../render-inert.ts'
import { renderKnownEntities } from './known-entities.ts'
import { fillPlaceholders } from './placeholders.ts'

/**
 * What the directives are rendered from: `TENANT_ID` (or `tenant_id`), `known_entities` (or
 * `KNOWN_ENTITIES`), `DOMAIN_NAME`, `REQUIRED_LABELS`, `ONBOARDING_CHECKLIST`, `SOUL_SCHEMA`. Own keys
 * only; other keys are ignored.
 */
export type ExtractionState = Readonly<Record<string, unknown>>

/** The directives in two parts, so that the long one stays cached. */
export interface SplitExtraction {
  /** Same bytes as long as tenant and domain are the same: for the cached prefix (L1). */
  readonly stable: string
  /** The known entities, or `''`: for the part that changes from turn to turn (L2). */
  readonly volatile: string
}

/** What stands where the domain says nothing. @see MEM-31 */
const domainDefaults = {
  DOMAIN_NAME: 'default',
  REQUIRED_LABELS: '(none)',
  ONBOARDING_CHECKLIST: '  (none)',
  SOUL_SCHEMA: '  (none)',
} as const

const entitiesSection = 'KNOWN_ENTITIES_SECTION'

/**
 * Renders a template into its stable and its volatile part. Both are `''` when the state names no
 * tenant.
 *
 * @throws MemoryError - `MEMORY_EXTRACTION_PLACEHOLDERS` for a template with a placeholder that does
 * not exist; `MEMORY_EXTRACTION_VALUE` for a domain value that is no text.
 * @see MEM-24 to MEM-28, MEM-31 to MEM-33, LO-17, LO-18
 */
export function splitExtraction(template: string, state: ExtractionState): SplitExtraction {
  const tenant = tenantOf(state)
  if (tenant === '') return Object.freeze({ stable: '', volatile: '' })
  return Object.freeze({
    stable: fill(template, state, tenant, ''),
    volatile: entitiesOf(state).replace(/^\n+/, ''),
  })
}

/**
 * Renders a template as one text, with the known entities at their placeholder; `''` when the state
 * names no tenant.
 *
 * @throws MemoryError - As `splitExtraction`.
 * @see MEM-29
 */
export function renderExtraction(template: string, state: ExtractionState): string {
  const tenant = tenantOf(state)
  return tenant === '' ? '' : fill(template, state, tenant, entitiesOf(state))
}

function fill(template: string, state: ExtractionState, tenant: string, entities: string): string {
  const values = new Map([
    // A tenant may choose its name; it must not be able to write the prompt.
    ['TENANT_ID', inertWord(tenant)],
    [entitiesSection, entities],
  ])
  for (const [name, fallback] of Object.entries(domainDefaults)) {
    values.set(name, textOf(name, own(state, name)) ?? fallback)
  }
  return fillPlaceholders(template, values)
}

function tenantOf(state: ExtractionState): string {
  return (
    textOf('TENANT_ID', own(state, 'TENANT_ID')) ||
    textOf('tenant_id', own(state, 'tenant_id')) ||
    ''
  )
}

function entitiesOf(state: ExtractionState): string {
  return renderKnownEntities(own(state, 'known_entities') ?? own(state, 'KNOWN_ENTITIES'))
}

function own(state: ExtractionState, key: string): unknown {
  return Object.hasOwn(state, key) ? state[key] : undefined
}

/** Text, a number or a boolean as text, a list of them joined by `, `; undefined where there is none. */
function textOf(key: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  const parts: readonly unknown[] = Array.isArray(value) ? value : [value]
  const index = parts.findIndex((part) => !textTypes.includes(typeof part))
  if (index === -1) return parts.map(String).join(', ')
  const strange = parts[index]
  throw new MemoryError(
    'MEMORY_EXTRACTION_VALUE',
    `"${key}" of the extraction state holds ${strange === null ? 'null' : `a value of type ${typeof strange}`}. Give text or a list of texts, or leave it out.`,
    { details: { key } },
  )
}

const textTypes: readonly string[] = ['string', 'number', 'boolean', 'bigint']

import assert from 'node:assert/strict'
import {
  compileCredentialPattern,
  createInMemoryStore,
  createMemory,
  createMemoryExtractionSection,
  type ExtractionState,
  MemoryError,
  type MemoryParts,
  needsConsolidator,
  parseProceduralCreateRequest,
  scrubCredentialKeys,
  selectExtractionTemplate,
  selectOrchestrator,
} from '@symfonic/memory'
import type { Harnesses } from '../run-vectors.ts'
import type { Vector } from '../vectors.ts'

/** The vector kinds that `@symfonic/memory` answers. */
export const memory: Harnesses = {
  'extraction.renderSplit': renderSplit,
  'extraction.render': render,
  'extraction.sectionDefaults': sectionDefaults,
  'extraction.selectTemplate': selectTemplate,
  'memory.scrub': scrub,
  'http.createProcedural': createProcedural,
  'memory.selectOrchestrator': chooseOrchestrator,
  'memory.seedIdentity': seedIdentity,
  'memory.seededTenants': seededTenants,
  'memory.defaultConsolidator': defaultConsolidator,
}

interface Rendering {
  template: string
  state: ExtractionState
}

interface ExpectedParts {
  stable?: string
  volatile?: string
  volatileNonEmpty?: boolean
  volatileNotStartsWith?: string
  error?: { kind: string; messageIncludes: string[] }
}

async function renderSplit({ input, expected }: Vector): Promise<void> {
  const { template, state } = input as Rendering
  const { error, ...parts } = expected as ExpectedParts
  const rendered = createMemoryExtractionSection({ template }).renderSplit(state)
  if (error !== undefined) {
    await assert.rejects(rendered, (thrown) => {
      assert(thrown instanceof MemoryError)
      assert.equal(thrown.code, 'MEMORY_EXTRACTION_PLACEHOLDERS')
      assert.equal(error.kind, 'ValueError')
      for (const part of error.messageIncludes) assert(thrown.message.includes(part), part)
      return true
    })
    return
  }
  const { stable, volatile } = await rendered
  if (parts.stable !== undefined) assert.equal(stable, parts.stable)
  if (parts.volatile !== undefined) assert.equal(volatile, parts.volatile)
  if (parts.volatileNonEmpty !== undefined) assert.equal(volatile !== '', parts.volatileNonEmpty)
  if (parts.volatileNotStartsWith !== undefined) {
    assert(!volatile.startsWith(parts.volatileNotStartsWith), volatile)
  }
}

interface ExpectedText {
  text?: string
  startsWith?: string
  endsWith?: string
  insertedTextNonEmpty?: boolean
}

async function render({ input, expected }: Vector): Promise<void> {
  const { template, state } = input as Rendering
  const { text, startsWith = '', endsWith = '', insertedTextNonEmpty } = expected as ExpectedText
  const rendered = await createMemoryExtractionSection({ template }).render(state)
  if (text !== undefined) assert.equal(rendered, text)
  assert(rendered.startsWith(startsWith), rendered)
  assert(rendered.endsWith(endsWith), rendered)
  if (insertedTextNonEmpty === undefined) return
  const inserted = rendered.slice(startsWith.length, rendered.length - endsWith.length)
  assert.equal(inserted.trim() !== '', insertedTextNonEmpty)
}

function sectionDefaults({ expected }: Vector): void {
  const section: Record<string, unknown> = { ...createMemoryExtractionSection() }
  for (const [key, value] of Object.entries(expected as object)) {
    assert.deepEqual(section[key], value, key)
  }
}

interface TemplateChoice {
  family?: string
  extractionTemplatePath?: string | null
  router?: { default: string; leafForModel: string }
}

function selectTemplate({ input, expected }: Vector): void {
  const { extractionTemplatePath: templatePath = null, ...choice } = input as TemplateChoice
  assert.deepEqual(selectExtractionTemplate({ templatePath, ...choice }), expected)
}

function scrub({ input, expected }: Vector): void {
  const { credentialPatterns, properties } = input as {
    credentialPatterns: string[]
    properties: unknown
  }
  const { properties: kept } = expected as { properties: unknown }
  const pattern = compileCredentialPattern(credentialPatterns)
  assert.deepEqual(scrubCredentialKeys(properties, pattern), kept)
}

/** The endpoint is the host's; which bodies it must answer with 422 is decided here. */
function createProcedural({ input, expected }: Vector): void {
  const { body } = input as { body: unknown }
  const { accepted = false, status } = expected as { accepted?: boolean; status?: number }
  const outcome = parseProceduralCreateRequest(body)
  assert.equal(outcome.accepted, accepted)
  if (status !== undefined) assert.equal(outcome.accepted ? 201 : outcome.status, status)
}

function chooseOrchestrator({ input, expected }: Vector): void {
  assert.deepEqual({ built: selectOrchestrator(input as MemoryParts) }, expected)
}

function defaultConsolidator({ input, expected }: Vector): void {
  const asked = input as Parameters<typeof needsConsolidator>[0]
  assert.deepEqual({ built: needsConsolidator(asked) }, expected)
}

async function seedIdentity({ input, expected }: Vector): Promise<void> {
  const { agentDepth: depth, tenant: tenantId } = input as { agentDepth: number; tenant: string }
  const { seeded, importance } = expected as { seeded: boolean; importance?: number }
  const memory = createMemory({ store: createInMemoryStore() })
  const outcome = await memory.seedIdentity({ tenantId }, { domainName: 'desk', depth })
  assert.equal(outcome.seeded, seeded)
  const { entries } = await memory.list({ tenantId })
  assert.deepEqual(
    entries.map((entry) => [entry.kind, entry.importance]),
    seeded ? [['AGENT_IDENTITY', importance]] : [],
  )
}

async function seededTenants({ input, expected }: Vector): Promise<void> {
  const { distinctTenants } = input as { distinctTenants: number }
  const { size, evicted } = expected as { size: number; evicted: string[] }
  assert.deepEqual(evicted, ['first'])
  const memory = createMemory({ store: createInMemoryStore() })
  const seed = async (tenant: number): Promise<boolean> => {
    const scope = { tenantId: `tenant ${tenant}` }
    return (await memory.seedIdentity(scope, { domainName: 'desk', depth: 0 })).seeded
  }
  const tenants = Array.from({ length: distinctTenants }, (_, tenant) => tenant)
  for (const tenant of tenants) assert.equal(await seed(tenant), true)
  let remembered = 0
  for (const tenant of tenants.slice(1)) remembered += (await seed(tenant)) ? 0 : 1
  assert.equal(remembered, size)
  assert.equal(await seed(0), true)
}

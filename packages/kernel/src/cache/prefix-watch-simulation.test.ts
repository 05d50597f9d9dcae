import type { LanguageModelUsage, ModelMessage } from 'ai'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CacheTtl, PromptLayer } from '../capability.ts'
import { silentLogger } from '../logger.ts'
import { placeVolatile } from '../prompt/place-volatile.ts'
import { definitionsOf, owned, promptAssembler } from '../testing-fixtures/prompt-assembler.ts'
import { simulatedCache } from '../testing-fixtures/simulated-cache.ts'
import { joinDefinitions } from '../tool-definitions.ts'
import { noUsage } from '../usage.ts'
import { estimateTokens } from './estimate-tokens.ts'
import { cacheMarker } from './limit-markers.ts'
import { createMessageScale } from './message-scale.ts'
import { lastStableTurnBoundary, rollingLadder } from './messages-cache.ts'
import { endsMarked, markMessages } from './place-markers.ts'
import { createPrefixWatch } from './prefix-watch.ts'

// The watch against a provider that was written apart from it, over conversations nobody chose.

const minute = 60_000
const sections = ['kernel', 'rules', 'plugins', 'late'] as const

type Happening =
  | { readonly kind: 'say'; readonly chars: number; readonly marked: boolean }
  | { readonly kind: 'step'; readonly results: number; readonly fails: boolean }
  | { readonly kind: 'change'; readonly section: number; readonly variant: number }
  | { readonly kind: 'tools'; readonly variant: number }
  | { readonly kind: 'force'; readonly tool: string | undefined }
  | { readonly kind: 'wait'; readonly minutes: number }
  | { readonly kind: 'forget'; readonly messages: number }
  | { readonly kind: 'rewrite'; readonly index: number }
  | { readonly kind: 'switch'; readonly session: number }

const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('say' as const),
      chars: fc.integer({ min: 1, max: 600 }),
      marked: fc.boolean(),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('step' as const),
      results: fc.integer({ min: 1, max: 25 }),
      fails: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      section: fc.integer({ min: 0, max: 3 }),
      variant: fc.integer({ min: 0, max: 2 }),
    }),
  },
  fc.record({ kind: fc.constant('tools' as const), variant: fc.integer({ min: 1, max: 2 }) }),
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      minutes: fc.constantFrom(1, 4, 5, 6, 59, 61),
    }),
  },
  fc.record({ kind: fc.constant('force' as const), tool: fc.constantFrom('look', undefined) }),
  fc.record({ kind: fc.constant('forget' as const), messages: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ kind: fc.constant('rewrite' as const), index: fc.nat({ max: 9 }) }),
  fc.record({ kind: fc.constant('switch' as const), session: fc.integer({ min: 0, max: 1 }) }),
)

const setting = fc.record({
  ttl: fc.constantFrom<CacheTtl>('5m', '1h'),
  toolsTtl: fc.constantFrom<CacheTtl | undefined>(undefined, '5m', '1h'),
  strategy: fc.constantFrom(undefined, lastStableTurnBoundary, rollingLadder),
  minimumTokens: fc.constantFrom(0, 60, 400),
  layerMode: fc.constantFrom('stratigraphic' as const, 'legacy' as const),
  volatilePosition: fc.constantFrom('system' as const, 'user' as const),
  /** Tokens of the provider for one that is estimated. */
  worth: fc.constantFrom(1, 2),
})

describe('what the watch predicts', () => {
  it('is what a provider by the rules reads, whatever happens', async () => {
    let reads = 0
    await fc.assert(
      fc.asyncProperty(
        setting,
        fc.array(happening, { minLength: 4, maxLength: 30 }),
        async (about, happenings) => {
          for (const { predicted, read } of await replay(about, happenings)) {
            expect(predicted).toBe(read)
            if (read > 0) reads += 1
          }
        },
      ),
      { numRuns: 250 },
    )
    // Or nothing was shown.
    expect(reads).toBeGreaterThan(150)
  })
})

async function replay(
  about: typeof setting extends fc.Arbitrary<infer Value> ? Value : never,
  happenings: readonly Happening[],
) {
  const { minimumTokens, worth } = about
  const scale = createMessageScale(estimateTokens)
  const logger = silentLogger
  let at = 1_000_000
  const watch = createPrefixWatch({ scale, logger, minimumTokens, now: () => at })
  const provider = simulatedCache({ minimumTokens, weigh: (text) => worth * estimateTokens(text) })
  const variants = [1, 1, 1, 1]
  let toolsVariant = 1
  let forcedTool: string | undefined
  // Somebody has said something: without a message of the user volatile text has no other place.
  const sessions = [0, 1].map((): ModelMessage[] => [{ role: 'user', content: 'begin' }])
  let session = 0
  let calls = 0
  const assemble = promptAssembler(
    sections.map((name, index) =>
      owned({
        name,
        layer: (['L0', 'L1', 'L1', 'L2'] satisfies PromptLayer[])[index] ?? 'L2',
        cacheBreakpoint: name === 'rules',
        render: () => (variants[index] ? `${name} ${variants[index]} `.repeat(20) : ''),
      }),
    ),
    {
      ...{ layerMode: about.layerMode, volatilePosition: about.volatilePosition },
      ...{ cacheTtl: about.ttl, minimumTokens },
    },
  )
  const reports: { predicted: number; read: number }[] = []

  const send = async (fails: boolean) => {
    const given = sessions[session] ?? []
    const definitions = definitionsOf({ look: `tools ${toolsVariant} `.repeat(9) })
    const prompt = await assemble({
      tools: { definitions, ttl: about.toolsTtl },
      messageMarkers: 2,
    })
    const { instructions, messages: placed, volatileAt } = placeVolatile(prompt, given)
    const { messages, markers } = markMessages(prompt, placed, { ...about, scale, logger })
    const carrier =
      volatileAt === undefined
        ? undefined
        : { index: volatileAt, endsMarked: endsMarked(messages[volatileAt] as ModelMessage) }
    const sent = { prompt, messages: given, carrier, markers, forcedTool }
    const readCache = watch.send(String(session), sent)
    const request = {
      tools: { text: joinDefinitions(definitions), ttl: prompt.allotment.tools },
      instructions,
      messages,
      forcedTool,
    }
    const { readTokens, inputTokens } = provider.serve(request, at, fails)
    if (fails) return
    const { predictedTokens } = readCache(usageOf(inputTokens, readTokens))
    reports.push({ predicted: predictedTokens, read: readTokens })
  }

  for (const one of happenings) {
    const messages = sessions[session] ?? []
    at += 1_000
    if (one.kind === 'change') variants[one.section] = one.variant
    else if (one.kind === 'tools') toolsVariant = one.variant
    else if (one.kind === 'force') forcedTool = one.tool
    else if (one.kind === 'wait') at += one.minutes * minute
    else if (one.kind === 'forget') messages.splice(Math.max(1, messages.length - one.messages))
    else if (one.kind === 'switch') session = one.session
    else if (one.kind === 'rewrite' && one.index < messages.length) {
      messages[one.index] = { role: 'user', content: `rewritten ${calls}` }
    } else if (one.kind === 'say') {
      const marker = one.marked ? { providerOptions: cacheMarker('5m') } : {}
      messages.push({ role: 'user', content: 'x'.repeat(one.chars), ...marker })
      await send(false)
      messages.push({ role: 'assistant', content: `answer ${messages.length}` })
    } else if (one.kind === 'step') {
      messages.push(...toolStep(one.results, calls))
      calls += one.results
      await send(one.fails)
    }
  }
  return reports
}

function toolStep(results: number, calls: number): readonly ModelMessage[] {
  const ids = Array.from({ length: results }, (_, index) => `call-${calls + index}`)
  const about = (toolCallId: string) => ({ toolCallId, toolName: 'look' })
  return [
    {
      role: 'assistant',
      content: ids.map((id) => ({ type: 'tool-call' as const, ...about(id), input: { id } })),
    },
    {
      role: 'tool',
      content: ids.map((id) => ({
        type: 'tool-result' as const,
        ...about(id),
        output: { type: 'text' as const, value: `seen ${id}` },
      })),
    },
  ]
}

function usageOf(inputTokens: number, cacheReadTokens: number): LanguageModelUsage {
  const { inputTokenDetails } = noUsage
  return { ...noUsage, inputTokens, inputTokenDetails: { ...inputTokenDetails, cacheReadTokens } }
}

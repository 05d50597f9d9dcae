import assert from 'node:assert/strict'
import {
  contentText,
  createInMemoryLedger,
  createPricing,
  createResultPolicy,
  defineSettings,
  gateInputs,
  isViewable,
  type Logger,
  type ModelPrice,
  type NeutralResult,
  type PlainMessage,
  type PolicySettings,
  type Pricing,
  plainTranscript,
  recallToolName,
  restub,
} from '@symfonic/result-policy'
import { recallTools } from '@symfonic/result-policy/ai-sdk'
import type { Harnesses } from '../run-vectors.ts'
import type { Vector } from '../vectors.ts'

/** The vector kinds that `@symfonic/result-policy` answers. */
export const resultPolicy: Harnesses = {
  'results.contentText': ({ input, expected }) =>
    assert.deepEqual({ text: contentText(contentOf(input)) }, expected),
  'results.isViewable': ({ input, expected }) =>
    assert.deepEqual({ viewable: isViewable(contentOf(input)) }, expected),
  'results.restub': copyWithContent,
  'results.gate': failingGate,
  'results.gateInputs': inputsOfTheGate,
  'results.ledger': recordings,
  'results.recallToolRegistered': recallToolBeside,
  'results.viewableKept': viewableKept,
  'pricing.install': installedPrices,
}

function contentOf(input: unknown): unknown {
  return (input as { content?: unknown }).content
}

function copyWithContent({ input, expected }: Vector): void {
  const { message, ...about } = input as {
    message: NeutralResult
    content: string
    toolName: string
  }
  assert.deepEqual(restub(message, about), expected)
}

/** A price list that throws is a gate that throws: nothing else of it can fail. */
async function failingGate({ input, expected }: Vector): Promise<void> {
  const { gateThrows } = input as { gateThrows: boolean }
  const priceOf = () => {
    if (gateThrows) throw new Error('down')
    return undefined
  }
  const content = 'x'.repeat(100_000)
  assert.deepEqual({ offload: await isReplaced(content, { priceOf }) }, expected)
}

function inputsOfTheGate({ input, expected }: Vector): void {
  const { sizeChars, charsPerToken, settings } = input as {
    sizeChars: number
    charsPerToken: number
    settings: Partial<PolicySettings>
  }
  const about = { settings: defineSettings(settings), charsPerToken }
  assert.deepEqual(gateInputs(sizeChars, about), expected)
}

async function recordings({ input, expected }: Vector): Promise<void> {
  const { record } = input as { record: string[] }
  const place = { scopeKey: 'tenant', thread: 'thread' }
  const ledger = createInMemoryLedger()
  const policy = createResultPolicy({}, { transcript: plainTranscript, ledger })
  const messages = record.map((toolCallId) => toolMessage('x'.repeat(5000), toolCallId))
  await policy.forConversation(place).apply(messages)
  await policy.forConversation(place).apply(messages)
  assert.deepEqual({ entries: await ledger.count(place) }, expected)
}

function recallToolBeside({ input, expected }: Vector): void {
  const { toolResultCompactionEnabled: enabled } = input as { toolResultCompactionEnabled: boolean }
  const settings = defineSettings({ enabled })
  const ledger = createInMemoryLedger()
  const tools = recallTools({ settings, ledger }, { scopeKey: 'tenant', thread: 'thread' })
  assert.deepEqual({ tools: Object.keys(tools) }, expected)
  assert.equal(recallToolName, 'recall_tool_result')
}

async function viewableKept({ input, expected }: Vector): Promise<void> {
  const { flattenedLength } = input as { flattenedLength: number }
  const content = [...(contentOf(input) as object[]), 'x'.repeat(flattenedLength)]
  assert.deepEqual({ stubbed: await isReplaced(content) }, expected)
}

interface ExpectedPrices {
  after: Record<string, number>
  warnings?: number
}

/** The vectors write a price as one number. */
function installedPrices({ input, expected }: Vector): void {
  const { before, install, register } = input as Record<string, Record<string, number> | undefined>
  const { after, warnings } = expected as ExpectedPrices
  const warned: string[] = []
  const logger: Logger = {
    debug: () => {},
    info: () => {},
    warn: (message) => void warned.push(message),
    error: () => {},
  }
  const pricing = createPricing({ overrides: pricesOf(before ?? {}), logger })
  if (install !== undefined) pricing.install(pricesOf(install))
  if (register !== undefined) pricing.register(pricesOf(register))
  assert.deepEqual(pricing.overrides(), pricesOf(after))
  if (warnings !== undefined) assert.equal(warned.length, warnings)
}

function pricesOf(numbers: Record<string, number>): Record<string, ModelPrice> {
  const prices = Object.entries(numbers).map(([name, input]) => [name, { input, output: input }])
  return Object.fromEntries(prices)
}

async function isReplaced(
  content: unknown,
  pricing: Pick<Pricing, 'priceOf'> = createPricing(),
): Promise<boolean> {
  const ledger = createInMemoryLedger()
  const policy = createResultPolicy({}, { transcript: plainTranscript, ledger, pricing })
  const conversation = policy.forConversation({ scopeKey: 'tenant', thread: 'thread' })
  const message = toolMessage(content, 'call_1')
  const { messages } = await conversation.apply([{ role: 'user', content: 'go' }, message])
  return messages[1] !== message
}

function toolMessage(content: unknown, toolCallId: string): PlainMessage {
  return { role: 'tool', toolCallId, toolName: 'search', content }
}

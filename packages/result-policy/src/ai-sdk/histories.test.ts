import { type ModelMessage, modelMessageSchema, type ToolResultPart } from 'ai'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createInMemoryLedger } from '../in-memory-ledger.ts'
import { createResultPolicy } from '../result-policy.ts'
import { place, words } from '../testing-fixtures/tool-runs.ts'
import { aiSdkTranscript } from './transcript.ts'

type Output = ToolResultPart['output']

const providerOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } }

/** One output of every type there is, about as long as asked for. */
const outputs: Record<string, (sizeChars: number, seed: number) => Output> = {
  text: (size, seed) => ({ type: 'text', value: words(size, seed) }),
  marked: (size, seed) => ({ type: 'text', value: words(size, seed), providerOptions }),
  json: (size, seed) => ({ type: 'json', value: { id: seed, note: words(size) } }),
  errorText: (size) => ({ type: 'error-text', value: words(size) }),
  errorJson: (size) => ({ type: 'error-json', value: { note: words(size) }, providerOptions }),
  denied: () => ({ type: 'execution-denied', reason: 'Not now.' }),
  silentlyDenied: () => ({ type: 'execution-denied' }),
  texts: (size) => ({
    type: 'content',
    value: [
      { type: 'text', text: words(size), providerOptions },
      { type: 'text', text: 'end' },
    ],
  }),
  image: (size) => ({
    type: 'content',
    value: [
      { type: 'text', text: words(size) },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } },
    ],
  }),
  custom: (size) => ({
    type: 'content',
    value: [{ type: 'text', text: words(size) }, { type: 'custom' }],
  }),
}

const oneCall = fc.record({
  kind: fc.constantFrom(...Object.keys(outputs)),
  size: fc.constantFrom(5, 900, 1200, 2900, 3100, 6000, 15_000),
  toolName: fc.constantFrom('search', 'read_file', 'recall_tool_result'),
  /** Providers reuse ids. */
  callId: fc.constantFrom('call_1', 'call_2', 'toolu_01', ' odd "id" ', ''),
  isAnswered: fc.boolean(),
})

const oneStep = fc.record({
  calls: fc.array(oneCall, { minLength: 0, maxLength: 3 }),
  isSplit: fc.boolean(),
  asksApproval: fc.boolean(),
  hasFile: fc.boolean(),
  isNewTurn: fc.boolean(),
})

/**
 * Histories as apps have them: parallel calls, errors, denials, calls without a result, approvals,
 * files, and call ids that come again.
 */
const anyHistory: fc.Arbitrary<ModelMessage[]> = fc
  .array(oneStep, { minLength: 1, maxLength: 5 })
  .map((steps) => steps.flatMap((step, at) => messagesOf(step, at)))

type Step = typeof oneStep extends fc.Arbitrary<infer Value> ? Value : never

function messagesOf(step: Step, at: number): ModelMessage[] {
  const { calls, isSplit, asksApproval, hasFile, isNewTurn } = step
  const messages: ModelMessage[] = []
  if (at === 0 || isNewTurn) {
    const file = { type: 'file', mediaType: 'image/png', data: 'AAAA' } as const
    const text = { type: 'text', text: 'Look.' } as const
    messages.push({ role: 'user', content: hasFile ? [text, file] : 'Look.' })
  }
  if (calls.length === 0) return [...messages, { role: 'assistant', content: 'Done.' }]
  messages.push({
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'Hm.', providerOptions },
      ...calls.map(({ toolName, callId }) => ({
        type: 'tool-call' as const,
        toolCallId: callId,
        toolName,
        input: { id: 'r_0', at },
        providerOptions,
      })),
      ...(asksApproval
        ? [{ type: 'tool-approval-request' as const, approvalId: 'a', toolCallId: 'call_1' }]
        : []),
    ],
  })
  const parts = calls
    .filter(({ isAnswered }) => isAnswered)
    .map(
      ({ kind, size, toolName, callId }): ToolResultPart => ({
        type: 'tool-result',
        toolCallId: callId,
        toolName,
        output: (outputs[kind] as (typeof outputs)[string])(size, at),
        ...(size > 1000 && { providerOptions }),
      }),
    )
  if (asksApproval) {
    const response = { type: 'tool-approval-response', approvalId: 'a', approved: true } as const
    messages.push({ role: 'tool', content: [response] })
  }
  if (isSplit)
    messages.push(...parts.map((part): ModelMessage => ({ role: 'tool', content: [part] })))
  else if (parts.length > 0) messages.push({ role: 'tool', content: parts })
  return messages
}

describe('10,000 histories of the AI SDK', () => {
  it('keep their pairs, ids and viewable content, and everything that left can be recalled', async () => {
    let replaced = 0
    await fc.assert(
      fc.asyncProperty(anyHistory, fc.boolean(), async (history, cacheExpired) => {
        const ledger = createInMemoryLedger()
        const settings = { recallMaxChars: 20_000, expectedRecallProbability: 0 }
        const policy = createResultPolicy(settings, { transcript: aiSdkTranscript, ledger })
        const conversation = policy.forConversation(place)
        const before = JSON.stringify(history)
        const { messages } = await conversation.apply(history, { cacheExpired })
        expect(JSON.stringify(history)).toBe(before)
        expect(messages.length).toBe(history.length)
        for (const [at, message] of messages.entries()) {
          const original = history[at] as ModelMessage
          if (message === original) continue
          if (!modelMessageSchema.safeParse(message).success) expect(message).toBe('valid')
          replaced += await compareTool(original, message as ModelMessage)
        }
        expect(skeleton(messages as ModelMessage[])).toBe(skeleton(history))
        const again = await conversation.apply(messages, { cacheExpired })
        expect(again.messages.every((message, at) => message === messages[at])).toBe(true)

        async function compareTool(original: ModelMessage, message: ModelMessage): Promise<number> {
          if (original.role !== 'tool' || message.role !== 'tool') throw new Error(message.role)
          let count = 0
          for (const [index, part] of message.content.entries()) {
            const whole = original.content[index]
            if (part === whole) continue
            if (part.type !== 'tool-result' || whole?.type !== 'tool-result')
              throw new Error(part.type)
            const { output, ...rest } = part
            const { output: wholeOutput, ...wholeRest } = whole
            expect(rest).toEqual(wholeRest)
            expect(optionsOf(output)).toEqual(optionsOf(wholeOutput))
            expect(output.type.startsWith('error')).toBe(wholeOutput.type.startsWith('error'))
            const [view] = aiSdkTranscript.resultsOf({ role: 'tool', content: [whole] })
            expect(view?.isViewable).toBe(false)
            const [stub] = aiSdkTranscript.resultsOf({ role: 'tool', content: [part] })
            const id = / id (r_[0-9a-f]{22})\. /.exec(stub?.text ?? '')?.[1] ?? ''
            expect((await ledger.fetch(place, id))?.text).toBe(view?.text)
            count += 1
          }
          return count
        }
      }),
      { numRuns: 10_000 },
    )
    expect(replaced).toBeGreaterThan(3000)
  }, 120_000)
})

/** Everything about the messages but the outputs of tool results. */
function skeleton(messages: readonly ModelMessage[]): string {
  return JSON.stringify(messages, (key, value: unknown) => (key === 'output' ? undefined : value))
}

function optionsOf(output: object): unknown {
  return 'providerOptions' in output ? output.providerOptions : undefined
}

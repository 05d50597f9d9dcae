import { type LanguageModel, type ToolSet, tool } from 'ai'
import { z } from 'zod'

/** A model of the AI SDK's current specification. */
export type MockModel = Extract<LanguageModel, { specificationVersion: 'v4' }>

type Answer = Awaited<ReturnType<MockModel['doGenerate']>>

/** Steps of the loop: nine that call a tool, one that answers. */
export const loopSteps = 10

/** What both agents are told and asked. */
export const instructions = 'You are the assistant of a travel desk. Look things up before you act.'
export const query = 'Move my flight to Oslo by one day and tell me what it costs.'

/** The tools by name: `lookup_0` to `lookup_9`. Each has a zod schema of five fields. */
export const tenTools: ToolSet = Object.fromEntries(
  Array.from({ length: 10 }, (_, index) => [`lookup_${index}`, lookupTool(index)]),
)

/**
 * A model that calls `lookup_0` to `lookup_8` and then answers. It reads from the prompt how far the
 * conversation has come, so it needs no state and serves any number of turns. It does as little as
 * a model can: what is measured is whoever calls it.
 */
export function tenStepModel(): MockModel {
  return {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: 'ten-steps',
    supportedUrls: {},
    doGenerate: async ({ prompt }) => {
      let step = 0
      for (const { role } of prompt) if (role === 'assistant') step += 1
      return answers[step] ?? finalAnswer
    },
    doStream: async () => {
      throw new Error('This model does not stream. Use the one of the stream suite.')
    },
  }
}

/** What a turn on the loop has to come to, whoever runs it. */
export function assertLoop(
  who: string,
  turn: { readonly text: string; readonly steps: number; readonly results: readonly unknown[] },
): void {
  const expected = { text: finalText, steps: loopSteps, results: expectedResults }
  const seen = JSON.stringify({ text: turn.text, steps: turn.steps, results: turn.results })
  if (seen === JSON.stringify(expected)) return
  throw new Error(`${who} did not run the loop as it should; it came to ${seen}.`)
}

const finalText = 'Your flight leaves one day later; the change costs 40 euros.'

const usage: Answer['usage'] = {
  inputTokens: { total: 900, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 30, text: undefined, reasoning: undefined },
}

const answers: readonly Answer[] = Array.from({ length: loopSteps - 1 }, (_, step) => ({
  content: [
    {
      type: 'tool-call',
      toolCallId: `call-${step}`,
      toolName: `lookup_${step}`,
      input: JSON.stringify({ reservationId: `R${step}`, passengers: 2, detail: 'short' }),
    },
  ],
  finishReason: { unified: 'tool-calls', raw: 'tool_use' },
  usage,
  warnings: [],
}))

const finalAnswer: Answer = {
  content: [{ type: 'text', text: finalText }],
  finishReason: { unified: 'stop', raw: 'end_turn' },
  usage,
  warnings: [],
}

const expectedResults = answers.map((_, step) => ({ reservationId: `R${step}`, open: true, step }))

function lookupTool(index: number) {
  return tool({
    description: `Looks up part ${index} of a reservation.`,
    inputSchema: z.object({
      reservationId: z.string().describe('As printed on the ticket.'),
      passengers: z.number().int().min(1).max(9),
      detail: z.enum(['short', 'full']),
      cabin: z.enum(['economy', 'business']).optional(),
      segments: z.array(z.object({ from: z.string(), to: z.string() })).optional(),
    }),
    execute: async ({ reservationId }) => ({ reservationId, open: true, step: index }),
  })
}

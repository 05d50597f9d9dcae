import { setTimeout as delay } from 'node:timers/promises'
import { type GenerateTextResult, type JSONSchema7, jsonSchema, type ToolSet, tool } from 'ai'
import type { Capability } from '../capability.ts'
import { createKernel } from '../kernel.ts'
import type { KernelOptions } from '../kernel-options.ts'
import { type ScriptedStep, scriptedModel } from '../testing/scripted-model.ts'

// What the tests of a kernel called as an agent of the AI SDK have in common: kernels to call, and
// what makes their results comparable with those of the SDK's own agent.

// Schemas of the SDK's own: in this package nothing but a test imports zod.
const anyText: JSONSchema7 = { type: 'string' }
const look = tool({
  inputSchema: jsonSchema<{ id: string }>(objectOf({ id: anyText })),
  execute: async ({ id }) => ({ seen: id }),
})
const broken = tool({
  inputSchema: jsonSchema<object>(objectOf({})),
  execute: async (): Promise<string> => {
    throw new Error('down')
  },
})
/** Without execute: the client answers. */
const ask = tool({
  inputSchema: jsonSchema<{ question: string }>(objectOf({ question: anyText })),
  outputSchema: jsonSchema<string>(anyText),
})

/** One tool that works, one that fails and one for the client, as a kernel takes them. */
export const tools = { look, broken, ask } as ToolSet

/** A call of the tool that works, as a script has it. */
export const lookCall = { name: 'look', input: { id: 'x' } }
/** A call of the client's tool, as a script has it. */
export const askCall = { name: 'ask', input: { question: 'Which one?' } }

/** A kernel with the tools above whose model plays `script`, and that model. */
export function playing(script: readonly ScriptedStep[], options: Partial<KernelOptions> = {}) {
  const model = scriptedModel(script)
  return { kernel: createKernel({ model, tools, ...options }), model }
}

/** A kernel whose model never answers, with the moment it was asked. */
export function hanging() {
  const asked = Promise.withResolvers<void>()
  const model = {
    ...scriptedModel([]),
    doGenerate: () => {
      asked.resolve()
      return new Promise<never>(() => {})
    },
    doStream: () => {
      asked.resolve()
      return new Promise<never>(() => {})
    },
  }
  return { kernel: createKernel({ model }), started: asked.promise }
}

/** A capability whose gate refuses every call with `message`. */
export function refusing(message: string): Capability {
  return { name: 'rules', gate: () => () => ({ allowed: false, message }) }
}

/** The fields of a result that both kinds of call have and that two runs can agree in. */
export const resultFields = [
  'text',
  'reasoningText',
  'reasoning',
  'files',
  'sources',
  'toolCalls',
  'staticToolCalls',
  'dynamicToolCalls',
  'toolResults',
  'staticToolResults',
  'dynamicToolResults',
  'finishReason',
  'rawFinishReason',
  'usage',
  'totalUsage',
  'warnings',
  'responseMessages',
  'providerMetadata',
  'steps',
] as const

type AnyResult = GenerateTextResult<ToolSet, Record<string, unknown>, never>

/**
 * Comparable: steps by what they say, without what no two runs have in common, and without the two
 * differences that are meant: a failure names its tool, and input that would not parse is {}.
 */
export function plain(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/^(AI_\w+|Error|broken failed): /, '')
  if (value instanceof Error) return plain(value.message)
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  if ('stepNumber' in value) return plainStep(value as AnyResult['steps'][number])
  const entries = Object.entries(value).filter(
    ([name, inner]) => name !== 'raw' && inner !== undefined && inner !== false,
  )
  return Object.fromEntries(
    entries.map(([name, inner]) => [
      name,
      name === 'input' && typeof inner === 'string' ? {} : plain(inner),
    ]),
  )
}

function plainStep(step: AnyResult['steps'][number]) {
  const { stepNumber, text, reasoningText, finishReason, rawFinishReason, model } = step
  return {
    ...{ stepNumber, text, reasoningText, finishReason, rawFinishReason, model },
    content: plain(step.content),
    reasoning: plain(step.reasoning),
    toolCalls: plain(step.toolCalls),
    toolResults: plain(step.toolResults),
    usage: plain(step.usage),
    messages: plain(step.response.messages),
    response: plain({ id: step.response.id, modelId: step.response.modelId }),
  }
}

function objectOf(properties: Record<string, JSONSchema7>): JSONSchema7 {
  return { type: 'object', properties, required: Object.keys(properties) }
}

/** Everything a stream gives, in order. */
export async function collect<Item>(stream: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of stream) items.push(item)
  return items
}

/** Notes unhandled rejections until the function it gives is called, which gives them. */
export function watchUnhandled(): () => Promise<unknown[]> {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', note)
  return async () => {
    // One is announced once the microtasks are done.
    await delay(0)
    process.off('unhandledRejection', note)
    return unhandled
  }
}

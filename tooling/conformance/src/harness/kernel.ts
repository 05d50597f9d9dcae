import assert from 'node:assert/strict'
import {
  type Capability,
  createKernel,
  type ResponseRenderer,
  responseStages,
} from '@symfonic/kernel'
import { type ScriptedStep, scriptedModel } from '@symfonic/kernel/testing'
import { withPreflight } from '@symfonic/kernel/with-preflight'
import { tool } from 'ai'
import { z } from 'zod'
import type { Harnesses } from '../run-vectors.ts'
import type { Vector } from '../vectors.ts'

/** The vector kinds that `@symfonic/kernel` answers. */
export const kernel: Harnesses = {
  'response.rewrite': rewrite,
  'pipeline.order': order,
  'pipeline.stages': stages,
  'preflight.getterWired': getterWired,
  'stream.text': streamText,
}

const look = tool({ inputSchema: z.object({}), execute: async () => 'seen' })

interface Handler {
  append?: string
  throws?: boolean
  returns?: unknown
  replace?: [string, string]
}

async function rewrite({ input, expected }: Vector): Promise<void> {
  const {
    content,
    handlers,
    loopIterations = 1,
    entryPoint,
  } = input as {
    content: string
    handlers: Handler[]
    loopIterations?: number
    entryPoint?: 'stream'
  }
  let handlerCalls = 0
  const onResponseRender = handlers.map(
    (handler): ResponseRenderer =>
      (text) => {
        handlerCalls += 1
        return handle(handler, text)
      },
  )
  const loop = Array.from({ length: loopIterations - 1 }, () => ({ toolCalls: [{ name: 'look' }] }))
  const model = scriptedModel([...loop, { text: content }])
  const subject = createKernel({ model, tools: { look }, onResponseRender })
  let agentEndFinalResponse: string | undefined
  subject.observe('turn-end', ({ result }) => {
    agentEndFinalResponse = result.text
  })
  const finalResponse =
    entryPoint === 'stream' ? await drain(subject) : (await subject.run({ query: 'q' })).text

  const actual: Record<string, unknown> = { finalResponse, agentEndFinalResponse, handlerCalls }
  for (const [name, value] of Object.entries(expected as object))
    assert.deepEqual(actual[name], value, name)
}

function handle({ append, throws, returns, replace }: Handler, text: string): unknown {
  if (throws) throw new Error('a handler of the vector')
  if (replace) return text.replaceAll(...replace)
  return append === undefined ? returns : text + append
}

/** What the vector calls a stage, by what we call it. */
const stageNames: Record<string, string> = {
  salvage: 'salvage',
  'extraction-stripping': 'extractionStripping',
  fabrication: 'fabrication',
  metacognition: 'metacognition',
}

async function order({ expected }: Vector): Promise<void> {
  const seen: string[] = []
  const note = (name: string) => (text: string) => {
    seen.push(name)
    return text
  }
  const recorder: Capability = {
    name: 'recorder',
    // Declared backwards, so that the order cannot come from the declaration.
    stages: Object.fromEntries(
      [...responseStages].reverse().map((stage) => [stage, note(stageNames[stage] ?? stage)]),
    ),
  }
  const subject = createKernel({
    model: scriptedModel([{ text: 'answer' }]),
    capabilities: [recorder],
    onResponseRender: [note('onResponseRender')],
  })
  subject.observe('step-end', () => {
    seen.push('reactLoop')
  })
  subject.observe('turn-end', () => {
    seen.push('onAgentEnd')
  })
  await subject.run({ query: 'q' })
  assert.deepEqual(seen, (expected as { order: string[] }).order)
}

interface Knobs {
  proceduralEnforcePreconditions: boolean
  proceduralRenderPreflightInL1?: boolean
}

function stages({ input, expected }: Vector): void {
  const { config } = input as { config: Knobs }
  const { includes = [], excludes = [] } = expected as { includes?: string[]; excludes?: string[] }
  const capability = withPreflight({ skills: [], enforce: config.proceduralEnforcePreconditions })
  const present = capability.gate === undefined ? [] : ['preconditionGate']
  for (const stage of includes) assert(present.includes(stage), stage)
  for (const stage of excludes) assert(!present.includes(stage), stage)
}

async function getterWired({ input, expected }: Vector): Promise<void> {
  const { config } = input as { config: Knobs }
  let asked = 0
  const capability = withPreflight({
    enforce: config.proceduralEnforcePreconditions,
    renderRules: config.proceduralRenderPreflightInL1 ?? false,
    skills: () => {
      asked += 1
      return []
    },
  })
  const model = scriptedModel([{ toolCalls: [{ name: 'look' }] }, { text: 'answer' }])
  await createKernel({ model, tools: { look }, capabilities: [capability] }).run({ query: 'q' })
  assert.equal(asked > 0, (expected as { wired: boolean }).wired)
}

async function streamText({ input, expected }: Vector): Promise<void> {
  const { events } = input as { events: ['thinking' | 'text' | 'toolCallStart', string][] }
  const steps: ScriptedStep[] = []
  let step: { reasoning?: string; text?: string } = {}
  for (const [type, value] of events) {
    if (type === 'thinking') step.reasoning = value
    if (type === 'text') step.text = value
    if (type !== 'toolCallStart') continue
    steps.push({ ...step, toolCalls: [{ name: value }] })
    step = {}
  }
  const subject = createKernel({ model: scriptedModel([...steps, step]), tools: { x: look } })
  const { textStream } = await subject.stream({ prompt: 'q', options: {} })
  const yields: string[] = []
  for await (const text of textStream) yields.push(text)
  assert.deepEqual(yields, (expected as { yields: string[] }).yields)
}

async function drain(subject: ReturnType<typeof createKernel>): Promise<string> {
  const stream = subject.stream({ query: 'q' })
  let next = await stream.next()
  while (!next.done) next = await stream.next()
  return next.value.text
}

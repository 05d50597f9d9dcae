import {
  type AgentCallParameters,
  type AgentStreamParameters,
  type AsyncIterableStream,
  createTextStreamResponse,
  createUIMessageStreamResponse,
  type FinishReason,
  type GenerateTextResult,
  type LanguageModel,
  type ModelMessage,
  pipeTextStreamToResponse,
  pipeUIMessageStreamToResponse,
  type StepResult,
  type StreamTextResult,
  type TextStreamPart,
  type ToolSet,
  toUIMessageStream,
} from 'ai'
import type { Plan } from './compose.ts'
import { KernelError } from './errors.ts'
import type { TurnEvent } from './events.ts'
import { stepPerformance, toTextStreamParts } from './text-stream-parts.ts'
import type { TurnOptions } from './turn-input.ts'
import type { StepRecord, TurnResult } from './turn-state.ts'

/** What `kernel.generate` gives: the AI SDK's result, read off a turn. */
export type AgentGenerateResult = GenerateTextResult<ToolSet, Context, never>

/** What `kernel.stream` gives when called as an Agent: the AI SDK's streaming result. */
export type AgentStreamResult = StreamTextResult<ToolSet, Context, never>

type Context = Record<string, unknown>
type AgentCall = AgentCallParameters<TurnOptions, ToolSet>
type Events = AsyncGenerator<TurnEvent, TurnResult, void>

/** Runs a turn as the AI SDK's blocking agent call. */
export async function generateAsAgent(
  start: (call: AgentCall) => Events,
  call: AgentCall,
  plan: Plan,
): Promise<AgentGenerateResult> {
  const events = watchSteps(start(withinTimeout(call)), call, plan)
  let next = await events.next()
  while (!next.done) next = await events.next()
  return toGenerateResult(next.value, plan)
}

/** Runs a turn as the AI SDK's streaming agent call. */
export async function streamAsAgent(
  start: (call: AgentCall) => Events,
  call: AgentStreamParameters<TurnOptions, ToolSet>,
  plan: Plan,
): Promise<AgentStreamResult> {
  const events = watchSteps(start(withinTimeout(call)), call, plan)
  return toStreamResult(events, plan)
}

/** Callbacks the kernel's own events stand for. Ignoring one silently would be worse than refusing it. */
const refusedCallbacks = [
  'onStart',
  'experimental_onStart',
  'onStepStart',
  'experimental_onStepStart',
  'onToolExecutionStart',
  'experimental_onToolCallStart',
  'onToolExecutionEnd',
  'experimental_onToolCallFinish',
  'onEnd',
  'onFinish',
  'experimental_sandbox',
  'experimental_transform',
] as const

function withinTimeout(call: AgentCall): AgentCall {
  for (const name of refusedCallbacks) {
    if ((call as Partial<Record<string, unknown>>)[name] === undefined) continue
    throw new KernelError(
      'KERNEL_INPUT_INVALID',
      `A kernel does not take ${name}. Watch its events with kernel.observe or kernel.stream({ query }) instead.`,
      { details: { field: name } },
    )
  }
  const { timeout, abortSignal } = call
  if (timeout === undefined) return call
  const totalMs = typeof timeout === 'number' ? timeout : timeout.totalMs
  const others = typeof timeout === 'number' ? [] : Object.keys(timeout)
  if (totalMs === undefined || others.some((name) => name !== 'totalMs')) {
    throw new KernelError(
      'KERNEL_INPUT_INVALID',
      'Of timeout a kernel takes a number or { totalMs } only. Set the others once, as limits of createKernel.',
      { details: { field: 'timeout' } },
    )
  }
  const limit = AbortSignal.timeout(totalMs)
  return { ...call, abortSignal: abortSignal ? AbortSignal.any([abortSignal, limit]) : limit }
}

/** Tells `onStepEnd` of each step; like the SDK, waits for it and swallows what it throws. */
async function* watchSteps(events: Events, call: AgentCall, plan: Plan): Events {
  const onStepEnd = call.onStepEnd ?? call.onStepFinish
  const steps: StepResult<ToolSet, Context>[] = []
  try {
    let next = await events.next()
    while (!next.done) {
      if (onStepEnd && next.value.type === 'step-end') {
        const step = toStepResult(next.value.record, plan)
        steps.push(step)
        try {
          await onStepEnd(step as never)
        } catch (error) {
          plan.logger.error('onStepEnd failed', { error })
        }
      }
      yield next.value
      next = await events.next()
    }
    return next.value
  } finally {
    await events.return(undefined as never)
  }
}

function toGenerateResult(result: TurnResult, plan: Plan): AgentGenerateResult {
  const steps = result.steps.map((step) => toStepResult(step, plan))
  const finalStep = lastOf(steps)
  const content = steps.flatMap((step) => step.content)
  return {
    content,
    text: result.text,
    ...byKind(content),
    reasoning: finalStep.reasoning.map(({ providerOptions, ...part }) => ({
      ...part,
      ...(providerOptions && { providerMetadata: providerOptions }),
    })) as AgentGenerateResult['reasoning'],
    reasoningText: finalStep.reasoningText,
    finishReason: sdkFinishReason(result),
    rawFinishReason: finalStep.rawFinishReason,
    usage: result.usage,
    totalUsage: result.usage,
    warnings: steps.flatMap((step) => step.warnings ?? []),
    request: finalStep.request,
    response: finalStep.response,
    responseMessages: responseMessages(result),
    providerMetadata: finalStep.providerMetadata,
    steps,
    finalStep,
    get output(): never {
      throw noOutput()
    },
  }
}

function toStreamResult(events: Events, plan: Plan): AgentStreamResult {
  const done = Promise.withResolvers<AgentGenerateResult>()
  // Whoever asks for a field gets the rejection; nobody asking is no unhandled one.
  done.promise.catch(() => {})

  const source = partStream(keepResult(events, plan, done))
  let rest: ReadableStream<TextStreamPart<ToolSet>> = source
  const branch = () => {
    const [mine, others] = rest.tee()
    rest = others
    return iterable(mine)
  }
  const field = <Name extends keyof AgentGenerateResult>(name: Name) =>
    done.promise.then((result) => result[name])
  const texts = () => textOnly(branch())
  const uiStream = (options?: object) => toUIMessageStream({ ...options, stream: branch() })

  return {
    get stream() {
      return branch()
    },
    get fullStream() {
      return branch()
    },
    get textStream() {
      return texts()
    },
    content: field('content'),
    text: field('text'),
    reasoning: field('reasoning'),
    reasoningText: field('reasoningText'),
    files: field('files'),
    sources: field('sources'),
    toolCalls: field('toolCalls'),
    staticToolCalls: field('staticToolCalls'),
    dynamicToolCalls: field('dynamicToolCalls'),
    toolResults: field('toolResults'),
    staticToolResults: field('staticToolResults'),
    dynamicToolResults: field('dynamicToolResults'),
    finishReason: field('finishReason'),
    rawFinishReason: field('rawFinishReason'),
    usage: field('usage'),
    totalUsage: field('totalUsage'),
    warnings: field('warnings'),
    steps: field('steps'),
    finalStep: field('finalStep'),
    request: field('request'),
    response: field('response'),
    responseMessages: field('responseMessages'),
    providerMetadata: field('providerMetadata'),
    get output(): never {
      throw noOutput()
    },
    get partialOutputStream(): never {
      throw noOutput()
    },
    get experimental_partialOutputStream(): never {
      throw noOutput()
    },
    get elementStream(): never {
      throw noOutput()
    },
    consumeStream: async (options) => {
      try {
        for await (const _ of branch()) {
          // Pulling is the point.
        }
      } catch (error) {
        options?.onError?.(error)
      }
    },
    toUIMessageStream: (options) => uiStream(options) as never,
    toUIMessageStreamResponse: (options) =>
      createUIMessageStreamResponse({ ...options, stream: uiStream(options) }),
    pipeUIMessageStreamToResponse: async (response, options) =>
      pipeUIMessageStreamToResponse({ ...options, response, stream: uiStream(options) }),
    toTextStreamResponse: (init) => createTextStreamResponse({ ...init, stream: texts() }),
    pipeTextStreamToResponse: async (response, init) =>
      pipeTextStreamToResponse({ ...init, response, stream: texts() }),
  }
}

/** Passes the events on and settles `done` with the turn's result. */
async function* keepResult(
  events: Events,
  plan: Plan,
  done: PromiseWithResolvers<AgentGenerateResult>,
): AsyncGenerator<TurnEvent, void, void> {
  try {
    const result = yield* events
    done.resolve(toGenerateResult(result, plan))
  } catch (error) {
    // The terminal event has told the stream; as with the SDK it ends, and the fields reject.
    done.reject(error)
  } finally {
    done.reject(new KernelError('KERNEL_TURN_ABORTED', 'The consumer left the stream.'))
  }
}

function partStream(events: AsyncIterable<TurnEvent>): ReadableStream<TextStreamPart<ToolSet>> {
  const parts = toTextStreamParts(events)
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await parts.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: async () => {
      await parts.return()
    },
  })
}

function textOnly(parts: AsyncIterable<TextStreamPart<ToolSet>>): AsyncIterableStream<string> {
  const iterator = parts[Symbol.asyncIterator]()
  return iterable(
    new ReadableStream<string>({
      pull: async (controller) => {
        while (true) {
          const { done, value } = await iterator.next()
          if (done) return controller.close()
          if (value.type === 'text-delta') return controller.enqueue(value.text)
        }
      },
      cancel: async () => {
        await iterator.return?.()
      },
    }),
  )
}

function iterable<Item>(stream: ReadableStream<Item>): AsyncIterableStream<Item> {
  // Node's own streams iterate; the SDK's type adds nothing else.
  return stream as AsyncIterableStream<Item>
}

function toStepResult(record: StepRecord, plan: Plan): StepResult<ToolSet, Context> {
  const content = [...record.content]
  const reasoning = content.flatMap((part) =>
    part.type === 'reasoning'
      ? [
          {
            type: 'reasoning' as const,
            text: part.text,
            ...(part.providerMetadata && { providerOptions: part.providerMetadata }),
          },
        ]
      : [],
  )
  return {
    callId: `step-${record.step}`,
    stepNumber: record.step - 1,
    model: describeModel(plan.model),
    toolsContext: {} as never,
    runtimeContext: {},
    content,
    text: content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(''),
    reasoning,
    reasoningText: reasoning.length > 0 ? reasoning.map(({ text }) => text).join('') : undefined,
    ...byKind(content),
    finishReason: record.finishReason,
    rawFinishReason: record.rawFinishReason,
    usage: record.usage,
    performance: stepPerformance(record),
    warnings: [...record.warnings],
    request: {},
    response: {
      id: record.response.id ?? '',
      modelId: record.response.modelId ?? describeModel(plan.model).modelId,
      timestamp: record.response.timestamp ?? new Date(0),
      messages: [...record.messages],
    } as StepResult<ToolSet, Context>['response'],
    providerMetadata: record.providerMetadata,
  }
}

type Content = StepResult<ToolSet, Context>['content']

function byKind(content: Content) {
  const ofType = <Type extends Content[number]['type']>(type: Type) =>
    content.filter((part): part is Extract<Content[number], { type: Type }> => part.type === type)
  const toolCalls = ofType('tool-call')
  const toolResults = ofType('tool-result')
  return {
    files: ofType('file').map(({ file }) => file),
    sources: ofType('source'),
    toolCalls,
    staticToolCalls: toolCalls.filter((call) => call.dynamic !== true),
    dynamicToolCalls: toolCalls.filter((call) => call.dynamic === true),
    toolResults,
    staticToolResults: toolResults.filter((result) => result.dynamic !== true),
    dynamicToolResults: toolResults.filter((result) => result.dynamic === true),
  } as Pick<
    StepResult<ToolSet, Context>,
    | 'files'
    | 'sources'
    | 'toolCalls'
    | 'staticToolCalls'
    | 'dynamicToolCalls'
    | 'toolResults'
    | 'staticToolResults'
    | 'dynamicToolResults'
  >
}

function describeModel(model: LanguageModel) {
  return typeof model === 'string'
    ? { provider: 'gateway', modelId: model }
    : { provider: model.provider, modelId: model.modelId }
}

function responseMessages({ added }: TurnResult) {
  return added.filter(
    (message): message is Extract<ModelMessage, { role: 'assistant' | 'tool' }> =>
      message.role === 'assistant' || message.role === 'tool',
  )
}

function sdkFinishReason({ finishReason }: TurnResult): FinishReason {
  return finishReason === 'step-limit' ? 'other' : finishReason
}

function lastOf<Item>(items: readonly Item[]): Item {
  const last = items.at(-1)
  if (last === undefined) throw new KernelError('KERNEL_TURN_FAILED', 'The turn has no step.')
  return last
}

function noOutput() {
  return new KernelError(
    'KERNEL_INPUT_INVALID',
    'A kernel turn has no structured output. Read text, or call the model with an output of its own.',
    { details: { field: 'output' } },
  )
}

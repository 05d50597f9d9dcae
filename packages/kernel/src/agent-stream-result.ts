import {
  type AsyncIterableStream,
  createTextStreamResponse,
  createUIMessageStreamResponse,
  pipeTextStreamToResponse,
  pipeUIMessageStreamToResponse,
  type StreamTextResult,
  type TextStreamPart,
  type ToolSet,
  toUIMessageStream,
} from 'ai'
import { type AgentGenerateResult, noOutput, toGenerateResult } from './agent-result.ts'
import type { Plan } from './compose.ts'
import type { KernelError } from './errors.ts'
import type { TurnEvent } from './events.ts'
import { consumerLeft } from './run-turn.ts'
import { toTextStreamParts } from './text-stream-parts.ts'
import type { TurnResult } from './turn-state.ts'

/** What `kernel.stream` gives when called as an Agent: the AI SDK's streaming result. */
export type AgentStreamResult = StreamTextResult<ToolSet, Record<string, unknown>, never>

type Events = AsyncGenerator<TurnEvent, TurnResult, void>

/**
 * A turn as the SDK's streaming calls give it. The readers share the one turn: the first makes it
 * run, the last to leave aborts it.
 *
 * @param leave - Aborts the turn.
 */
export function toStreamResult(
  events: Events,
  plan: Plan,
  leave: (reason: KernelError) => void,
): AgentStreamResult {
  const done = Promise.withResolvers<AgentGenerateResult>()
  // Whoever asks for a field gets the rejection; nobody asking is no unhandled one.
  done.promise.catch(() => {})

  let rest = partStream(keepResult(events, plan, done))
  let readers = 0
  const branch = (): AsyncIterableStream<TextStreamPart<ToolSet>> => {
    const [mine, others] = rest.tee()
    rest = others
    readers += 1
    const reader = mine.getReader()
    return iterable(
      new ReadableStream({
        pull: async (controller) => {
          const next = await reader.read()
          if (next.done) controller.close()
          else controller.enqueue(next.value)
        },
        cancel: async () => {
          readers -= 1
          // Settles once the others have left as well, so it cannot be waited for.
          reader.cancel().catch(() => {})
          if (readers > 0) return
          // A turn that nobody reads any more would stand still for ever.
          const reason = consumerLeft()
          leave(reason)
          await rest.cancel()
          done.reject(reason)
        },
      }),
    )
  }
  let running: Promise<void> | undefined
  /** Read off the finished turn. As with the SDK, asking for one makes the turn run. */
  const field = async <Name extends keyof AgentGenerateResult>(name: Name) => {
    running ??= pullAll(branch())
    await running
    return (await done.promise)[name]
  }
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
    get content() {
      return field('content')
    },
    get text() {
      return field('text')
    },
    get reasoning() {
      return field('reasoning')
    },
    get reasoningText() {
      return field('reasoningText')
    },
    get files() {
      return field('files')
    },
    get sources() {
      return field('sources')
    },
    get toolCalls() {
      return field('toolCalls')
    },
    get staticToolCalls() {
      return field('staticToolCalls')
    },
    get dynamicToolCalls() {
      return field('dynamicToolCalls')
    },
    get toolResults() {
      return field('toolResults')
    },
    get staticToolResults() {
      return field('staticToolResults')
    },
    get dynamicToolResults() {
      return field('dynamicToolResults')
    },
    get finishReason() {
      return field('finishReason')
    },
    get rawFinishReason() {
      return field('rawFinishReason')
    },
    get usage() {
      return field('usage')
    },
    get totalUsage() {
      return field('totalUsage')
    },
    get warnings() {
      return field('warnings')
    },
    get steps() {
      return field('steps')
    },
    get finalStep() {
      return field('finalStep')
    },
    get request() {
      return field('request')
    },
    get response() {
      return field('response')
    },
    get responseMessages() {
      return field('responseMessages')
    },
    get providerMetadata() {
      return field('providerMetadata')
    },
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
        await pullAll(branch())
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

async function pullAll(parts: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of parts) {
    // Pulling is the point.
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
  }
}

function partStream(events: AsyncIterable<TurnEvent>): ReadableStream<TextStreamPart<ToolSet>> {
  const parts = toTextStreamParts(events)
  return new ReadableStream(
    {
      pull: async (controller) => {
        const { done, value } = await parts.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: async () => {
        await parts.return()
      },
    },
    atOurPace,
  )
}

/** Nothing is pulled before somebody reads. */
const atOurPace = { highWaterMark: 0 }

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

import { checkOptions, type OptionKind } from '../check-options.ts'
import { PluginError } from '../errors.ts'
import {
  createGuard,
  type GuardContext,
  type GuardOptions,
  type GuardOutcome,
  guardOptionKinds,
} from '../guard.ts'
import type { PluginSource } from '../plugin-source.ts'
import { describeGuardRefusal, guardRequestFor, type ProposedCall } from '../tool-call.ts'
import type { ModelMessage, ToolSet } from './sdk.ts'

/** A call that a guarded tool is about to run, with the conversation it was made in. */
export interface GuardedCall extends ProposedCall {
  readonly messages: readonly ModelMessage[]
}

/** How tools are guarded. Everything is optional. */
export interface GuardToolsOptions extends GuardOptions {
  /**
   * What guards are told beside `toolName`, `toolCallId` and `arguments`: plain data, or a function
   * that is asked for each call. One that throws denies the call.
   */
  readonly context?:
    | GuardContext
    | ((call: GuardedCall) => GuardContext | PromiseLike<GuardContext>)
    | undefined
}

/**
 * The same tools, with an `execute` that asks the guards first. A refused call throws a `PluginError`
 * (`PLUGIN_CALL_REFUSED`), which the model reads as an error result, and the loop goes on. A tool runs
 * only when every guard has allowed its call, however long that takes, also in a stream and beside
 * other calls. Guards see a copy of the arguments; the tool gets the ones the SDK made.
 *
 * Tools without `execute` and tools that a provider runs are passed through: nothing here runs them,
 * so nothing here can hold them. Ask a guard from `createGuard` where you run such a call.
 *
 * A plain function that returns an async iterable is read to its end, since a promise has been given
 * by then; an async generator keeps its preliminary results.
 *
 * @throws PluginError as `createGuard`.
 * @see PLUG-16, PLUG-57, PLUG-62
 */
export function guardTools<TOOLS extends ToolSet>(
  tools: TOOLS,
  plugins: PluginSource,
  options: GuardToolsOptions = {},
): TOOLS {
  checkOptions('guardTools', options, optionKinds)
  const { context, ...guarding } = options
  const guard = createGuard(plugins, guarding)
  const entries = Object.entries(tools).map(([name, tool]) => [name, guarded(name, tool)])
  return Object.fromEntries(entries) as TOOLS

  function guarded(toolName: string, tool: AnyTool): AnyTool {
    if (typeof tool?.execute !== 'function') return tool
    const original = tool.execute
    const run: Execute = (input, about) => Reflect.apply(original, tool, [input, about])
    const admitted: Execute = (input, about) => {
      const { toolCallId = '', messages = [], abortSignal } = about ?? {}
      return admit({ toolCallId, toolName, input, messages }, abortSignal)
    }
    const execute = isAsyncGenerator(original)
      ? streamedAfter(admitted, run)
      : settledAfter(admitted, run)
    return Object.create(Object.getPrototypeOf(tool), {
      ...Object.getOwnPropertyDescriptors(tool),
      execute: { value: execute, configurable: true, enumerable: true, writable: true },
    })
  }

  async function admit(call: GuardedCall, signal: AbortSignal | undefined): Promise<void> {
    const about = typeof context === 'function' ? () => context(call) : context
    const outcome = await guard(guardRequestFor(call, { context: about, signal }))
    if (!outcome.allowed) throw refusal(call, outcome)
  }
}

const optionKinds: Readonly<Record<keyof GuardToolsOptions, OptionKind>> = {
  ...guardOptionKinds,
  context: 'context',
}

type AnyTool = ToolSet[string]
type Execute = NonNullable<AnyTool['execute']>

function refusal({ toolCallId, toolName }: ProposedCall, outcome: GuardOutcome): PluginError {
  const message = describeGuardRefusal(toolName, outcome)
  const details = { toolName, toolCallId, decisions: outcome.decisions }
  const error = new PluginError('PLUGIN_CALL_REFUSED', message, { details })
  // The SDK writes down what an error says of itself as a text. To a model its class is noise.
  return Object.defineProperty(error, 'toString', { value: () => message })
}

/** What was a generator stays one, so that whoever wraps it again can tell. */
function streamedAfter(admitted: Execute, run: Execute): Execute {
  return async function* execute(input, about) {
    await admitted(input, about)
    yield* run(input, about) as AsyncIterable<unknown>
  }
}

function settledAfter(admitted: Execute, run: Execute): Execute {
  return async function execute(input, about) {
    await admitted(input, about)
    const result: unknown = run(input, about)
    if (!isAsyncIterable(result)) return result
    let last: unknown
    for await (const value of result) last = value
    return last
  }
}

function isAsyncGenerator(execute: unknown): boolean {
  return Object.prototype.toString.call(execute) === '[object AsyncGeneratorFunction]'
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  const { [Symbol.asyncIterator]: iterate } = (value ?? {}) as Partial<AsyncIterable<unknown>>
  return typeof iterate === 'function'
}

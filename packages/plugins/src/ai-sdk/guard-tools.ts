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
import { kindOf, printable } from '../printable.ts'
import { frozenView, mutableCopy } from '../request-copy.ts'
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
   * that is asked for each call, with a frozen copy of the arguments. One that throws denies the call.
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
 * other calls, and not once the run is stopped. The arguments are copied before anybody is asked:
 * guards and the tool get what they were then. Arguments that no copy can show, such as an instance of
 * a class, are denied where there is a guard, and reach the tool as they are where there is none.
 *
 * Tools without `execute` and tools that a provider runs are passed through: nothing here runs them,
 * so nothing here can hold them. Ask a guard from `createGuard` where you run such a call.
 *
 * A plain function that returns an async iterable is read to its end, since a promise has been given
 * by then; an async generator keeps its preliminary results.
 *
 * @throws PluginError as `createGuard`, and `PLUGIN_OPTION_INVALID` for tools that are none.
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
  requireTools(tools)
  const entries = Object.entries(tools).map(([name, tool]) => [name, guarded(name, tool)])
  return Object.fromEntries(entries) as TOOLS

  function guarded(toolName: string, tool: AnyTool): AnyTool {
    if (typeof tool.execute !== 'function') return tool
    const original = tool.execute
    const run: Execute = (input, about) => Reflect.apply(original, tool, [input, about])
    const admitted: Admitted = (input, about) => {
      const { toolCallId = '', messages = [], abortSignal } = about ?? {}
      return admit({ toolCallId, toolName, input, messages }, abortSignal ?? undefined)
    }
    const execute = isAsyncGenerator(original)
      ? streamedAfter(admitted, run)
      : settledAfter(admitted, run)
    return Object.create(Object.getPrototypeOf(tool), {
      ...Object.getOwnPropertyDescriptors(tool),
      execute: { value: execute, configurable: true, enumerable: true, writable: true },
    })
  }

  /** @returns The arguments that were judged, for the tool to write to. */
  async function admit(call: GuardedCall, signal: AbortSignal | undefined): Promise<unknown> {
    const shown = shownOf(call.input)
    const judged = 'error' in shown ? call : { ...call, input: shown.input }
    const about = () => {
      if ('error' in shown) throw shown.error
      return (typeof context === 'function' ? context(judged) : context) as GuardContext
    }
    const outcome = await guard(guardRequestFor(judged, { context: about, signal }))
    if (!outcome.allowed) throw refusal(call, outcome)
    // The run may have ended between a verdict and our reading of it.
    signal?.throwIfAborted()
    return 'error' in shown ? call.input : mutableCopy(shown.input)
  }
}

const optionKinds: Readonly<Record<keyof GuardToolsOptions, OptionKind>> = {
  ...guardOptionKinds,
  context: 'context',
}

type AnyTool = ToolSet[string]
type Execute = NonNullable<AnyTool['execute']>
/** Asks about a call, and gives the arguments to run it with. */
type Admitted = (...call: Parameters<Execute>) => Promise<unknown>

function requireTools(tools: unknown): void {
  if (kindOf(tools) !== 'an object') throw noTools('tools', tools)
  for (const [name, tool] of Object.entries(tools as object)) {
    if (kindOf(tool) !== 'an object') throw noTools(`tools.${printable(name, 60)}`, tool)
  }
}

function noTools(option: string, value: unknown): PluginError {
  const what = option === 'tools' ? 'an object of tools by name' : 'a tool, or leave it out'
  const message = `${option} is ${kindOf(value)}. Give ${what}.`
  return new PluginError('PLUGIN_OPTION_INVALID', message, { details: { option } })
}

/** What guards may see of the arguments, or why they may see nothing. */
function shownOf(input: unknown): { readonly input: unknown } | { readonly error: unknown } {
  try {
    return {
      input: (frozenView({ arguments: input }) as { readonly arguments: unknown }).arguments,
    }
  } catch (error) {
    return { error }
  }
}

function refusal({ toolCallId, toolName }: ProposedCall, outcome: GuardOutcome): PluginError {
  const message = describeGuardRefusal(toolName, outcome)
  const details = { toolName, toolCallId, decisions: outcome.decisions }
  const error = new PluginError('PLUGIN_CALL_REFUSED', message, { details })
  // The SDK writes down what an error says of itself as a text. To a model its class is noise.
  return Object.defineProperty(error, 'toString', { value: () => message })
}

/** What was a generator stays one, so that whoever wraps it again can tell. */
function streamedAfter(admitted: Admitted, run: Execute): Execute {
  return async function* execute(input, about) {
    yield* run(await admitted(input, about), about) as AsyncIterable<unknown>
  }
}

function settledAfter(admitted: Admitted, run: Execute): Execute {
  return async function execute(input, about) {
    const result: unknown = run(await admitted(input, about), about)
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

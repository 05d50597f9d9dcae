import { type Applicant, judgeInTurn, judgeNow } from './admission.ts'
import { isThenable, type Judge, type Judgement } from './judge.ts'
import type { ProposedCall } from './options.ts'
import { type Report, refusalError } from './refusals.ts'
import type { ToolSet } from './sdk.ts'
import {
  announceCall,
  type Convert,
  holdCall,
  releaseCall,
  type StepLog,
  settleCall,
  startCall,
} from './step-calls.ts'
import { type AnyTool, convertByTool, errorOutput, modelOutput } from './tool-output.ts'

/** Puts the gate into tools. */
export interface ToolWrapper {
  /**
   * The same tools, with an `execute` that asks the rules first. Tools without `execute` are passed
   * through, and so are tools that are wrapped already.
   */
  readonly wrap: <TOOLS extends ToolSet>(tools: TOOLS) => TOOLS
  /** Whether a tool asks the rules itself, under that name. */
  readonly isWrapped: (tool: AnyTool | undefined, toolName: string) => boolean
  /**
   * Whether a tool of that name is among the tools of every run, as far as they are known: in every
   * set that was wrapped. Before any set is known, every name might be.
   */
  readonly isEverywhere: (toolName: string) => boolean
}

/** A wrapper for the tools of one app. */
export function createToolWrapper({
  judge,
  report,
  stepOf,
  enforce,
}: {
  readonly judge: Judge
  readonly report: Report
  readonly stepOf: StepLog
  /** false passes every tool through. */
  readonly enforce: boolean
}): ToolWrapper {
  const wrappedAs = new WeakMap<object, string>()
  let names: ReadonlySet<string> | undefined
  const isWrapped = (tool: AnyTool | undefined, toolName: string) =>
    typeof tool?.execute === 'function' && wrappedAs.get(tool.execute) === toolName

  return Object.freeze({
    wrap: <TOOLS extends ToolSet>(tools: TOOLS): TOOLS => {
      const entries = Object.entries(tools).map(([name, tool]) => [
        name,
        !enforce || isWrapped(tool, name) ? tool : wrapTool(name, tool),
      ])
      // Which of the sets a run is given is not told to anyone: only what all have is sure.
      const offered = Object.keys(tools)
      names = new Set(names ? offered.filter((name) => names?.has(name)) : offered)
      return Object.fromEntries(entries) as TOOLS
    },
    isWrapped,
    isEverywhere: (toolName: string) => names?.has(toolName) ?? true,
  })

  function wrapTool(toolName: string, tool: AnyTool): AnyTool {
    if (typeof tool?.execute !== 'function') return tool
    const execute = guarded(toolName, tool)
    wrappedAs.set(execute, toolName)
    const { onInputAvailable, toModelOutput } = tool
    return withTraits(tool, {
      execute,
      // Told of every call of a step before the first of them starts: this is where order is known.
      onInputAvailable: (about: Parameters<NonNullable<typeof onInputAvailable>>[0]) => {
        const { toolCallId, input, messages, abortSignal } = about
        if (Array.isArray(messages)) {
          announceCall(stepOf, messages, { toolCallId, toolName, input }, abortSignal)
        }
        return tool.onInputAvailable?.(about)
      },
      ...(toModelOutput && {
        toModelOutput: (about: Parameters<typeof toModelOutput>[0]) => convertByTool(tool, about),
      }),
    })
  }

  function guarded(toolName: string, tool: AnyTool): Execute {
    const isGenerator = isAsyncGenerator(tool.execute)
    return (input, options) => {
      const { toolCallId, messages: given, abortSignal } = options ?? {}
      // Without a history nothing has been called.
      const messages = Array.isArray(given) ? given : []
      const toolCall = { toolCallId, toolName, input }
      const step = stepOf(messages, toolCall)
      const call = startCall(step, toolCall)
      const applicant: Applicant = { call, step, messages }
      const settle: Settle = (convert) => settleCall(step, call, convert)
      const run = () => watched(tool, toolCall, settle, () => tool.execute?.(input, options))

      const now = judgeNow(judge, applicant)
      if (now?.allowed) return run()
      if (now === undefined) holdCall(call)
      const admitted = async () => {
        const judgement = now ?? (await inTurn(applicant, settle, abortSignal))
        if (!judgement.allowed) throw refuse(toolCall, settle, judgement)
        releaseCall(step, call)
      }
      return isGenerator ? streamedAfter(admitted, run) : settledAfter(admitted, run)
    }
  }

  async function inTurn(
    applicant: Applicant,
    settle: Settle,
    abortSignal: AbortSignal | undefined,
  ): Promise<Judgement> {
    try {
      return await judgeInTurn(judge, applicant, abortSignal)
    } catch (error) {
      settle(() => errorOutput(error))
      throw error
    }
  }

  function refuse(
    toolCall: ProposedCall,
    settle: Settle,
    { refusal, cause }: Extract<Judgement, { allowed: false }>,
  ): Error {
    const refused = { toolCall, refusal, by: 'execute' as const, cause }
    const error = refusalError(refused)
    settle(() => errorOutput(error))
    report(refused)
    return error
  }
}

type Execute = NonNullable<AnyTool['execute']>
type Settle = (convert: Convert) => void

/** Runs a tool and notes how it ends. What kind of thing it returns, this returns as well. */
function watched(
  tool: AnyTool,
  toolCall: ProposedCall,
  settle: Settle,
  run: () => unknown,
): unknown {
  const succeed = (value: unknown) => settle(() => modelOutput(tool, toolCall, value))
  const fail = (error: unknown) => settle(() => errorOutput(error))
  let result: unknown
  try {
    result = run()
  } catch (error) {
    fail(error)
    throw error
  }
  if (isAsyncIterable(result)) return watchedStream(result, succeed, fail)
  if (!isThenable(result)) {
    succeed(result)
    return result
  }
  // A query builder runs anew each time its `then` is called: it is called here, once for all.
  const promise = Promise.resolve(result)
  promise.then(succeed, fail)
  return promise
}

/** The last value of a stream is the tool's result; one that is left early has none. */
async function* watchedStream(
  values: AsyncIterable<unknown>,
  succeed: (value: unknown) => void,
  fail: (error: unknown) => void,
) {
  let last: unknown
  let isOver = false
  let failure: unknown = new Error('the tool was stopped before it had a result')
  try {
    for await (const value of values) {
      last = value
      yield value
    }
    isOver = true
  } catch (error) {
    failure = error
    throw error
  } finally {
    if (isOver) succeed(last)
    else fail(failure)
  }
}

async function* streamedAfter(admitted: () => Promise<void>, run: () => unknown) {
  await admitted()
  yield* run() as AsyncIterable<unknown>
}

/**
 * A promise has been given by now, so that a plain function which returns a stream can only be read
 * to its end: its preliminary results are lost, its result is not.
 */
async function settledAfter(admitted: () => Promise<void>, run: () => unknown): Promise<unknown> {
  await admitted()
  const result = run()
  if (!isAsyncIterable(result)) return result
  let last: unknown
  for await (const value of result) last = value
  return last
}

/** A copy that differs in the given traits alone: same prototype, same symbols, same getters. */
function withTraits(tool: AnyTool, traits: object): AnyTool {
  return Object.create(Object.getPrototypeOf(tool), {
    ...Object.getOwnPropertyDescriptors(tool),
    ...Object.getOwnPropertyDescriptors(traits),
  })
}

function isAsyncGenerator(execute: unknown): boolean {
  return Object.prototype.toString.call(execute) === '[object AsyncGeneratorFunction]'
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  const { [Symbol.asyncIterator]: iterate } = (value ?? {}) as Partial<AsyncIterable<unknown>>
  return typeof iterate === 'function'
}

import { executeTool } from '@ai-sdk/provider-utils'
import type { ModelMessage, ToolSet, TypedToolCall } from 'ai'
import { type Cancellation, createCancellation } from './cancellation.ts'
import { describeError } from './describe-error.ts'
import { plainCopy } from './plain-copy.ts'
import { errorOutput, isFailure, type ToolOutput, toToolOutput } from './tool-output.ts'
import type { AnyTool } from './tools.ts'

/** What came of running a tool. */
export type ToolOutcome =
  | { readonly ok: true; readonly value: unknown; readonly output: ToolOutput }
  | { readonly ok: false; readonly error: unknown; readonly output: ToolOutput }

/**
 * Runs one tool within its time limit. A tool that throws, hangs or gives something JSON cannot hold
 * fails: the model reads why and the turn goes on. Only the end of the turn itself rejects. Its input is
 * a copy of its own, which it may change.
 *
 * @param onPreliminary - Told each intermediate value of a tool that yields several.
 */
export async function runTool(
  tool: AnyTool,
  call: TypedToolCall<ToolSet>,
  about: {
    readonly messages: readonly ModelMessage[]
    readonly context: unknown
    readonly turn: Cancellation
    readonly timeoutMs: number
    readonly onPreliminary: (value: unknown) => void
  },
): Promise<ToolOutcome> {
  let value: unknown
  const own = { ...call, input: plainCopy(call.input) } as TypedToolCall<ToolSet>
  const work = async (signal: AbortSignal) => {
    value = await lastValue(tool, own, { ...about, signal })
    return toToolOutput(tool, own, value)
  }
  const outcome = await withinTimeLimit(call.toolName, work, about.turn, about.timeoutMs)
  return outcome.ok ? { ok: true, value, output: outcome.output } : outcome
}

/**
 * Lets code of a tool say what the model reads, within a time limit. Whatever it does, there is an
 * output; only the end of the turn itself rejects.
 */
export async function withinTimeLimit(
  toolName: string,
  work: (signal: AbortSignal) => Promise<ToolOutput>,
  turn: Cancellation,
  timeoutMs: number,
): Promise<
  | { readonly ok: true; readonly output: ToolOutput }
  | { readonly ok: false; readonly error: unknown; readonly output: ToolOutput }
> {
  const limit = createCancellation(turn.signal, {
    timeoutMs,
    reason: () => new Error(`no answer within ${timeoutMs} ms`),
  })
  try {
    const output = await limit.race(work(limit.signal))
    // A tool may say through toModelOutput that its value is a failure.
    return isFailure(output)
      ? { ok: false, error: 'value' in output ? output.value : output.reason, output }
      : { ok: true, output }
  } catch (error) {
    if (turn.signal.aborted) throw turn.signal.reason
    return { ok: false, error, output: errorOutput(describeFailure(toolName, error)) }
  } finally {
    limit.close()
  }
}

async function lastValue(
  tool: AnyTool,
  call: TypedToolCall<ToolSet>,
  about: {
    readonly messages: readonly ModelMessage[]
    readonly context: unknown
    readonly signal: AbortSignal
    readonly onPreliminary: (value: unknown) => void
  },
): Promise<unknown> {
  const values = executeTool({
    tool: tool as never,
    input: call.input as never,
    options: {
      toolCallId: call.toolCallId,
      messages: [...about.messages],
      abortSignal: about.signal,
      context: about.context as never,
    },
  })
  let last: unknown
  for await (const { type, output } of values) {
    if (type === 'preliminary' && !about.signal.aborted) about.onPreliminary(output)
    else last = output
  }
  return last
}

function describeFailure(toolName: string, error: unknown): string {
  return `${toolName} failed: ${describeError(error)}`
}

import { type CallWarning, type ModelMessage, ToolChoiceViolationError, type ToolSet } from 'ai'
import { endsMarked, markMessages } from './cache/place-markers.ts'
import type { CacheReport } from './cache/prefix-watch.ts'
import { type Cancellation, createCancellation } from './cancellation.ts'
import type { TurnView } from './capability.ts'
import type { Plan } from './compose.ts'
import { deepFreeze } from './deep-freeze.ts'
import { describeError } from './describe-error.ts'
import { KernelError } from './errors.ts'
import type { ModelOutputPart, TurnEvent } from './events.ts'
import type { ModelCaller, ModelCallReport, ModelPart } from './model-caller.ts'
import type { AssembledPrompt } from './prompt/assemble-prompt.ts'
import { placeVolatile } from './prompt/place-volatile.ts'
import { writeProviderResults } from './provider-results.ts'
import { rewriteHistory } from './rewrite-history.ts'
import { runTools } from './run-tools.ts'
import { createShownText, type ShownText } from './shown-text.ts'
import {
  ownPart,
  resultParts,
  type StepContent,
  toAssistantMessage,
  toResultsMessage,
} from './step-content.ts'
import { markTools } from './tools.ts'
import type { StepRecord } from './turn-state.ts'
import { noUsage } from './usage.ts'

/** One step: where it stands and what it works with. */
export interface StepContext {
  readonly step: number
  readonly caller: ModelCaller
  readonly prompt: AssembledPrompt
  readonly tools: ToolSet
  /** Tells the session's requests from those of others in the prefix watch. */
  readonly session: string
  readonly view: (now: Pick<TurnView, 'step' | 'messages' | 'called'>) => TurnView
  readonly messages: TurnView['messages']
  readonly called: ReadonlySet<string>
  readonly turn: Cancellation
  /** Filled as the step goes, so that its owner can settle it if it is cut short. */
  readonly content: StepContent
}

/** One model call, then its tool calls. */
export async function* runStep(
  plan: Plan,
  context: StepContext,
): AsyncGenerator<TurnEvent, StepRecord, void> {
  const { step, content } = context
  const forcedTool = chooseForcedTool(plan, context.view(context))
  yield { type: 'step-start', step, forcedTool }
  const sent = await context.turn.race(rewriteHistory(plan, context.view(context)))
  yield* sent.events

  const began = performance.now()
  const shown =
    plan.transforms.length > 0 ? createShownText(plan.transforms, context.view(context)) : undefined
  const { report, cache } = yield* callModel(
    plan,
    { ...context, messages: sent.messages },
    { forcedTool, shown },
  )
  const answered = performance.now()

  const runnable = isRunnable(report)
  await writeProviderResults(content, plan.tools, context.turn, plan.limits.toolTimeoutMs)
  const answer = deepFreeze(toAssistantMessage(content))
  const refusals = runnable
    ? yield* runTools(plan, {
        ...context,
        calls: content.calls,
        messages: answer ? [...context.messages, answer] : context.messages,
      })
    : []
  const results = toResultsMessage(content, runnable ? undefined : cutOff(report))
  return {
    ...report,
    step,
    content: [...(shown?.content ?? content).parts, ...resultParts(content)],
    messages: [answer, results].filter((message) => message !== undefined),
    refusals,
    forcedTool,
    cache,
    modelMs: answered - began,
    toolsMs: performance.now() - answered,
  }
}

/** May the calls of this answer run? One that ended early may have lost part of them. */
export function isRunnable({ finishReason }: Pick<ModelCallReport, 'finishReason'>): boolean {
  return finishReason === 'stop' || finishReason === 'tool-calls'
}

async function* callModel(
  plan: Plan,
  { step, caller, prompt, tools, session, messages, turn, content }: StepContext,
  { forcedTool, shown }: { forcedTool: string | undefined; shown: ShownText | undefined },
): AsyncGenerator<TurnEvent, ModelAnswer, void> {
  const placed = placeVolatile(prompt, messages)
  const marked = markMessages(prompt, placed.messages, plan.cache)
  const { markers } = marked
  const carrier = carrierOf(placed.volatileAt, marked.messages)
  const sent = { prompt, messages, markers, forcedTool, carrier }
  const readCache = plan.cache.watch?.send(session, sent)
  const silence = createCancellation(turn.signal)
  const timeoutMs = plan.limits.modelTimeoutMs
  let isWaiting = false
  // What counts is the silence of the model, not the leisure of whoever pulls the events.
  const timer = setTimeout(() => isWaiting && silence.cancel(silent(timeoutMs)), timeoutMs)
  const parts = caller({
    model: plan.model,
    instructions: placed.instructions,
    messages: marked.messages,
    tools: toolsFor(tools, plan, prompt),
    forcedTool,
    settings: plan.settings,
    signal: silence.signal,
  })[Symbol.asyncIterator]()

  let report: ModelCallReport = emptyReport
  let finished = false
  try {
    while (true) {
      isWaiting = true
      timer.ref().refresh()
      const { done, value } = await silence.race(parts.next())
      isWaiting = false
      if (done) {
        finished = true
        if (shown) yield* shown.finish()
        return { report, cache: readCache?.(report.usage) }
      }
      // A stream that is left half-read must not keep the process.
      timer.unref()
      const part = ownPart(value)
      if (part.type === 'error') {
        if (!ToolChoiceViolationError.isInstance(part.error)) {
          throw part.error ?? new Error('the provider gave no reason')
        }
        report = { ...report, finishReason: part.error.finishReason }
        plan.logger.warn(`the model answered without calling the forced tool "${forcedTool}"`)
        yield { type: 'forced-tool-ignored', step, toolName: forcedTool ?? '' }
        continue
      }
      report = frame(report, part)
      if (part.type === 'model-call-start' && part.warnings.some(refusesForce)) {
        plan.logger.warn(`the model refused to be forced to call "${forcedTool}"`)
      }
      content.add(part)
      if (!isOutput(part)) continue
      if (shown) yield* shown.pass(part)
      else yield part
    }
  } catch (error) {
    if (turn.signal.aborted) throw turn.signal.reason
    throw silence.signal.aborted ? silence.signal.reason : modelFailed(error)
  } finally {
    clearTimeout(timer)
    silence.close()
    if (!finished) {
      silence.cancel(
        new KernelError('KERNEL_TURN_ABORTED', 'The model call is not needed any more.'),
      )
      // Not awaited: a deaf provider would keep us here.
      parts.return?.().then(undefined, () => {})
    }
  }
}

/** What a model call came to. */
interface ModelAnswer {
  readonly report: ModelCallReport
  readonly cache: CacheReport | undefined
}

/** Which message carries the volatile text, as the prefix watch asks for it. */
function carrierOf(index: number | undefined, messages: readonly ModelMessage[]) {
  const carrying = index === undefined ? undefined : messages[index]
  if (index === undefined || carrying === undefined) return undefined
  return { index, endsMarked: endsMarked(carrying) }
}

/** The tools with the marker that was allotted to them. */
function toolsFor(tools: ToolSet, plan: Plan, { allotment }: AssembledPrompt): ToolSet {
  const { marked, markable } = plan.tools
  if (marked === undefined && allotment.tools === undefined) return tools
  const name = marked?.name ?? markable
  const marker = allotment.tools && name ? { name, ttl: allotment.tools } : undefined
  return markTools(tools, marker)
}

function chooseForcedTool(plan: Plan, view: TurnView): string | undefined {
  for (const { capability, forcedTool } of plan.forcers) {
    try {
      const name = forcedTool(view)
      if (name === undefined) continue
      if (plan.tools.names.includes(name)) return name
      plan.logger.warn(`"${capability}" forces the tool "${name}", which does not exist`)
    } catch (error) {
      plan.logger.warn(`"${capability}" failed to say which tool to force; none is`, { error })
    }
  }
  return undefined
}

const emptyReport: ModelCallReport = {
  finishReason: 'other',
  rawFinishReason: undefined,
  usage: noUsage,
  warnings: [],
  providerMetadata: undefined,
  response: { id: undefined, modelId: undefined, timestamp: undefined },
}

function frame(report: ModelCallReport, part: ModelPart): ModelCallReport {
  switch (part.type) {
    case 'model-call-start':
      return { ...report, warnings: part.warnings }
    case 'model-call-response-metadata':
      return {
        ...report,
        response: { id: part.id, modelId: part.modelId, timestamp: part.timestamp },
      }
    case 'model-call-end': {
      const { finishReason, rawFinishReason, usage, providerMetadata } = part
      // A provider that gives no reason of the specification's must not be taken for "go on".
      const reason = typeof finishReason === 'string' ? finishReason : 'other'
      return { ...report, finishReason: reason, rawFinishReason, usage, providerMetadata }
    }
    default:
      return report
  }
}

function isOutput(part: ModelPart): part is ModelOutputPart {
  switch (part.type) {
    case 'model-call-start':
    case 'model-call-response-metadata':
    case 'model-call-end':
    case 'ping':
      return false
    case 'tool-error':
      // Those of invalid calls are told when the call is answered.
      return part.providerExecuted === true
    default:
      return true
  }
}

function refusesForce(warning: CallWarning): boolean {
  return warning.type === 'unsupported' && warning.feature === 'toolChoice'
}

function cutOff({ finishReason }: ModelCallReport): string {
  return `This call was not run: the answer that made it ended early (${finishReason}).`
}

function silent(timeoutMs: number) {
  return new KernelError(
    'KERNEL_MODEL_TIMED_OUT',
    `The model sent nothing for ${timeoutMs} ms. Try again, or raise limits.modelTimeoutMs.`,
  )
}

function modelFailed(cause: unknown) {
  const reason = describeError(cause)
  return new KernelError(
    'KERNEL_MODEL_FAILED',
    `The model call failed: ${reason}. See cause; details.messages can be continued once it is mended.`,
    { cause },
  )
}

import type { Agent, AgentCallParameters, AgentStreamParameters, ToolSet } from 'ai'
import { generateAsAgent, streamAsAgent } from './agent.ts'
import type { AgentGenerateResult } from './agent-result.ts'
import type { AgentStreamResult } from './agent-stream-result.ts'
import { currentTurn, withinTurn } from './ambient.ts'
import type { Cancellation } from './cancellation.ts'
import { composePlan, type Plan } from './compose.ts'
import { KernelError } from './errors.ts'
import type { TurnEvent } from './events.ts'
import type { KernelOptions } from './kernel-options.ts'
import { createObservers, type Observers } from './observers.ts'
import { preparePrompt } from './prompt/prepare-prompt.ts'
import type { PromptReport } from './prompt/prompt-report.ts'
import { consumerLeft, openCancellation, runTurn, toKernelError } from './run-turn.ts'
import { calledSinceUser } from './transcript.ts'
import {
  parseConversation,
  parseTurnInput,
  type TurnInput,
  type TurnOptions,
  type TurnRequest,
} from './turn-input.ts'
import type { TurnResult } from './turn-state.ts'

/**
 * An agent, composed once and stateless: everything a turn needs comes with its input, so one kernel
 * serves any number of tenants and concurrent turns.
 *
 * It is also an AI SDK `Agent` (`generate`, and `stream` given `prompt` or `messages`), so helpers
 * such as `createAgentUIStreamResponse` serve it as it is; turn options go in `options` there.
 */
export interface Kernel extends Agent<TurnOptions, ToolSet> {
  /**
   * Runs a turn to its end: the fold of its event stream.
   *
   * @throws KernelError; `details.messages` holds the transcript so far.
   */
  run(input: TurnInput): Promise<TurnResult>
  /**
   * Runs a turn as a stream of events; the generator's return value is the result. Nothing happens
   * before the first pull. Breaking off aborts the turn; an error is thrown after its terminal event.
   */
  stream(input: TurnInput): AsyncGenerator<TurnEvent, TurnResult, void>
  /** The AI SDK's streaming call. */
  stream(options: AgentStreamParameters<TurnOptions, ToolSet>): Promise<AgentStreamResult>
  /** The AI SDK's blocking call. */
  generate(options: AgentCallParameters<TurnOptions, ToolSet>): Promise<AgentGenerateResult>
  /**
   * The prompt that a turn with this input would have, without calling a model. Sections are rendered
   * and context is looked up as for a turn; no event is emitted.
   *
   * @throws KernelError `KERNEL_INPUT_INVALID`, `KERNEL_SECTION_FAILED`, `KERNEL_TURN_ABORTED`,
   *   `KERNEL_TURN_TIMED_OUT`.
   */
  previewPrompt(input: TurnInput): Promise<PromptReport>
  /**
   * Watches one type of event in all turns of this kernel. An observer that fails is logged and
   * breaks nothing.
   *
   * @returns Takes the observer off again.
   */
  observe: Observers['observe']
  /**
   * Resolves when the work that capabilities do after turns of this kernel, and of no other, is done
   * (MEM-41). Call it before the process ends. Never rejects.
   */
  flush(): Promise<void>
}

/**
 * Composes a kernel.
 *
 * @throws KernelError `KERNEL_CONFIGURATION_INVALID`, `KERNEL_TOOL_NAME_TAKEN`.
 */
export function createKernel(options: KernelOptions): Kernel {
  const plan = composePlan(options)
  const observers = createObservers(plan.logger)

  const start = (mode: 'generate' | 'stream', parse: () => TurnRequest) =>
    openStream(plan, observers, mode, parse)
  const startConversation =
    (mode: 'generate' | 'stream') =>
    ({ prompt, messages, options: turnOptions, abortSignal }: AgentCall, timeoutMs?: number) => {
      const conversation =
        messages ?? (typeof prompt === 'string' ? [{ role: 'user', content: prompt }] : prompt)
      // Refused at once: a promise can say so, where a stream of parts would just end.
      const request = {
        ...parseConversation(conversation ?? [], turnOptions, abortSignal),
        timeoutMs,
      }
      return start(mode, () => request)
    }

  function stream(input: TurnInput): AsyncGenerator<TurnEvent, TurnResult, void>
  function stream(options: AgentStreamParameters<TurnOptions, ToolSet>): Promise<AgentStreamResult>
  function stream(input: TurnInput | AgentStreamParameters<TurnOptions, ToolSet>) {
    return isAgentCall(input)
      ? streamAsAgent(startConversation('stream'), input, plan)
      : start('stream', () => parseTurnInput(input))
  }

  return Object.freeze({
    version: 'agent-v1' as const,
    id: plan.id,
    tools: plan.tools.declared,
    run: (input: TurnInput) => fold(start('generate', () => parseTurnInput(input))),
    stream,
    generate: (call: AgentCallParameters<TurnOptions, ToolSet>) =>
      generateAsAgent(startConversation('generate'), call, plan),
    previewPrompt: (input: TurnInput) => previewPrompt(plan, input),
    observe: observers.observe,
    flush: () => plan.afterTurn.flush(),
  })
}

async function previewPrompt(plan: Plan, input: TurnInput): Promise<PromptReport> {
  const request = parseTurnInput(input)
  const { runId, sessionId, scope, query, state, history, asked } = request
  const turn = openCancellation(plan, request)
  const messages = [...history, ...asked]
  const called = calledSinceUser(messages)
  const identity = { runId, sessionId, scope }
  try {
    const { prompt } = await turn.race(
      preparePrompt(plan, (hydrated) => ({
        ...{ ...identity, query, state, agent: plan.agent, hydrated, step: 0, messages, called },
        ...{ signal: turn.signal, logger: plan.logger },
      })),
    )
    return prompt.report
  } catch (cause) {
    throw cause instanceof KernelError ? cause : toKernelError(cause, messages, request.signal)
  } finally {
    turn.close()
  }
}

type AgentCall = AgentCallParameters<TurnOptions, ToolSet>

function isAgentCall(input: TurnInput | AgentCall): input is AgentCall {
  if (typeof input !== 'object' || input === null || 'query' in input) return false
  return 'prompt' in input || 'messages' in input
}

/**
 * Nothing runs, and nothing is refused, before somebody pulls (OPEN-STREAM-1). A consumer that
 * leaves while it waits for the next event ends the turn at once: a generator alone would only heed
 * it when that event has come.
 */
function openStream(
  plan: Plan,
  observers: Observers,
  mode: 'generate' | 'stream',
  parse: () => TurnRequest,
): AsyncGenerator<TurnEvent, TurnResult, void> {
  let turn: Cancellation | undefined
  async function* open() {
    const request = parse()
    turn = openCancellation(plan, request)
    const { runId, sessionId, scope } = request
    const events = runTurn(plan, request, turn, mode, observers)
    const parent = currentTurn()
    const depth = parent === undefined ? 0 : parent.depth + 1
    return yield* withinTurn({ runId, sessionId, scope, depth }, events)
  }
  const source = open()
  const owned: AsyncGenerator<TurnEvent, TurnResult, void> = {
    next: () => source.next(),
    return: (value) => {
      turn?.cancel(consumerLeft())
      return source.return(value)
    },
    throw: (error) => {
      turn?.cancel(consumerLeft())
      return source.throw(error)
    },
    [Symbol.asyncIterator]: () => owned,
    [Symbol.asyncDispose]: async () => {
      await owned.return(undefined as never)
    },
  }
  return owned
}

async function fold(events: AsyncGenerator<TurnEvent, TurnResult, void>): Promise<TurnResult> {
  let next = await events.next()
  while (!next.done) next = await events.next()
  return next.value
}

import { createInstructionWriter } from './ai-sdk/instructions.ts'
import { createJudge } from './ai-sdk/judge.ts'
import type { PreflightOptions, PreflightSkills } from './ai-sdk/options.ts'
import { createPrepareStep } from './ai-sdk/prepare-step.ts'
import { createReport, quietly, reason } from './ai-sdk/refusals.ts'
import type {
  PrepareStepFunction,
  PrepareStepResult,
  SystemModelMessage,
  ToolApprovalConfiguration,
  ToolApprovalStatus,
  ToolSet,
} from './ai-sdk/sdk.ts'
import { createStepLog } from './ai-sdk/step-calls.ts'
import { createToolApproval } from './ai-sdk/tool-approval.ts'
import { createToolWrapper } from './ai-sdk/wrap-tools.ts'

export type {
  PreflightMoment,
  PreflightOptions,
  PreflightRefusal,
  PreflightSkills,
  ProposedCall,
} from './ai-sdk/options.ts'

/** What an AI SDK app passes on to `generateText`, `streamText` or `ToolLoopAgent`. */
export interface PreflightAdapter {
  /**
   * The app's own instructions, then the rules as a system message of their own. The rules are those
   * of the moment `preflight` was called; with live skills or state `prepareStep` keeps them current.
   */
  readonly instructions: SystemModelMessage[]
  /**
   * Forces the first action, if that is wanted, and lets go of it, asked live before every model
   * call (PRE-27); with live skills or state it also renews the rules in the instructions.
   *
   * A tool is forced only if every tool set given to `wrapTools` so far has it and `activeTools` of
   * the app's own `prepareStep` (the option) leave it in; before `wrapTools` is called, any tool is.
   * The `tools`, `activeTools` and `toolChoice` of the run itself are told to no `prepareStep`, and a
   * forced tool that they leave out ends the run: give each set of tools an adapter of its own, wrap
   * it whole, and narrow it in `prepareStep`.
   *
   * A model that answers without the forced call ends the run with the SDK's
   * `ToolChoiceViolationError`, and some models refuse every forced choice; leave `forceFirstAction`
   * off for those, the gate holds without it.
   */
  readonly prepareStep: <TOOLS extends ToolSet, RUNTIME_CONTEXT extends Record<string, unknown>>(
    step: Parameters<PrepareStepFunction<TOOLS, RUNTIME_CONTEXT>>[0],
  ) => Promise<PrepareStepResult<TOOLS, RUNTIME_CONTEXT>>
  /**
   * Denies calls that the rules refuse, and asks the app's own policy about the rest. It is what
   * holds tools without `execute`, whose calls a client runs; with `wrapTools` it also keeps people
   * from being asked to approve what would be refused anyway. Whatever fails in it, denies.
   *
   * A client-side tool is judged on the history and the state as they are before any call of the
   * step has run: what an earlier call of the same step is about to bring or to change does not
   * count for it. Where that would have let it through, the model has to call it again.
   */
  readonly toolApproval: <TOOLS extends ToolSet, RUNTIME_CONTEXT>(
    request: Parameters<
      Extract<ToolApprovalConfiguration<TOOLS, RUNTIME_CONTEXT>, (...about: never[]) => unknown>
    >[0],
  ) => Promise<ToolApprovalStatus>
  /**
   * The same tools with the gate in their `execute`: a refused call throws a `PreflightError`
   * (`PREFLIGHT_CALL_REFUSED`), which the model reads as an error result, and the loop goes on. The
   * calls of a step are judged in order: one that lacks what an earlier call is about to bring
   * waits for it (DESIGN decision 6). Where `state` or `called` is a function, a call of a tool that
   * some skill is about waits for every earlier call of the step, since those may change what the
   * function reads; other calls run beside each other, once those before them have been judged.
   * Where the skills are a function, each call waits for those before it.
   *
   * Tools without `execute` and tools that a provider runs are passed through. Give the wrapped
   * tools to `convertToModelMessages` as well, so that failures of MCP tools stay failures.
   */
  readonly wrapTools: <TOOLS extends ToolSet>(tools: TOOLS) => TOOLS
}

/**
 * Pre-flight rules for a plain AI SDK app: the model is told the rules of its skills before it acts
 * and held to them when it acts.
 *
 * One result serves any number of runs at once: all that is known of a run is read from its messages.
 * A `prepareStep` that gives several runs the same `messages` array belongs in the options, where each
 * step gets a copy; given to the SDK itself, it can make calls of two runs look like one step's.
 *
 * @param skills - The skills, from `defineSkill` or `parseSkills`, or a function for live ones.
 * @throws PreflightError - `PREFLIGHT_LIST_REQUIRED` or `PREFLIGHT_RULE_UNREADABLE` for skills given
 * as a value that are malformed. Functions that fail do not throw here: they refuse calls later.
 * @see PRE-01, PRE-13, PRE-17, PRE-23, PRE-26, PRE-27
 */
export function preflight<
  TOOLS extends ToolSet = ToolSet,
  RUNTIME_CONTEXT extends Record<string, unknown> = Record<string, unknown>,
>(
  skills: PreflightSkills,
  options: PreflightOptions<TOOLS, RUNTIME_CONTEXT> = {},
): PreflightAdapter {
  const { cacheTtl, enforce = true, forceFirstAction = false, logger } = options
  const judge = createJudge(skills, options)
  const report = createReport(options)
  const stepOf = createStepLog()
  const writer = createInstructionWriter(cacheTtl)
  const { wrap, isWrapped, isEverywhere } = createToolWrapper({ judge, report, stepOf, enforce })

  // The SDK types both functions by the tools of a call, and no such type is assignable to that of
  // any other call. They look at nothing but names, so they serve every tool set.
  const prepareStep = createPrepareStep({
    judge,
    writer,
    own: options.prepareStep as PrepareStepFunction<ToolSet> | undefined,
    force: forceFirstAction,
    isEverywhere,
    logger,
  }) as PreflightAdapter['prepareStep']
  const toolApproval = createToolApproval({
    judge,
    report,
    stepOf,
    isWrapped,
    configuration: options.toolApproval as ToolApprovalConfiguration<ToolSet, unknown> | undefined,
    enforce,
    logger,
  }) as PreflightAdapter['toolApproval']

  return Object.freeze({
    instructions: writer.write(options.instructions, blockAtFirst()),
    prepareStep,
    toolApproval,
    wrapTools: wrap,
  })

  function blockAtFirst() {
    try {
      return judge.rules({ messages: [], toolCall: undefined }).block
    } catch (error) {
      quietly(() => logger?.warn(`could not tell the rules yet: ${reason(error)}`))
      return ''
    }
  }
}

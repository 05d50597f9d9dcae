import { firstActionTool } from '../first-action.ts'
import type { Skill } from '../skill.ts'
import type { InstructionWriter } from './instructions.ts'
import type { Judge, Rules } from './judge.ts'
import type { PreflightMoment } from './options.ts'
import { quietly, reason } from './refusals.ts'
import type { PrepareStepFunction, PrepareStepResult, ToolSet } from './sdk.ts'

type Prepare = PrepareStepFunction<ToolSet>
type Prepared = PrepareStepResult<ToolSet>

/**
 * Prepares a step: the app's own preparation, then the rules as they are now and the tool to force.
 *
 * Instructions are written only where they could have changed: when skills or state are live, and
 * when the app's own preparation replaces them. Otherwise the prefix stays byte for byte what it
 * was. Our share never throws; what fails is left out, and the gate refuses what it must.
 */
export function createPrepareStep({
  judge,
  writer,
  own,
  force,
  isEverywhere,
  logger,
}: {
  readonly judge: Judge
  readonly writer: InstructionWriter
  readonly own: Prepare | undefined
  readonly force: boolean
  readonly isEverywhere: (toolName: string) => boolean
  readonly logger: { warn(line: string): void } | undefined
}): (step: Parameters<Prepare>[0]) => Promise<Prepared> {
  const warn = (line: string) => quietly(() => logger?.warn(line))

  return async (step) => {
    const theirs = withOwnMessages(await own?.(step))
    const moment = { messages: theirs?.messages ?? step.messages, toolCall: undefined }
    // Once for the whole step: each reading asks the app's functions and logs what is dropped.
    let read: Rules | undefined
    const rules = () => (read ??= judge.rules(moment))
    const replaced = theirs?.instructions ?? theirs?.system
    const instructions =
      judge.isLive || replaced !== undefined
        ? attempt('tell the rules', () =>
            writer.write(replaced ?? step.instructions, rules().block),
          )
        : undefined
    const toolName =
      force && theirs?.toolChoice === undefined
        ? attempt('choose a first action', () =>
            toForce(moment, rules().active, theirs?.activeTools),
          )
        : undefined
    if (instructions === undefined && toolName === undefined) return theirs
    return {
      ...theirs,
      ...(instructions && { instructions }),
      ...(toolName !== undefined && { toolChoice: { type: 'tool', toolName } }),
    }
  }

  function toForce(
    moment: PreflightMoment,
    active: readonly Skill[],
    activeTools: readonly string[] | undefined,
  ): string | undefined {
    const toolName = firstActionTool(active, judge.called(moment))
    if (toolName === undefined) return undefined
    // A provider answers a choice that it cannot offer with an error, and the run would be over.
    if (isEverywhere(toolName) && (activeTools?.includes(toolName) ?? true)) return toolName
    warn(
      `the tool ${toolName} is not forced: it is not in every tool set that was wrapped, or not ` +
        'among the active tools of this step. Use one adapter for each set of tools.',
    )
    return undefined
  }

  function attempt<Value>(what: string, work: () => Value): Value | undefined {
    try {
      return work()
    } catch (error) {
      warn(`could not ${what}: ${reason(error)}`)
      return undefined
    }
  }
}

/**
 * A step is known by its array of messages (`createStepLog`). One that an app gives to several steps
 * or runs would make one step of them all, so each gets a copy.
 */
function withOwnMessages(prepared: Prepared): Prepared {
  return Array.isArray(prepared?.messages)
    ? { ...prepared, messages: [...prepared.messages] }
    : prepared
}

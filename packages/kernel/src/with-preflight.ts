import {
  buildRulesBlock,
  filterSkillsByStatePredicates,
  firstActionTool,
  indexByActionTool,
  judgeCall,
  type Skill,
  type SkillSelection,
} from '@symfonic/preflight'
import type { Capability, ProposedCall, TurnView } from './capability.ts'
import { warnOfAdvisoryForceLever } from './force-lever.ts'
import { type Logger, silentLogger } from './logger.ts'

/** How pre-flight rules take part in a turn. */
export interface PreflightOptions {
  /** The skills; a function is asked live, for sets that change while the kernel runs (PRE-23). */
  readonly skills: readonly Skill[] | ((view: TurnView) => readonly Skill[])
  /** Tell the model the rules, in the cached prefix (PRE-15). Default true. */
  readonly renderRules?: boolean
  /** Hold the model to the rules: refuse calls that break one (PRE-19). Default true. */
  readonly enforce?: boolean
  /** Make the model call the first action tool first (PRE-26). Default false. */
  readonly forceFirstAction?: boolean
  /**
   * What the state predicates read. Default: the turn's `state`. `call` is the call being judged, so
   * that a rule can speak of the very thing the call is about; it is absent while the block is built
   * and the forced tool chosen.
   */
  readonly readState?: (view: TurnView, call: ProposedCall | undefined) => unknown
  /**
   * Which tools count as called, for the call being judged. Default: those that succeeded since the
   * last user message (DESIGN decision 6).
   */
  readonly readCalled?: (view: TurnView, call: ProposedCall | undefined) => ReadonlySet<string>
  /** Told which skills take part, and why others do not, each time the prompt is assembled. */
  readonly onSelection?: (selection: SkillSelection, view: TurnView) => void
}

/**
 * Pre-flight rules for a kernel: the rules block in L1, the gate on every tool call, and, if wanted,
 * the forced first action. All three read the same skills through the same filter (PRE-01), so what
 * the model is told is what it is held to.
 */
export function withPreflight(options: PreflightOptions): Capability {
  const { readState = (view) => view.state, readCalled = (view) => view.called } = options

  const skillsOf = (view: TurnView) =>
    typeof options.skills === 'function' ? options.skills(view) : options.skills

  const select = (view: TurnView, call?: ProposedCall): SkillSelection => {
    // Lines nobody reads are not worth writing.
    const lines = view.logger === silentLogger ? {} : { logger: gateLogger(view.logger) }
    return filterSkillsByStatePredicates(skillsOf(view), readState(view, call), lines)
  }

  function renderRules(view: TurnView): string {
    const selection = select(view)
    options.onSelection?.(selection, view)
    return buildRulesBlock(selection.active)
  }

  function openGate(view: TurnView) {
    // A call that some skill is about may be judged otherwise once earlier calls of the step have
    // changed the state, any call once they have changed the skills; the others run beside them.
    const { skills } = options
    const governed =
      typeof skills === 'function' ? undefined : new Set(skills.map(({ actionTool }) => actionTool))
    const indexOf = (call?: ProposedCall) => indexByActionTool(select(view, call).active)
    // A state that depends on the call means an index for each call, else one serves the step.
    const shared = options.readState ? undefined : indexOf()
    return (call: ProposedCall) => {
      const verdict = judgeCall(shared ?? indexOf(call), call.toolName, readCalled(view, call))
      if (verdict.allowed)
        return { allowed: true, tentative: governed?.has(call.toolName) ?? true } as const
      const { message, ...details } = verdict.refusal
      return { allowed: false as const, message, details }
    }
  }

  return Object.freeze({
    name: 'preflight',
    ...(options.renderRules !== false && {
      sections: [
        { name: 'preflight-rules', layer: 'L1' as const, priority: 10, render: renderRules },
      ],
    }),
    ...(options.enforce !== false && { gate: openGate }),
    ...(options.forceFirstAction && {
      forcedTool: (view: TurnView) =>
        firstActionTool(select(view).active, readCalled(view, undefined)),
      onCompose: warnOfAdvisoryForceLever,
    }),
  })
}

/** The gate's own logger, where the host's can give one (PRE-06). */
function gateLogger(logger: Logger): Logger {
  return logger.child?.('preflight.precondition_gate') ?? logger
}

import { type GateIndex, indexByActionTool, judgeCall, type Refusal } from '../gate.ts'
import { toolText } from '../inert-text.ts'
import { buildRulesBlock } from '../rules-block.ts'
import { filterSkillsByStatePredicates } from '../select-skills.ts'
import type { Skill } from '../skill.ts'
import { calledThisTurn } from './message-history.ts'
import type { PreflightMoment, PreflightOptions, PreflightSkills, ProposedCall } from './options.ts'

/** What the rules say to one call. */
export type Judgement = {
  /**
   * Whether it may turn out otherwise, allowed or not, once earlier calls of the step have changed
   * what the app's functions read. Without such functions an earlier call can bring only what a
   * refusal names as missing.
   */
  readonly tentative: boolean
} & (
  | { readonly allowed: true }
  | { readonly allowed: false; readonly refusal: Refusal; readonly cause: unknown }
)

/** A moment at which a call is judged. */
export type CallMoment = PreflightMoment & { readonly toolCall: ProposedCall }

/** The rules of an app, asked live. */
export interface Judge {
  /** Whether skills or state may change from step to step. */
  readonly isLive: boolean
  /** Whether any function of the app has a part in judging, so that a call may change the answers. */
  readonly asksApp: boolean
  /** The rules of a moment. @throws What the app's own functions throw, and `PreflightError`. */
  rules(moment: PreflightMoment): Rules
  /** The tools that count as called. @throws What the app's own function throws. */
  called(moment: PreflightMoment): ReadonlySet<string>
  /**
   * Judges one call. Never throws: when the rules cannot be asked, the call is refused.
   *
   * @param alsoCalled - Tools to count as called besides.
   */
  judge(moment: CallMoment, alsoCalled?: Iterable<string>): Judgement
}

/** The rules of one moment, read in every way they are needed (PRE-01). */
export interface Rules {
  /** The skills that take part. */
  readonly active: readonly Skill[]
  readonly index: GateIndex
  /** What the model is told; empty when there is no rule. */
  readonly block: string
}

/**
 * One reading of the rules for everything that asks: block, gate and forced action.
 *
 * Skills and state that are values are read here and never again: same bytes and same gate for as
 * long as the result is used. Functions are asked each time.
 *
 * @throws PreflightError - `PREFLIGHT_RULE_UNREADABLE` or `PREFLIGHT_LIST_REQUIRED` for skills that
 * are values and malformed; PredicateError as `filterSkillsByStatePredicates`.
 */
export function createJudge(
  skills: PreflightSkills,
  options: Pick<PreflightOptions, 'state' | 'called' | 'logger'>,
): Judge {
  const { state, called = calledByDefault, logger } = options
  const rulesOf = readerFor(skills)

  const read = (moment: PreflightMoment): Rules => {
    const all = typeof skills === 'function' ? skills(moment) : skills
    const now = typeof state === 'function' ? state(moment) : state
    // A promise has no paths: every rule on state would be dropped without a word.
    if (isThenable(now)) throw new TypeError('the state is a promise; await it and give its value')
    return rulesOf(filterSkillsByStatePredicates(all, now, logger ? { logger } : {}).active)
  }
  const isLive = typeof skills === 'function' || typeof state === 'function'
  const fixed = isLive ? undefined : read({ messages: [], toolCall: undefined })
  const rules = (moment: PreflightMoment) => fixed ?? read(moment)
  const asksApp = isLive || called !== calledByDefault

  // What tools a function has rules about, once an earlier call is over, nobody can know. With a
  // live state every skill may take part by then.
  const guarded =
    typeof skills === 'function' ? undefined : (fixed?.index ?? indexByActionTool(skills)).byAction

  /** Whether calls of a tool can be judged otherwise after an earlier call, allowed or not. */
  const mayTurn = (toolName: string): boolean => asksApp && (guarded?.has(toolName) ?? true)

  return Object.freeze({
    isLive,
    asksApp,
    rules,
    called,
    judge: (moment: CallMoment, alsoCalled?: Iterable<string>): Judgement => {
      const { toolName } = moment.toolCall
      try {
        const { index } = rules(moment)
        // A tool without rules is free whatever was called: the history need not be read.
        const done = index.byAction.has(toolName) ? called(moment) : nothing
        const all = alsoCalled === undefined ? done : new Set([...done, ...alsoCalled])
        const verdict = judgeCall(index, toolName, all)
        const tentative = mayTurn(toolName)
        if (verdict.allowed) return tentative ? allowedForNow : allowed
        return { ...verdict, tentative, cause: undefined }
      } catch (cause) {
        // What the app cannot answer now it may answer after an earlier call.
        return { allowed: false, tentative: asksApp, refusal: undecided(toolName), cause }
      }
    },
  })
}

const nothing: ReadonlySet<string> = new Set()
const allowed: Judgement = Object.freeze({ allowed: true, tentative: false })
const allowedForNow: Judgement = Object.freeze({ allowed: true, tentative: true })

function calledByDefault({ messages }: PreflightMoment): ReadonlySet<string> {
  return calledThisTurn(messages)
}

/** States rarely come in more classes than this at a time. */
const maxRemembered = 4

const readers = new WeakMap<PreflightSkills, ReturnType<typeof createRulesReader>>()

/** An app that makes an adapter for every request gives it the same skills each time. */
function readerFor(skills: PreflightSkills) {
  const known = readers.get(skills)
  if (known) return known
  const reader = createRulesReader()
  // What is no list is refused when it is read.
  if (Array.isArray(skills) || typeof skills === 'function') readers.set(skills, reader)
  return reader
}

/** The same active skills have the same rules: they are read once, for as long as they come back. */
function createRulesReader(): (active: readonly Skill[]) => Rules {
  let recent: readonly Rules[] = []
  return (active) => {
    const known = recent.find((rules) => isSame(rules.active, active))
    if (known) return known
    let block: string | undefined
    const rules: Rules = {
      active,
      index: indexByActionTool(active),
      get block() {
        block ??= buildRulesBlock(active)
        return block
      },
    }
    // A skill that is not frozen may change behind the same identity.
    if (active.every(Object.isFrozen)) recent = [rules, ...recent].slice(0, maxRemembered)
    return rules
  }
}

function isSame(one: readonly Skill[], other: readonly Skill[]): boolean {
  return one.length === other.length && one.every((skill, index) => skill === other[index])
}

/** Whether a value is a promise, or something that can be awaited like one. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function'
}

/** Doubt never lets a call through. Why there is doubt is not the model's business. */
function undecided(toolName: string): Refusal {
  const tool = typeof toolName === 'string' ? toolText(toolName) : 'a tool'
  return Object.freeze({
    toolName,
    missing: Object.freeze([]),
    skills: Object.freeze([]),
    message:
      `The call to ${tool} was refused because it could not be decided whether the rules allow ` +
      'it. Go on without it, or report that it could not be done.',
  })
}

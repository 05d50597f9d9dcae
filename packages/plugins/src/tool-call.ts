import type { GuardContext, GuardOutcome, GuardRequest } from './guard.ts'
import { printable } from './printable.ts'
import { isPlainRecord } from './request-copy.ts'
import { isThenable } from './time-limit.ts'

/** A tool call that a model asks for. Its input is parsed and valid for the tool's schema. */
export interface ProposedCall {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
}

/**
 * What guards are asked about a tool call, the same on every route: the action is the tool's name, the
 * context what the host adds, with `toolName`, `toolCallId` and `arguments`, which it cannot replace.
 * A host that adds undefined, at once or later, adds nothing; one that adds anything else than a plain
 * record has the action denied.
 */
export function guardRequestFor(
  { toolCallId, toolName, input }: ProposedCall,
  about: {
    readonly context?: GuardRequest['context'] | undefined
    readonly signal?: AbortSignal | undefined
  } = {},
): GuardRequest {
  const { context: more, signal } = about
  const withCall = (found: GuardContext | undefined): GuardContext =>
    found === undefined || isPlainRecord(found)
      ? { ...found, toolName, toolCallId, arguments: input }
      : // Spread, it would lose what it holds. As it is, it is refused by its kind.
        found
  // At once where it can be: waiting for an answer takes a timer and a listener.
  const findOut = (ask: () => GuardContext | PromiseLike<GuardContext>) => {
    const found = ask()
    return isThenable(found) ? Promise.resolve(found).then(withCall) : withCall(found)
  }
  const context = typeof more === 'function' ? () => findOut(more) : withCall(more)
  return { action: toolName, context, signal }
}

/**
 * What a model reads in the place of the result of a call that was not let through. It holds the
 * reason that a guard gave for it, and never the text of an error that a guard threw.
 *
 * @returns At most about 900 characters, in one line.
 */
export function describeGuardRefusal(toolName: string, { decisions }: GuardOutcome): string {
  const call = `The call to ${codeSpan(toolName)} was refused`
  const denial = decisions.find(({ verdict }) => verdict === 'deny')
  if (denial === undefined) {
    const silent = decisions.filter(({ verdict }) => verdict === 'abstain')
    const names = silent.slice(0, 3).map(({ plugin }) => codeSpan(plugin))
    const more = silent.length > names.length ? ` and ${silent.length - names.length} more` : ''
    return `${call}: it could not be judged by ${names.join(', ')}${more}. Go on without it, or tell the user that it is not available now.`
  }
  const why = denial.reason === '' ? '' : `: ${denial.reason}`
  const stop = /[.!?]$/.test(why) ? '' : '.'
  return `${call} by ${codeSpan(denial.plugin)}${why}${stop} Do not repeat it unchanged; go on without it, or ask the user.`
}

/** A name between back-ticks, with none inside that could close them. */
function codeSpan(name: string): string {
  return `\`${printable(name, 100).replaceAll('`', "'")}\``
}

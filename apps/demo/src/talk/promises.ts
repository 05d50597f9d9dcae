import type { CallRecord } from './call-log.ts'
import type { RulesSelectedEvent } from './session.ts'

/** What a turn has come to, for those who ask whether it kept a promise. */
export interface TurnEvidence {
  readonly calls: readonly CallRecord[]
  readonly selection: RulesSelectedEvent['selection']
  /** The answer; empty when the turn failed. */
  readonly text: string
  readonly finished: boolean
}

/** Something a turn of the written conversation promises to show. */
export type Promised =
  /** A call is refused, the steps it lacked are done, and then it runs. */
  | { readonly kind: 'refused-then-corrected'; readonly toolName: string }
  /** The model heeds the rule from the start: what comes first runs first, nothing is refused. */
  | { readonly kind: 'heeded'; readonly toolName: string; readonly first: string }
  /** Input that does not fit is answered with an error, and sent again so that it fits. */
  | { readonly kind: 'input-then-corrected'; readonly toolName: string }
  /** The answer is, letter by letter, what a tool made of it. */
  | { readonly kind: 'formatted-by'; readonly toolName: string }
  /** A tool was not called, since no rule asks for it. */
  | { readonly kind: 'not-called'; readonly toolName: string }
  /** The answer speaks of this. */
  | { readonly kind: 'says'; readonly words: string }
  /** Neither the answer nor any result of the turn speaks of this. */
  | { readonly kind: 'keeps-to-itself'; readonly words: string }

/** A promise that has been looked into, by one turn or by the kernel for every turn. */
export interface Checked {
  readonly promised: string
  readonly by: 'turn' | 'kernel'
  readonly kept: boolean
  /**
   * Must it be kept by any model? What shows a mistake need not: a model that makes none is a good
   * model. Nor what no gate holds a model to.
   */
  readonly binding: boolean
}

/** Looks into what a turn has promised, and into what the kernel promises for every turn. */
export function checkTurn(promises: readonly Promised[], turn: TurnEvidence): readonly Checked[] {
  return [
    ...promises.map((promise) => ({
      promised: describe(promise),
      by: 'turn' as const,
      kept: turn.finished && isKept(promise, turn),
      binding: !ofTheLocalModel.has(promise.kind),
    })),
    {
      promised: 'no guarded call ran before what it requires',
      by: 'kernel',
      kept: turn.finished && rulesHeld(turn),
      binding: true,
    },
  ]
}

const ofTheLocalModel = new Set<Promised['kind']>([
  'refused-then-corrected',
  'heeded',
  'input-then-corrected',
  'formatted-by',
])

function isKept(promise: Promised, { calls, text }: TurnEvidence): boolean {
  switch (promise.kind) {
    case 'refused-then-corrected': {
      const { toolName } = promise
      const refused = calls.findIndex((call) => call.toolName === toolName && isRefused(call))
      const ran = calls.findLastIndex((call) => call.toolName === toolName && hasRun(call))
      const between = calls.slice(refused + 1, ran).filter(hasRun)
      const missing = calls[refused]?.missing ?? []
      const done = missing.every((name) => between.some((call) => call.toolName === name))
      return refused >= 0 && ran > refused && missing.length > 0 && done
    }
    case 'heeded': {
      const first = calls.findIndex((call) => call.toolName === promise.first && hasRun(call))
      const then = calls.findIndex((call) => call.toolName === promise.toolName && hasRun(call))
      return first >= 0 && then > first && !calls.some(isRefused)
    }
    case 'input-then-corrected': {
      const own = calls.filter(({ toolName }) => toolName === promise.toolName)
      const failed = own.findIndex(({ outcome }) => outcome === 'failed')
      return failed >= 0 && own.slice(failed + 1).some(hasRun)
    }
    case 'formatted-by':
      return calls.some(
        (call) => call.toolName === promise.toolName && hasRun(call) && call.output === text,
      )
    case 'not-called':
      return !calls.some(({ toolName }) => toolName === promise.toolName)
    case 'says':
      return includes(text, promise.words)
    case 'keeps-to-itself':
      return ![text, JSON.stringify(calls)].some((each) => includes(each, promise.words))
  }
}

/** Every guarded call that ran had what it requires behind it. */
function rulesHeld({ calls, selection }: TurnEvidence): boolean {
  return selection.active.every(({ actionTool, precondition }) =>
    calls.every(
      (call, index) =>
        call.toolName !== actionTool ||
        !hasRun(call) ||
        precondition.tools.every((name) =>
          calls.slice(0, index).some((earlier) => earlier.toolName === name && hasRun(earlier)),
        ),
    ),
  )
}

function describe(promise: Promised): string {
  switch (promise.kind) {
    case 'refused-then-corrected':
      return `${promise.toolName} is refused, then corrected`
    case 'heeded':
      return `${promise.first} comes before ${promise.toolName} without being told again`
    case 'input-then-corrected':
      return `${promise.toolName} is sent input that does not fit, then corrected`
    case 'formatted-by':
      return `the answer goes through ${promise.toolName}`
    case 'not-called':
      return `${promise.toolName} is not called`
    case 'says':
      return `the answer says "${promise.words}"`
    case 'keeps-to-itself':
      return `"${promise.words}" stays with whom it belongs to`
  }
}

function includes(text: string, words: string): boolean {
  return text.toLowerCase().includes(words.toLowerCase())
}

function isRefused({ outcome }: CallRecord): boolean {
  return outcome === 'refused'
}

function hasRun({ outcome }: CallRecord): boolean {
  return outcome === 'ran'
}

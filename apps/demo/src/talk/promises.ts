import type { PromptComparison, TurnCacheReport } from '@symfonic/kernel'
import { extractionDelimiter } from '@symfonic/memory'
import { recallToolName } from '@symfonic/result-policy'
import type { Speaker } from '../desk/speaker.ts'
import type { CallRecord } from './call-log.ts'
import type { ResultsShortenedEvent } from './follow-results.ts'
import type { MemoryForgottenEvent, MemoryLearnedEvent, MemoryRecalledEvent } from './own-memory.ts'
import type { StubbedResult } from './sent-results.ts'
import type { RulesSelectedEvent } from './session.ts'

/** What a turn has come to, for those who ask whether it kept a promise. */
export interface TurnEvidence {
  readonly speaker: Speaker
  readonly calls: readonly CallRecord[]
  readonly selection: RulesSelectedEvent['selection']
  /** The answer; empty when the turn failed. */
  readonly text: string
  readonly finished: boolean
  /** With the prompt of the last turn; undefined in the first one. */
  readonly comparison: PromptComparison | undefined
  /** undefined for a model that is sent no cache markers, and in a turn that failed. */
  readonly cache: TurnCacheReport | undefined
  /** undefined when the turn failed. */
  readonly results: ResultsShortenedEvent | undefined
  /** undefined when memory could not be read. */
  readonly recalled: MemoryRecalledEvent | undefined
  /** undefined when the turn failed, and when memory could not be read. */
  readonly learned: MemoryLearnedEvent | undefined
  /** Blocks that the model wrote for memory, as they stand in the transcript. */
  readonly notes: readonly string[]
  /** The text that went by while the model wrote, of all steps. */
  readonly shown: string
  /** What came of it, where it was no turn of the model but had something forgotten. */
  readonly forgotten?: MemoryForgottenEvent
  /** Over all steps. */
  readonly inputTokens: number
  /** Of these; undefined when the provider does not count. */
  readonly readTokens: number | undefined
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
  /** A plugin's guard refuses a call and is heeded: the tool does not run, and the answer names it. */
  | { readonly kind: 'vetoed'; readonly toolName: string; readonly by: string }
  /** A tool has not run, whether or not it was called. */
  | { readonly kind: 'not-run'; readonly toolName: string }
  /** The cached prefix is another one, and the report says whose text has changed. */
  | { readonly kind: 'prefix-changed'; readonly by: string }
  /** A stub goes out in place of what a tool gives, from the first call on. */
  | { readonly kind: 'stubbed'; readonly toolName: string }
  /** The model reads behind a stub what it needs, and the tool that gave it does not run `again`. */
  | { readonly kind: 'recalled'; readonly words: string; readonly again?: string }
  /** A tool was not called, since no rule asks for it. */
  | { readonly kind: 'not-called'; readonly toolName: string }
  /** The answer speaks of this. */
  | { readonly kind: 'says'; readonly words: string }
  /** The model writes this down for memory, where nobody sees it, and memory has it then. */
  | { readonly kind: 'noted'; readonly words: string }
  /** Memory brings this to mind before the model is asked, and the answer speaks of it. */
  | { readonly kind: 'remembered'; readonly words: string }
  /** Something is removed from memory, and nothing is left of whoever asked for it. */
  | { readonly kind: 'forgotten' }
  /** Neither the answer, nor any result of the turn, nor what was recalled speaks of this. */
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

/**
 * Looks into what a turn has promised, and into what the kernel promises for every turn.
 *
 * @param culprit - A plugin that breaks the cached prefix on purpose; undefined for none.
 */
export function checkTurn(
  promises: readonly Promised[],
  turn: TurnEvidence,
  culprit?: string,
): readonly Checked[] {
  return [
    ...promises.map((promise) => ({
      promised: describe(promise),
      by: 'turn' as const,
      kept: turn.finished && isKept(promise, turn),
      binding: !ofTheLocalModel.has(promise.kind),
    })),
    ...(turn.forgotten ? [] : ofTheKernel(turn, culprit)).map((check) => ({
      ...check,
      by: 'kernel' as const,
      kept: turn.finished && check.kept,
    })),
  ]
}

function ofTheKernel(
  turn: TurnEvidence,
  culprit: string | undefined,
): readonly Omit<Checked, 'by'>[] {
  const { comparison, cache, results, recalled, speaker } = turn
  return [
    {
      promised: 'no guarded call ran before what it requires',
      kept: rulesHeld(turn),
      binding: true,
    },
    {
      promised: 'what the model notes for memory is shown to nobody',
      kept: ![turn.text, turn.shown].some((text) => includes(text, noteTag)),
      binding: true,
    },
    {
      promised: 'nobody is reminded of what another person said',
      kept: recalled === undefined || recalled.items.every((item) => isOwn(item, speaker)),
      binding: true,
    },
    ...(comparison === undefined
      ? []
      : culprit === undefined
        ? [
            {
              promised: 'the cached prefix keeps its bytes until the rules change',
              kept: onlyRulesMovedPrefix(comparison),
              binding: true,
            },
          ]
        : [
            {
              promised: `the cached prefix breaks, and the report names the plugin ${culprit}`,
              kept: namesCulprit(culprit, comparison, cache),
              binding: true,
            },
          ]),
    ...(cache === undefined
      ? []
      : [
          {
            // More is no fault: what is left of an earlier process, nobody here can know.
            promised: 'the cache gives at least what was predicted',
            kept: (cache.readTokens ?? 0) >= cache.predictedTokens * leastShare,
            // A provider may let go of what it has cached.
            binding: false,
          },
        ]),
    ...(results === undefined || results.stubs.length === 0
      ? []
      : [
          {
            promised: 'a stub is sent from then on, and never the result it stands for',
            kept: results.stubs.every(isSentShort),
            binding: true,
          },
          {
            promised: 'the transcript keeps every byte of such a result',
            kept: results.stubs.every(({ isKept }) => isKept),
            binding: true,
          },
          {
            promised: 'no conversation costs more than without stubs, recalls included',
            kept: results.inConversation.cost <= results.inConversation.plainCost,
            binding: true,
          },
        ]),
  ]
}

/** A tag without what closes it. */
const noteTag = extractionDelimiter.open.slice(1, -1)

/** Kept for this person, or for everybody; and in a channel, where words carry their author, not another's. */
function isOwn(
  { scope, content }: MemoryRecalledEvent['items'][number],
  { user }: Speaker,
): boolean {
  const [, author = user] = content.match(/^\[@([\w.-]+)\]/) ?? []
  return (scope.userId ?? user) === user && author === user
}

/** One that is offloaded is never sent whole; one that was read before, not again. */
function isSentShort({ sentChars, decision }: StubbedResult): boolean {
  const { action, stubChars = -1 } = decision
  const first = sentChars.indexOf(stubChars)
  const isInTime = action === 'offload' ? first === 0 : first >= 0
  return isInTime && sentChars.slice(first).every((chars) => chars === stubChars)
}

/** Tokens are estimates. */
const leastShare = 0.9

function onlyRulesMovedPrefix({ stable, changes }: PromptComparison): boolean {
  const moved = changes.filter(({ layer }) => layer !== 'L2')
  return stable || (moved.length > 0 && moved.every(({ capability }) => capability === 'preflight'))
}

/** In the comparison of the prompts, and wherever a conversation lost what it had cached. */
function namesCulprit(
  culprit: string,
  { stable, changes }: PromptComparison,
  cache: TurnCacheReport | undefined,
): boolean {
  const parted = cache?.parted
  const broke = parted?.verdict === 'broken' ? parted.change : undefined
  const isNamed = changes.some(({ layer, origin }) => layer === 'L1' && origin === culprit)
  return (
    !stable && isNamed && (broke === undefined || ('origin' in broke && broke.origin === culprit))
  )
}

const ofTheLocalModel = new Set<Promised['kind']>([
  'refused-then-corrected',
  'heeded',
  'input-then-corrected',
  'formatted-by',
  'vetoed',
  'stubbed',
  'recalled',
  'noted',
])

function isKept(promise: Promised, turn: TurnEvidence): boolean {
  const { calls, text, comparison, results, recalled, learned } = turn
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
        (call) =>
          call.toolName === promise.toolName && hasRun(call) && call.output === text.trimEnd(),
      )
    case 'vetoed': {
      const own = calls.filter(({ toolName }) => toolName === promise.toolName)
      const isVetoed = own.some(({ vetoes }) => vetoes.some(({ plugin }) => plugin === promise.by))
      return isVetoed && !own.some(hasRun) && includes(text, promise.by)
    }
    case 'not-run':
      return !calls.some((call) => call.toolName === promise.toolName && hasRun(call))
    case 'prefix-changed':
      return (
        comparison?.changes.some(
          ({ layer, capability }) => layer !== 'L2' && capability === promise.by,
        ) ?? false
      )
    case 'stubbed': {
      const own = calls.filter((call) => call.toolName === promise.toolName && hasRun(call))
      const stubs = results?.stubs ?? []
      return own.some(({ toolCallId }) =>
        stubs.some((stub) => stub.decision.toolCallId === toolCallId && isSentShort(stub)),
      )
    }
    case 'recalled': {
      const recalls = calls.filter((call) => call.toolName === recallToolName && hasRun(call))
      const isAnswered = recalls.some(({ output }) => includes(String(output), promise.words))
      const ranAgain = calls.some((call) => call.toolName === promise.again && hasRun(call))
      return isAnswered && !ranAgain && includes(text, promise.words)
    }
    case 'not-called':
      return !calls.some(({ toolName }) => toolName === promise.toolName)
    case 'says':
      return includes(text, promise.words)
    case 'noted': {
      const isWritten = turn.notes.some((note) => includes(note, promise.words))
      const isKnown = learned?.entries.some(
        ({ provenance, content }) =>
          provenance.source === 'extraction' && includes(content, promise.words),
      )
      return isWritten && isKnown === true
    }
    case 'remembered': {
      const { words } = promise
      return (
        (recalled?.items.some(({ content }) => includes(content, words)) ?? false) &&
        includes(text, words)
      )
    }
    case 'forgotten':
      return turn.forgotten !== undefined && turn.forgotten.removed > 0 && turn.forgotten.left === 0
    case 'keeps-to-itself':
      return ![text, JSON.stringify(calls), JSON.stringify(recalled?.items ?? [])].some((each) =>
        includes(each, promise.words),
      )
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
    case 'vetoed':
      return `${promise.toolName} is refused by the plugin ${promise.by}, and the answer says so`
    case 'not-run':
      return `${promise.toolName} does not run`
    case 'prefix-changed':
      return `the cached prefix is another one, and the report names ${promise.by}`
    case 'stubbed':
      return `what ${promise.toolName} gives goes out as a stub`
    case 'recalled':
      return `"${promise.words}" is read behind a stub${promise.again === undefined ? '' : ` of an earlier turn, without ${promise.again}`}`
    case 'not-called':
      return `${promise.toolName} is not called`
    case 'says':
      return `the answer says "${promise.words}"`
    case 'noted':
      return `the model notes "${promise.words}" for memory, unseen, and memory has it`
    case 'remembered':
      return `memory has "${promise.words}" for the answer`
    case 'forgotten':
      return 'what is forgotten is gone'
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

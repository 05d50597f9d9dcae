import type { TurnView } from './capability.ts'
import { describeError } from './describe-error.ts'
import type { Logger } from './logger.ts'
import { withinTime } from './time-limit.ts'

/** As long as a ledger has for anything else; nobody waits longer for the end of a turn. */
const releaseTimeoutMs = 5_000

/** Where a ledger keeps the results of one conversation. */
export interface ResultPlace {
  readonly scopeKey: string
  readonly thread: string
}

/** The places in a ledger that turns read and write, and when what they hold is let go. */
export interface ResultPlaces<Known> {
  /** Does a piece of work at the place of a turn, after all that was begun there. */
  within<Value>(view: TurnView, work: (at: ResultsAt<Known>) => Promise<Value>): Promise<Value>
  /** A turn has come to its end. Resolves when what it leaves is released; never rejects. */
  end(view: Pick<TurnView, 'signal'>): Promise<void>
}

/** What is known at one place. */
export interface ResultsAt<Known> {
  readonly place: ResultPlace
  /** By model: what one has in its cache says nothing of another. */
  readonly known: Map<string, Known>
}

interface Kept<Known> extends ResultsAt<Known> {
  readonly key: string
  /** Nobody comes back to the place of a run. */
  readonly isOfRun: boolean
  /** Turns under way. */
  turns: number
  /** Settles after all work begun here. */
  queue: Promise<unknown>
}

/**
 * The place of a run without a session is released when the last turn of that run ends: with its answer,
 * by an error or an abort, or when its consumer leaves. Of a stream that is dropped half read nothing
 * tells but that its signal is collected as garbage.
 *
 * @param options.most - Places that are kept; more only while turns are under way there. The session that
 * was asked longest ago goes first.
 * @param options.ownsLedger - Whether nobody else reads the ledger: a session that goes is then released,
 * and recorded anew when it comes back.
 */
export function createResultPlaces<Known>(
  ledger: { release(place: ResultPlace): PromiseLike<void> },
  { most, ownsLedger }: { readonly most: number; readonly ownsLedger: boolean },
): ResultPlaces<Known> {
  const places = new Map<string, Kept<Known>>()
  const ends = new WeakMap<AbortSignal, () => Promise<void>>()
  const collected = new FinalizationRegistry<() => void>((end) => end())

  return {
    within: async (view, work) => {
      const { signal } = view
      signal.throwIfAborted()
      const kept = keptFor(view)
      if (!ends.has(signal)) {
        kept.turns += 1
        const end = endOf(kept, view.logger)
        ends.set(signal, end)
        signal.addEventListener('abort', end, { once: true })
        collected.register(signal, end)
      }
      forgetOldest()
      return afterOthers(kept, () => work(kept))
    },
    end: async ({ signal }) => ends.get(signal)?.(),
  }

  function keptFor(view: TurnView): Kept<Known> {
    const place = resultPlace(view)
    const key = JSON.stringify([place.scopeKey, place.thread])
    const isOfRun = view.sessionId === undefined
    const nothing = { turns: 0, queue: Promise.resolve(), known: new Map<string, Known>() }
    const kept = places.get(key) ?? { key, place, isOfRun, ...nothing }
    // The last asked stands last.
    places.delete(key)
    places.set(key, kept)
    return kept
  }

  function forgetOldest(): void {
    for (const { key, place, isOfRun, turns } of places.values()) {
      if (places.size <= most) break
      // The model may still ask for what this turn has replaced; a run goes by itself.
      if (turns > 0 || isOfRun) continue
      places.delete(key)
      if (ownsLedger) void ledger.release(place)
    }
  }

  /** Made apart from the view, whose signal would else be held by what waits for its end. */
  function endOf(kept: Kept<Known>, logger: Logger): () => Promise<void> {
    let ended: Promise<void> | undefined
    return () => {
      // After others: what is being recorded now is released, too. A logger that is down costs a line.
      ended ??= afterOthers(kept, () => leave(kept, logger)).catch(() => {})
      return ended
    }
  }

  async function leave(kept: Kept<Known>, logger: Logger): Promise<void> {
    const { key, place, isOfRun, known } = kept
    kept.turns -= 1
    if (!isOfRun || kept.turns > 0) return
    // A turn of this run that begins meanwhile records anew.
    known.clear()
    try {
      const { signal } = new AbortController()
      await withinTime(ledger.release(place), { timeoutMs: releaseTimeoutMs, signal })
    } catch (error) {
      const details = { ...place, reason: describeError(error) }
      logger.warn('The tool results of a run could not be released.', details)
    } finally {
      if (kept.turns === 0) places.delete(key)
    }
  }
}

/**
 * Where a ledger keeps the results of a session: what to `release` when the session is deleted, and to
 * recall from outside of a turn. A turn without a session has a place of its own, by its run, which is
 * released when it ends.
 */
export function resultPlace({
  runId,
  sessionId,
  scope,
}: Partial<Pick<TurnView, 'runId' | 'sessionId' | 'scope'>>): ResultPlace {
  return {
    // A turn without a scope has a place of its own, which no tenant's name can spell.
    scopeKey: JSON.stringify(scope ? [scope.tenantId, scope.namespace ?? null] : []),
    thread: JSON.stringify(sessionId === undefined ? { run: runId } : [sessionId]),
  }
}

function afterOthers<Value>(
  kept: Pick<Kept<unknown>, 'queue'>,
  work: () => Promise<Value>,
): Promise<Value> {
  const done = kept.queue.then(work)
  kept.queue = done.catch(() => {})
  return done
}

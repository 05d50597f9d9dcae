import { EventEmitter } from 'eventemitter3'
import type { TurnEvent } from './events.ts'
import type { Logger } from './logger.ts'

/** The event of one type. */
export type TurnEventOf<Type extends TurnEvent['type']> = Extract<TurnEvent, { type: Type }>

/** Told of one type of event. What it returns is ignored, what it throws is logged. */
export type Observer<Type extends TurnEvent['type']> = (
  event: TurnEventOf<Type>,
) => void | PromiseLike<void>

/** Those who watch the turns of a kernel. They see events before the consumer does. */
export interface Observers {
  /** @returns Takes the observer off again. */
  observe<Type extends TurnEvent['type']>(type: Type, observer: Observer<Type>): () => void
  /** Tells everyone. A failing observer never breaks a turn (OPEN-OBS-3). */
  tell(event: TurnEvent): void
}

/** Nobody watching yet. */
export function createObservers(logger: Logger): Observers {
  const emitter = new EventEmitter()

  const failed = (type: string) => (error: unknown) =>
    logger.error(`an observer of "${type}" failed`, { error })

  return {
    observe: (type, observer) => {
      // A function of its own: the emitter takes off every listener that is the same function.
      const listener = (event: TurnEvent) => observer(event as never)
      emitter.on(type, listener)
      return () => {
        emitter.off(type, listener)
      }
    },
    tell: (event) => {
      if (emitter.listenerCount(event.type) === 0) return
      // Each on its own: the emitter's emit would stop at the first that throws.
      for (const listener of emitter.listeners(event.type)) {
        try {
          const settled: unknown = (listener as (event: TurnEvent) => unknown)(event)
          if (isThenable(settled)) settled.then(undefined, failed(event.type))
        } catch (error) {
          failed(event.type)(error)
        }
      }
    },
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as Partial<PromiseLike<unknown>> | null | undefined)?.then === 'function'
}

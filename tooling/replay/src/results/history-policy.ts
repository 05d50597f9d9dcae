import type { ModelMessage } from 'ai'
import type { Conversation } from './conversation.ts'

/** A way to prepare the history of a conversation for each call of a model. */
export interface HistoryPolicy {
  readonly name: string
  /** What it adds to the tools that every request describes, as sent; absent: nothing. */
  readonly toolText?: string
  readonly open: (conversation: Conversation) => OpenHistory
}

/** A policy at work on one conversation. */
export interface OpenHistory {
  /**
   * What is sent in place of a history.
   *
   * @param history - Untouched messages; from call to call the same ones and some more.
   */
  readonly prepare: (
    history: readonly ModelMessage[],
  ) => readonly ModelMessage[] | Promise<readonly ModelMessage[]>
  /**
   * What a model would be told that asks the policy's own tool for a value; undefined when it has no way to
   * ask. Absent: the policy has no tool.
   */
  readonly recall?: (wanted: Wanted) => Promise<Recall | undefined>
}

/** What a model looks for. */
export interface Wanted {
  readonly value: string
  /** What was sent in place of the result that holds the value; empty where nothing was. */
  readonly stub: string
}

/** One use of a recall tool. */
export interface Recall {
  readonly toolName: string
  readonly input: unknown
  /** What the tool answers. */
  readonly text: string
}

/** Sends everything, always. */
export const sendEverything: HistoryPolicy = {
  name: 'no policy',
  open: () => ({ prepare: (history) => history }),
}

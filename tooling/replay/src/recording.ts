/** A recorded conversation, arranged as a kernel will live through it. */
export interface Recording {
  readonly id: string
  /** Where the run comes from, such as `tau1-airline-gpt-4o`. */
  readonly source: string
  readonly domain: string
  /** The benchmark's verdict, 0 to 1; undefined where the record has none. */
  readonly reward: number | undefined
  /** The environment before anybody acts, as the record has it; absent where it says nothing. */
  readonly startState?: unknown
  /** What the assistant says before anybody asks: history of the first turn. */
  readonly opening: readonly string[]
  readonly turns: readonly RecordedTurn[]
  /** Messages that take no part, since the agent never saw them or they hold nothing. */
  readonly setAside: { readonly ofUserDevice: number; readonly empty: number }
}

/** What the user says, and all the assistant does until it has answered. */
export interface RecordedTurn {
  /** Messages of the user in a row, none empty. No message at all: the assistant acts unasked. */
  readonly asked: readonly string[]
  /** May be empty: a user who has the last word is not answered. */
  readonly steps: readonly RecordedStep[]
}

/** One message of the assistant, with the results of its calls. */
export interface RecordedStep {
  /** Index of the message in the record, from 0. With a call's position it names a call, as no id does. */
  readonly messageIndex: number
  /** Empty when the assistant only calls tools. */
  readonly content: string
  readonly calls: readonly RecordedCall[]
}

/** A tool call and what the environment answered. */
export interface RecordedCall {
  /** Unique within its message. Recorded runs use ids again later. */
  readonly id: string
  readonly name: string
  readonly args: unknown
  readonly result: RecordedResult
}

/** A tool result as recorded. */
export interface RecordedResult {
  readonly content: string
  /** `isError` of the record; where it says nothing, whether the text begins with `Error:`. */
  readonly isError: boolean
}

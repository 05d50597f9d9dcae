/** What went wrong and was survived, counted since the memory was made. */
export interface MemoryCounters {
  /** Recalls that failed, or whose signal fired first: the turn went on without memory. */
  readonly recallFailures: number
  /** Turns and recalls that could not be written, or not in time. */
  readonly writeFailures: number
  /** Texts that could not be embedded, or not in time: they are found by their words. */
  readonly embeddingFailures: number
  /** Jobs that failed and wait for another try. */
  readonly jobFailures: number
  /** Lines and blocks of models that were not taken. */
  readonly extractionFaults: number
  /** Times that `flush` or `close` stopped waiting for work that was not over. */
  readonly flushTimeouts: number
}

/** Counters that start at 0. */
export function createCounters(): { -readonly [Key in keyof MemoryCounters]: number } {
  return {
    recallFailures: 0,
    writeFailures: 0,
    embeddingFailures: 0,
    jobFailures: 0,
    extractionFaults: 0,
    flushTimeouts: 0,
  }
}

/** What went wrong and was survived, counted since the memory was made. */
export interface MemoryCounters {
  /** Recalls that failed: the turn went on without memory. */
  readonly recallFailures: number
  /** Turns and recalls that could not be written. */
  readonly writeFailures: number
  /** Texts that could not be embedded: they are found by their words. */
  readonly embeddingFailures: number
  /** Jobs that failed and wait for another try. */
  readonly jobFailures: number
  /** Lines and blocks of models that were not taken. */
  readonly extractionFaults: number
}

/** Counters that start at 0. */
export function createCounters(): { -readonly [Key in keyof MemoryCounters]: number } {
  return {
    recallFailures: 0,
    writeFailures: 0,
    embeddingFailures: 0,
    jobFailures: 0,
    extractionFaults: 0,
  }
}

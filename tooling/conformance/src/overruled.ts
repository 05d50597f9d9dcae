import type { Overruled } from './run-vectors.ts'

/** Vectors that a decision of ours contradicts, each with that decision. None so far. */
export const overruled: Overruled = {}

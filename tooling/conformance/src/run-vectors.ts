import { groupOf, type Vector } from './vectors.ts'

/** Runs one vector against our code. Returning means it held; throwing says how it did not. */
export type Harness = (vector: Vector) => void | Promise<void>

/** The harness of each vector kind that has been built. */
export type Harnesses = Readonly<Record<string, Harness>>

/** Vectors that a decision of ours contradicts: the id, and the decision that overrules it. */
export type Overruled = Readonly<Record<string, string>>

/** What came of one vector. `reason` says why unless it passed or is not built yet. */
export interface Result {
  id: string
  group: string
  kind: string
  title: string
  outcome: 'passed' | 'failed' | 'overruled' | 'not built yet'
  reason?: string
}

/**
 * Runs every vector that has a harness, in the order given.
 *
 * An overruled vector is run too, and must fail: one that holds after all is reported as failed, so
 * that no overruling outlives its cause.
 *
 * @throws Error when `overruled` names a vector that does not exist.
 */
export async function runVectors(
  vectors: readonly Vector[],
  { harnesses, overruled }: { harnesses: Harnesses; overruled: Overruled },
): Promise<Result[]> {
  refuseStrays(vectors, overruled)
  const results: Result[] = []
  for (const vector of vectors) results.push(await runVector(vector, { harnesses, overruled }))
  return results
}

async function runVector(
  vector: Vector,
  { harnesses, overruled }: { harnesses: Harnesses; overruled: Overruled },
): Promise<Result> {
  const { id, kind, title } = vector
  const about = { id, group: groupOf(vector), kind, title }
  const decision = Object.hasOwn(overruled, id) ? overruled[id] : undefined
  const harness = Object.hasOwn(harnesses, kind) ? harnesses[kind] : undefined
  if (harness === undefined) {
    if (decision === undefined) return { ...about, outcome: 'not built yet' }
    return { ...about, outcome: 'overruled', reason: decision }
  }
  const failure = await attempt(harness, vector)
  if (decision === undefined) {
    if (failure === undefined) return { ...about, outcome: 'passed' }
    return { ...about, outcome: 'failed', reason: failure }
  }
  if (failure !== undefined) return { ...about, outcome: 'overruled', reason: decision }
  return { ...about, outcome: 'failed', reason: 'Overruled, but it holds: drop the overruling.' }
}

async function attempt(harness: Harness, vector: Vector): Promise<string | undefined> {
  try {
    await harness(vector)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function refuseStrays(vectors: readonly Vector[], overruled: Overruled): void {
  const known = new Set(vectors.map(({ id }) => id))
  const strays = Object.keys(overruled).filter((id) => !known.has(id))
  if (strays.length === 0) return
  throw new Error(`No vector is called ${strays.join(', ')}. Drop the line from overruled.ts.`)
}

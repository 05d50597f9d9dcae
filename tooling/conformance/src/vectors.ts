import { existsSync, readFileSync } from 'node:fs'

/** One input and what must come of it, as written in `spec/vectors.json`. */
export interface Vector {
  /** `V-PRED-001`: the middle part is the requirement group. */
  id: string
  /** Which harness runs it: `predicate.evaluate`, `preflight.gate`, ... */
  kind: string
  title: string
  /** The requirements it follows from, as `PRED-09`. */
  requirements: string[]
  /** The release line it speaks about. */
  profile: '10.4' | '11.0' | 'any'
  /** Neutral data whose shape the kind decides. */
  input: unknown
  /** Neutral data whose shape the kind decides. */
  expected: unknown
}

const file = new URL('../../../../shared/spec/vectors.json', import.meta.url)

/** The vectors that lie beside the repository, or undefined where that folder is absent. */
export function loadVectors(): Vector[] | undefined {
  if (!existsSync(file)) return undefined
  const { vectors } = JSON.parse(readFileSync(file, 'utf8')) as { vectors: Vector[] }
  return vectors
}

/** The requirement group of a vector: `PRED` for `V-PRED-001`. */
export function groupOf({ id }: Pick<Vector, 'id'>): string {
  return id.replace(/^V-/, '').replace(/-\d+$/, '')
}

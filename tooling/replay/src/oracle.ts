import { z } from 'zod'
import { ReplayError } from './errors.ts'
import type { RecordPlace } from './parse-recording.ts'
import { keyOf, type Replay } from './replay.ts'
import type { RuleSet } from './rule-set.ts'

/** What an oracle, a checker that is none of ours, says of one run. */
export interface Verdict {
  /** Id of the run. */
  readonly id: string
  readonly violations: readonly {
    readonly rule: string
    readonly tool: string
    readonly callId: string
    readonly rejectedByEnvironment: boolean
  }[]
}

/** Our refusals beside an oracle's violations of the same rule, in the runs it speaks of. */
export interface OracleComparison {
  /** Violations the oracle names. The next three add up to it. */
  readonly named: number
  /** Named and refused. */
  readonly agreed: number
  /**
   * Named only because the oracle joins calls and results by the last use of an id in the run:
   * judged that way its list comes out, and judged by position these are no violations.
   */
  readonly explainedByIdReuse: readonly PlacedViolation[]
  /** Named, not refused, and no explanation. */
  readonly unexplained: readonly PlacedViolation[]
  /** Refused and not named. */
  readonly unnamed: readonly PlacedViolation[]
}

/** A call with its run. */
export interface PlacedViolation {
  readonly run: string
  readonly tool: string
  readonly callId: string
  /** Undefined where the record has no such call. */
  readonly messageIndex: number | undefined
}

/**
 * Checks one line of an oracle.
 *
 * @throws ReplayError `REPLAY_RECORD_INVALID`.
 */
export function parseVerdict(value: unknown, { file, line }: RecordPlace): Verdict {
  const parsed = verdictSchema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const path = issue?.path.join('.') ?? ''
  throw new ReplayError(
    'REPLAY_RECORD_INVALID',
    `${file}:${line} is no verdict${path && ` (${path})`}: ${issue?.message}. Mend the line or remove it.`,
    { details: { file, line, path } },
  )
}

/**
 * Compares what was refused with what an oracle names.
 *
 * An oracle names a call by an id, which runs use again; the place it means is found by judging the
 * record the way it does.
 *
 * @param rules - A set that an oracle knows as one rule (`oracleRule`); of others it names nothing.
 */
export function compareWithOracle(
  replays: readonly Replay[],
  verdicts: readonly Verdict[],
  rules: RuleSet,
): OracleComparison {
  const explainedByIdReuse: PlacedViolation[] = []
  const unexplained: PlacedViolation[] = []
  const unnamed: PlacedViolation[] = []
  let named = 0
  let agreed = 0
  for (const { id, violations } of verdicts) {
    const replay = replays.find(({ recording }) => recording.id === id)
    if (replay === undefined) continue
    const { recording, refused } = replay
    const byLastUse = rules.breachesOf(recording, 'last-use-of-id')
    const byPosition = new Set(rules.breachesOf(recording, 'position').map(keyOf))
    const unmatched = new Map(refused.map((call) => [keyOf(call), call]))
    for (const { rule, tool, callId } of violations) {
      if (rule !== rules.oracleRule) continue
      named += 1
      const found = byLastUse.findIndex(({ call }) => call.id === callId && call.name === tool)
      const place = found < 0 ? undefined : byLastUse.splice(found, 1)[0]
      const violation = { run: id, tool, callId, messageIndex: place?.messageIndex }
      if (place && unmatched.delete(keyOf(place))) agreed += 1
      else if (place && !byPosition.has(keyOf(place))) explainedByIdReuse.push(violation)
      else unexplained.push(violation)
    }
    for (const { call, messageIndex } of unmatched.values()) {
      unnamed.push({ run: id, tool: call.name, callId: call.id, messageIndex })
    }
  }
  return { named, agreed, explainedByIdReuse, unexplained, unnamed }
}

const verdictSchema = z.looseObject({
  id: z.string().min(1),
  violations: z.array(
    z.looseObject({
      rule: z.string(),
      tool: z.string(),
      callId: z.string(),
      rejectedByEnvironment: z.boolean(),
    }),
  ),
})

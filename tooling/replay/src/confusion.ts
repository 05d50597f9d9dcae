import { type JudgedCall, judgeRecord } from './judge-record.ts'
import type { PlacedViolation, Verdict } from './oracle.ts'
import type { Recording } from './recording.ts'
import { type CallPlace, keyOf, labelsIn, type Replay } from './replay.ts'
import type { PolicyRules, ResultJoin, RuleSet } from './rule-set.ts'
import { type InexpressibleRule, rulesBehind } from './rules/policy-rule.ts'

/** What the gate refuses beside what an oracle names, rule by rule. Plain data. */
export interface Confusion {
  /** One table for each way to join results, the way it was (`position`) first. */
  readonly tables: readonly ConfusionTable[]
  /** Rules that no skill can say, and how many calls the oracle names for each. */
  readonly inexpressible: readonly (InexpressibleRule & { readonly named: number })[]
  /** Rules that the oracle names and that are none of these: nothing was compared for them. */
  readonly unknownRules: readonly string[]
  readonly kernel: KernelComparison
}

/** A record judged as it stands, call by call. */
export interface ConfusionTable {
  readonly joinResults: ResultJoin
  /** By rule, then by source; a row without a call to judge or named is left out. */
  readonly rows: readonly ConfusionRow[]
  /** Calls refused under some rule, which the oracle names under none. */
  readonly unnamedCalls: ByReward
}

/** One rule, in one source. */
export interface ConfusionRow {
  readonly rule: string
  readonly source: string
  /** Calls of tools that the rule governs. */
  readonly judged: number
  /** Violations that the oracle names, and the gate refuses for this very rule. */
  readonly agreed: readonly PlacedViolation[]
  /** Named, not refused, and a violation only if results are joined by the last use of an id. */
  readonly namedByIdReuse: readonly PlacedViolation[]
  /** Named, not refused, and no explanation. */
  readonly namedOnly: readonly PlacedViolation[]
  /** Refused, not named, and no violation if results are joined by the last use of an id. */
  readonly overlookedByIdReuse: readonly PlacedViolation[]
  /** Refused, not named, and no explanation. */
  readonly refusedOnly: ByReward
}

/** Calls, by how their run ended. */
export interface ByReward {
  /** In runs with reward 1. */
  readonly full: readonly PlacedViolation[]
  /** In runs with a lower reward, or with none. */
  readonly less: readonly PlacedViolation[]
}

/** What a kernel refuses beside what the gate refuses on the record as it stands. */
export interface KernelComparison {
  /** Calls refused on the record. */
  readonly onRecord: number
  /** Calls refused by the kernel. */
  readonly inKernel: number
  /**
   * Refused by the kernel alone: what the call needs was shown only by a call that is refused. A
   * model would have gone another way after that refusal, so they do not count against the gate.
   */
  readonly onlyAfterRefusal: readonly RewardedViolation[]
  /** Refused on the record alone: what forbids the call was done only by a call that is refused. */
  readonly onlyWithoutRefusal: readonly PlacedViolation[]
  /**
   * Where the kernel says something else, to the letter, than the gate says of the record in which
   * refused calls stay without effect.
   */
  readonly unexplained: readonly PlacedViolation[]
}

/** A call with the reward of its run. */
export interface RewardedViolation extends PlacedViolation {
  readonly reward: number | undefined
}

/** Compares, in the runs that an oracle speaks of. */
export function confusionOf(
  replays: readonly Replay[],
  verdicts: readonly Verdict[],
  rules: RuleSet,
  { rulesFor, rules: all, inexpressible }: PolicyRules,
): Confusion {
  const judged = verdicts.flatMap((verdict): JudgedRun[] => {
    const replay = replays.find(({ recording }) => recording.id === verdict.id)
    if (replay === undefined) return []
    const { recording } = replay
    const judge = (reading: Parameters<typeof judgeRecord>[2]) =>
      judgeRecord(recording, rules.capabilities(recording), reading)
    const position = judge({ joinResults: 'position' })
    const lastUse = judge({ joinResults: 'last-use-of-id' })
    const inForce = judge({ refusalsHold: true })
    return [{ replay, verdict, position, 'last-use-of-id': lastUse, inForce }]
  })
  const ids = [...new Set(all.map(({ id }) => id))]
  const known = new Set([...ids, ...inexpressible.map(({ id }) => id)])
  const named = judged.flatMap(({ verdict }) => verdict.violations.map(({ rule }) => rule))
  return {
    tables: (['position', 'last-use-of-id'] as const).map((joinResults) => ({
      joinResults,
      rows: ids.flatMap((id) => rowsOf(id, judged, joinResults, rulesFor)),
      unnamedCalls: unnamedCalls(judged, joinResults),
    })),
    inexpressible: inexpressible.map((rule) => ({
      ...rule,
      named: judged.flatMap(({ verdict }) => violationsOf(verdict, rule.id)).length,
    })),
    unknownRules: [...new Set(named)].filter((rule) => !known.has(rule)),
    kernel: compareWithKernel(judged),
  }
}

/**
 * Whether the gate holds what it promises: nothing named goes unrefused without an explanation, no
 * unnamed call of a run with reward 1 is refused, every rule named is known, and the kernel does as
 * the gate says.
 */
export function isSound({ tables, unknownRules, kernel }: Confusion): boolean {
  return (
    unknownRules.length === 0 &&
    kernel.unexplained.length === 0 &&
    tables.every(
      ({ rows, unnamedCalls }) =>
        unnamedCalls.full.length === 0 &&
        rows.every(
          ({ namedOnly, refusedOnly }) => namedOnly.length + refusedOnly.full.length === 0,
        ),
    )
  )
}

interface JudgedRun extends Readonly<Record<ResultJoin, readonly JudgedCall[]>> {
  readonly replay: Replay
  readonly verdict: Verdict
  /** Judged with refusals that hold, as a kernel does. */
  readonly inForce: readonly JudgedCall[]
}

function rowsOf(
  rule: string,
  runs: readonly JudgedRun[],
  joinResults: ResultJoin,
  rulesFor: PolicyRules['rulesFor'],
): ConfusionRow[] {
  const sources = [...new Set(runs.map(({ replay }) => replay.recording.source))]
  return sources.flatMap((source) => {
    const rows = runs
      .filter(({ replay }) => replay.recording.source === source)
      .map((run) => rowOf(rule, run, joinResults, rulesFor))
    const row = { rule, source, ...sumOf(rows) }
    return row.judged > 0 || row.namedOnly.length > 0 ? [row] : []
  })
}

type Counts = Omit<ConfusionRow, 'rule' | 'source'>

/** Adds rows up, such as those of all sources. */
export function sumOf(rows: readonly Counts[]): Counts {
  const all = (cell: (row: Counts) => readonly PlacedViolation[]) => rows.flatMap(cell)
  return {
    judged: rows.reduce((sum, { judged }) => sum + judged, 0),
    agreed: all(({ agreed }) => agreed),
    namedByIdReuse: all(({ namedByIdReuse }) => namedByIdReuse),
    namedOnly: all(({ namedOnly }) => namedOnly),
    overlookedByIdReuse: all(({ overlookedByIdReuse }) => overlookedByIdReuse),
    refusedOnly: {
      full: all(({ refusedOnly }) => refusedOnly.full),
      less: all(({ refusedOnly }) => refusedOnly.less),
    },
  }
}

function rowOf(
  rule: string,
  run: JudgedRun,
  joinResults: ResultJoin,
  rulesFor: PolicyRules['rulesFor'],
): Counts {
  const { recording } = run.replay
  const governing = rulesFor(recording).filter(({ id }) => id === rule)
  const breaking = (join: ResultJoin) =>
    run[join].filter(({ refusal }) => rulesBehind(governing, labelsIn(refusal?.details)).length > 0)

  // The oracle names a call by an id, which runs use again. The place it means is found by judging
  // the record the way it does.
  const asOracle = breaking('last-use-of-id')
  const open = [...asOracle]
  const places = violationsOf(run.verdict, rule).map(({ tool, callId }) => {
    const found = open.findIndex(({ call }) => call.id === callId && call.name === tool)
    const place = found < 0 ? undefined : open.splice(found, 1)[0]
    return { place, violation: violationOf(recording, { tool, callId }, place) }
  })
  const refused = breaking(joinResults)
  const among = (places: readonly CallPlace[], one: CallPlace | undefined) =>
    one !== undefined && places.some((place) => keyOf(place) === keyOf(one))
  const named = places.flatMap(({ place }) => (place ? [place] : []))
  const unnamed = refused.filter((place) => !among(named, place))
  const unexplained = unnamed.filter((place) => among(asOracle, place))

  const isAgreed = (place: CallPlace | undefined) => among(refused, place)
  const onlyNamed = places.filter(({ place }) => !isAgreed(place))
  const listed = (calls: readonly CallPlace[]) => calls.map((one) => placedCall(recording, one))
  return {
    judged: run[joinResults].filter(({ call }) =>
      governing.some(({ tools }) => tools.includes(call.name)),
    ).length,
    agreed: places.filter(({ place }) => isAgreed(place)).map(({ violation }) => violation),
    namedByIdReuse: onlyNamed.flatMap(({ place, violation }) => (place ? [violation] : [])),
    namedOnly: onlyNamed.flatMap(({ place, violation }) => (place ? [] : [violation])),
    overlookedByIdReuse: listed(unnamed.filter((place) => !among(asOracle, place))),
    refusedOnly: byReward(recording, listed(unexplained)),
  }
}

function unnamedCalls(runs: readonly JudgedRun[], joinResults: ResultJoin): ByReward {
  const cells = runs.map(({ replay: { recording }, verdict, ...judged }) => {
    const named = new Set(verdict.violations.map(({ tool, callId }) => `${tool} ${callId}`))
    const unnamed = judged[joinResults].filter(
      ({ refusal, call }) => refusal && !named.has(`${call.name} ${call.id}`),
    )
    return byReward(
      recording,
      unnamed.map((place) => placedCall(recording, place)),
    )
  })
  return { full: cells.flatMap(({ full }) => full), less: cells.flatMap(({ less }) => less) }
}

function compareWithKernel(runs: readonly JudgedRun[]): KernelComparison {
  const cells = runs.map(({ replay, position, inForce }) => {
    const { recording, refused } = replay
    const kernel = new Map(refused.map((call) => [keyOf(call), call]))
    const record = new Set(position.filter(({ refusal }) => refusal).map(keyOf))
    const differing = inForce.filter(
      (one) => one.refusal?.message !== kernel.get(keyOf(one))?.message,
    )
    const isPlain = (one: CallPlace) => !differing.some((other) => keyOf(other) === keyOf(one))
    const listed = (calls: readonly CallPlace[]) => calls.map((one) => placedCall(recording, one))
    return {
      onRecord: record.size,
      inKernel: kernel.size,
      onlyAfterRefusal: listed(
        refused.filter((one) => !record.has(keyOf(one)) && isPlain(one)),
      ).map((one) => ({ ...one, reward: recording.reward })),
      onlyWithoutRefusal: listed(
        position.filter((one) => one.refusal && !kernel.has(keyOf(one)) && isPlain(one)),
      ),
      unexplained: listed(differing),
    }
  })
  const all = (key: 'onlyWithoutRefusal' | 'unexplained') => cells.flatMap((cell) => cell[key])
  return {
    onRecord: cells.reduce((sum, { onRecord }) => sum + onRecord, 0),
    inKernel: cells.reduce((sum, { inKernel }) => sum + inKernel, 0),
    onlyAfterRefusal: cells.flatMap((cell) => cell.onlyAfterRefusal),
    onlyWithoutRefusal: all('onlyWithoutRefusal'),
    unexplained: all('unexplained'),
  }
}

function violationsOf({ violations }: Verdict, rule: string): Verdict['violations'] {
  return violations.filter((violation) => violation.rule === rule)
}

function byReward({ reward }: Recording, calls: readonly PlacedViolation[]): ByReward {
  return reward === 1 ? { full: calls, less: [] } : { full: [], less: calls }
}

function placedCall(recording: Recording, place: CallPlace): PlacedViolation {
  return violationOf(recording, { tool: place.call.name, callId: place.call.id }, place)
}

function violationOf(
  { id: run }: Recording,
  { tool, callId }: { readonly tool: string; readonly callId: string },
  place: CallPlace | undefined,
): PlacedViolation {
  return { run, tool, callId, messageIndex: place?.messageIndex }
}

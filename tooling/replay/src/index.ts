// What other tools of this repository may use of the replay.

export { runCommand } from './command.ts'
// What is refused beside what oracles name, rule by rule
export {
  type ByReward,
  type Confusion,
  type ConfusionRow,
  type ConfusionTable,
  confusionOf,
  isSound,
  type KernelComparison,
  sumOf,
} from './confusion.ts'
// When something is malformed
export { ReplayError, type ReplayErrorCode } from './errors.ts'
// Judging a record without a kernel
export { type JudgedCall, judgeRecord, type RecordReading } from './judge-record.ts'
export {
  compareWithOracle,
  type OracleComparison,
  type PlacedViolation,
  parseVerdict,
  type Verdict,
} from './oracle.ts'
export { parseRecording, type RecordPlace } from './parse-recording.ts'
export { parseTask } from './parse-task.ts'
// Rules of policies, and the state they read
export { policies } from './policies.ts'
// Comparing
export {
  type Divergence,
  firstDivergence,
  type RecordMessage,
  type ReplacedResult,
  recordOf,
  toRecord,
} from './projection.ts'
export { readBeforeWrite, reservationsShown } from './read-before-write.ts'
// Reading recordings
export { type RecordedFolder, readFolder, readLines } from './read-folder.ts'
export { createRecordedModel, type RecordedModel } from './recorded-model.ts'
export { recordedTools } from './recorded-tools.ts'
export type {
  RecordedCall,
  RecordedResult,
  RecordedStep,
  RecordedTurn,
  Recording,
} from './recording.ts'
// Living them through again
export {
  type CallPlace,
  callsOf,
  type RefusedCall,
  type Replay,
  type ReplayOptions,
  replay,
  standInQuery,
} from './replay.ts'
// Reporting
export {
  type RefusedRow,
  type ReplayReport,
  renderReport,
  reportOn,
  type SourceRow,
} from './report.ts'
// Rules, and what others say of them
export type { PolicyRules, ResultJoin, RuleSet } from './rule-set.ts'
export { airlineInexpressible, airlineRules } from './rules/airline.ts'
export { type AirlineState, airlineState } from './rules/airline-state.ts'
export { type AnsweredCall, answeredCalls } from './rules/answered-calls.ts'
export { type ApiState, apiState } from './rules/api-state.ts'
export { apiRules } from './rules/apis.ts'
export { isConfirmed } from './rules/confirmation.ts'
export {
  type InexpressibleRule,
  type PolicyRule,
  rulesBehind,
  type StatePredicate,
  skillsOf,
} from './rules/policy-rule.ts'
export { retailInexpressible, retailRules } from './rules/retail.ts'
export { type RetailState, retailState } from './rules/retail-state.ts'
export { standIns } from './rules/stand-ins.ts'
// Where it writes
export type { Terminal } from './terminal.ts'

// What other tools of this repository may use of the replay.

export { runCommand, type Terminal } from './command.ts'
// When something is malformed
export { ReplayError, type ReplayErrorCode } from './errors.ts'
export {
  compareWithOracle,
  type OracleComparison,
  type PlacedViolation,
  parseVerdict,
  type Verdict,
} from './oracle.ts'
export { parseRecording, type RecordPlace } from './parse-recording.ts'
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
export type { ResultJoin, RuleSet } from './rule-set.ts'

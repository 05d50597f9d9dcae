// The one door to `ai`. No other file of this package imports it, not even for a type.

export type {
  Instructions,
  ModelMessage,
  PrepareStepFunction,
  PrepareStepResult,
  SystemModelMessage,
  ToolApprovalConfiguration,
  ToolApprovalStatus,
  ToolResultPart,
  ToolSet,
} from 'ai'
export { asSchema } from 'ai'

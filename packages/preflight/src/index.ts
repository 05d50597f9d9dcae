// The public surface of @symfonic/preflight. A name added here is a promise.

// Writing skills
export { defineSkill, parseSkills } from './define-skill.ts'
export type { Skill, SkillSource } from './skill.ts'

// Choosing those of this turn
export { filterSkillsByStatePredicates, type SkillSelection } from './select-skills.ts'

// Telling the model
export { bulletsForSkill } from './bullets.ts'
export { buildRulesBlock } from './rules-block.ts'

// Knowing what it has done
export { type HistoryEntry, toolsCalledThisTurn } from './tool-history.ts'

// Holding it to the rules
export {
  type GateIndex,
  type GateVerdict,
  indexByActionTool,
  judgeCall,
  type Refusal,
} from './gate.ts'
export type { Rule } from './rule.ts'

// Forcing the first action
export { firstActionTool } from './first-action.ts'

// Finding the way to a tool
export { type Plan, type PlanStep, planFor } from './plan-for.ts'

// Finding rules that cannot work
export type { FoundSkill, SkillFinding, SkillFindingCode } from './analysis/finding.ts'
export { analyzeSkills } from './analyze-skills.ts'

// When something is malformed
export { PreflightError, type PreflightErrorCode } from './errors.ts'
export type { SkillFault, SkillFaultCode } from './read-skill.ts'

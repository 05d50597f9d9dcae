import type { PlanStep } from '../plan-for.ts'
import type { DroppedSkill, Explanation, ToolExplanation } from './explain.ts'
import type { LintFinding, LintReport } from './lint.ts'
import type { PlacedSkill } from './skill-files.ts'

// What `--json` prints. Keys are snake_case (DESIGN decision 13); a key is only ever added. What
// does not apply is left out, except where null says that the answer is "none".

/** Of any command whose use was at fault: `ok` is false and `problem` says why. */
export function problemJson(problem: string) {
  return { ok: false, problem }
}

/** Of `lint`. */
export function lintJson({ ok, errors, warnings, files, skills, findings }: LintReport) {
  return {
    command: 'lint',
    ok,
    errors,
    warnings,
    files,
    skills,
    findings: findings.map(findingJson),
  }
}

/** Of a command that needs sound skills and was given files with faults. */
export function faultsJson(command: string, findings: readonly LintFinding[]) {
  return { command, ok: false, findings: findings.map(findingJson) }
}

function findingJson({ keyPath, ...finding }: LintFinding) {
  return { ...finding, ...(keyPath !== undefined && { key_path: keyPath }) }
}

/** Of `explain`. */
export function explainJson({ active, dropped, firstAction, tool }: Explanation) {
  return {
    command: 'explain',
    ok: true,
    active: active.map(skillJson),
    dropped: dropped.map(droppedJson),
    first_action: firstAction ?? null,
    ...(tool !== undefined && { tool: toolJson(tool) }),
  }
}

function skillJson({ skill, file, position }: PlacedSkill) {
  return {
    label: skill.label,
    action_tool: skill.actionTool ?? null,
    requires: skill.precondition.tools,
    file,
    line: position.line,
    column: position.column,
  }
}

function droppedJson({ predicate, line, ...placed }: DroppedSkill) {
  const { path, op, expected, seen, found } = predicate
  return {
    ...skillJson(placed),
    predicate: {
      path,
      op,
      ...(op !== 'exists' && { expected }),
      found,
      ...(found && { seen }),
    },
    reason: line,
  }
}

function toolJson({ name, allowed, refusal, plan }: ToolExplanation) {
  return {
    name,
    allowed,
    ...(refusal !== undefined && { refusal }),
    reachable: plan.reachable,
    ...(plan.reachable
      ? { steps: plan.steps.map(stepJson) }
      : { circle: plan.circle.map(stepJson) }),
  }
}

function stepJson({ toolName, skills }: PlanStep) {
  return { tool: toolName, skills }
}

/** Of `render`. */
export function renderJson(block: string) {
  return { command: 'render', ok: true, block }
}

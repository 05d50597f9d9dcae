/** What one published package promises and leans on. Lists are in alphabetical order. */
export interface PinnedPackage {
  /** Packages of ours it installs. */
  dependencies: string[]
  /**
   * Packages it expects beside it: required ones that it imports, required ones that only another
   * peer asks for, and optional ones with the single source file that imports them.
   */
  peers: Record<string, 'required' | { neededBy: string } | { onlyIn: string }>
  /** Other libraries it installs. */
  libraries: string[]
  /** What each export subpath offers: `values` exist when a program runs, `types` do not. */
  entries: Record<string, { values: string[]; types: string[] }>
}

/**
 * The published surface, word for word. A change here is a change that a user can notice: it goes
 * with a changeset, and a name taken away goes with a new major version.
 */
export const packageMap: Record<string, PinnedPackage> = {
  '@symfonic/predicates': {
    dependencies: [],
    peers: { zod: { onlyIn: 'src/zod.ts' } },
    libraries: [],
    entries: {
      '.': {
        values: [
          'PredicateError',
          'describeDrop',
          'evaluatePrecondition',
          'evaluatePredicate',
          'explainPrecondition',
          'explainPredicate',
          'filterByState',
          'parsePrecondition',
          'pathKeys',
          'predicateLimits',
          'resolvePath',
        ],
        types: [
          'Dropped',
          'Precondition',
          'PreconditionEntry',
          'PreconditionSource',
          'PredicateErrorCode',
          'PredicateExplanation',
          'PredicateOperator',
          'Resolution',
          'SegmentKeys',
          'StatePredicate',
          'StatePredicateSource',
        ],
      },
      './zod': { values: ['preconditionSchema'], types: [] },
    },
  },
  '@symfonic/preflight': {
    dependencies: ['@symfonic/predicates'],
    peers: {
      ai: { onlyIn: 'src/ai-sdk/sdk.ts' },
      yaml: { onlyIn: 'src/yaml/parse-text.ts' },
      zod: { onlyIn: 'src/zod.ts' },
    },
    libraries: [],
    entries: {
      '.': {
        values: [
          'PreflightError',
          'analyzeSkills',
          'buildRulesBlock',
          'bulletsForSkill',
          'defineSkill',
          'filterSkillsByStatePredicates',
          'firstActionTool',
          'indexByActionTool',
          'judgeCall',
          'parseSkills',
          'planFor',
          'toolsCalledThisTurn',
        ],
        types: [
          'FoundSkill',
          'GateIndex',
          'GateVerdict',
          'HistoryEntry',
          'Plan',
          'PlanStep',
          'PreflightErrorCode',
          'Refusal',
          'Rule',
          'Skill',
          'SkillFault',
          'SkillFaultCode',
          'SkillFinding',
          'SkillFindingCode',
          'SkillSelection',
          'SkillSource',
        ],
      },
      './ai-sdk': {
        values: ['preflight'],
        types: [
          'PreflightAdapter',
          'PreflightMoment',
          'PreflightOptions',
          'PreflightRefusal',
          'PreflightSkills',
          'ProposedCall',
        ],
      },
      './yaml': {
        values: [
          'loadSkillFrontMatter',
          'loadSkillsFromYaml',
          'readSkillFrontMatter',
          'readSkillsFromYaml',
          'yamlLimits',
        ],
        types: [
          'SkillFile',
          'SkillFileReading',
          'SkillPosition',
          'SkillsReading',
          'YamlFault',
          'YamlFaultCode',
          'YamlPosition',
        ],
      },
      './zod': { values: ['skillSchema'], types: [] },
    },
  },
  '@symfonic/kernel': {
    dependencies: [],
    peers: {
      '@symfonic/preflight': { onlyIn: 'src/with-preflight.ts' },
      ai: 'required',
      zod: { neededBy: 'ai' },
    },
    libraries: ['@ai-sdk/provider', '@ai-sdk/provider-utils', 'eventemitter3', 'immer'],
    entries: {
      '.': {
        values: [
          'KernelError',
          'answerEveryCall',
          'calledSinceUser',
          'createKernel',
          'currentTurn',
          'defaultLimits',
          'generateCaller',
          'responseStages',
          'silentLogger',
          'streamCaller',
          'toTextStreamParts',
        ],
        types: [
          'AgentGenerateResult',
          'AgentStreamResult',
          'AmbientTurn',
          'CallJudge',
          'Capability',
          'CompositionView',
          'ForcedToolIgnoredEvent',
          'GateDecision',
          'Kernel',
          'KernelErrorCode',
          'KernelOptions',
          'LayerReport',
          'Limits',
          'Logger',
          'ModelCallReport',
          'ModelCaller',
          'ModelCallers',
          'ModelOutputPart',
          'ModelPart',
          'ModelRequest',
          'ModelSettings',
          'Observer',
          'Observers',
          'PatchListener',
          'PendingCall',
          'PromptAssembledEvent',
          'PromptLayer',
          'PromptReport',
          'PromptSection',
          'ProposedCall',
          'RefusedCall',
          'ResponseRenderer',
          'ResponseStage',
          'ResponseStageName',
          'Scope',
          'StepEndEvent',
          'StepRecord',
          'StepStartEvent',
          'ToolRefusedEvent',
          'TurnAbortEvent',
          'TurnEndEvent',
          'TurnErrorEvent',
          'TurnEvent',
          'TurnEventOf',
          'TurnFinishReason',
          'TurnInput',
          'TurnOptions',
          'TurnResult',
          'TurnStartEvent',
          'TurnView',
        ],
      },
      './with-preflight': { values: ['withPreflight'], types: ['PreflightOptions'] },
      './testing': {
        values: ['scriptedModel'],
        types: ['ScriptedCall', 'ScriptedModel', 'ScriptedStep'],
      },
    },
  },
}

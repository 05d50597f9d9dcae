import type { ComputedSuite, Suite } from './suite.ts'
import { aiSdkLoop } from './suites/ai-sdk-loop.ts'
import { analyze1000 } from './suites/analyze-skills.ts'
import { gateStep } from './suites/gate-step.ts'
import { gatedLoop } from './suites/gated-loop.ts'
import { guards } from './suites/guards.ts'
import { hydrate1000, hydrate10000, hydrate100000 } from './suites/memory-hydrate.ts'
import { hydratePostgres } from './suites/memory-hydrate-postgres.ts'
import { memoryBfcl, memoryLocomo } from './suites/memory-recall.ts'
import { memoryTurns } from './suites/memory-turns.ts'
import { memoryWrites } from './suites/memory-writes.ts'
import { promptAssembly } from './suites/prompt-assembly.ts'
import { resultCosts } from './suites/result-costs.ts'
import { resultCurve } from './suites/result-curve.ts'
import { select1000, select10000 } from './suites/select-skills.ts'
import { stream } from './suites/stream.ts'
import { threePart } from './suites/three-part.ts'
import { toolLoop } from './suites/tool-loop.ts'

/** All suites, in the order in which they run. */
export const suites: readonly (Suite | ComputedSuite)[] = [
  toolLoop,
  stream,
  gatedLoop,
  promptAssembly,
  guards,
  threePart,
  select1000,
  select10000,
  gateStep,
  aiSdkLoop,
  analyze1000,
  resultCurve,
  resultCosts,
  hydrate1000,
  hydrate10000,
  hydrate100000,
  hydratePostgres,
  memoryTurns,
  memoryWrites,
  memoryLocomo,
  memoryBfcl,
]

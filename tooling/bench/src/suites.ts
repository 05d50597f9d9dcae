import type { Suite } from './suite.ts'
import { aiSdkLoop } from './suites/ai-sdk-loop.ts'
import { analyze1000 } from './suites/analyze-skills.ts'
import { gateStep } from './suites/gate-step.ts'
import { gatedLoop } from './suites/gated-loop.ts'
import { select1000, select10000 } from './suites/select-skills.ts'
import { stream } from './suites/stream.ts'
import { threePart } from './suites/three-part.ts'
import { toolLoop } from './suites/tool-loop.ts'

/** All suites, in the order in which they run. */
export const suites: readonly Suite[] = [
  toolLoop,
  stream,
  gatedLoop,
  threePart,
  select1000,
  select10000,
  gateStep,
  aiSdkLoop,
  analyze1000,
]

import type { TurnView } from '../capability.ts'
import { silentLogger } from '../logger.ts'
import type { PromptReport } from '../prompt/prompt-report.ts'

/** A view of a turn in which nothing has happened yet. */
export function turnView(differs: Partial<TurnView> = {}): TurnView {
  return {
    runId: 'run-1',
    sessionId: undefined,
    scope: undefined,
    query: 'hello',
    state: undefined,
    agent: {
      domain: { name: '', description: '' },
      tools: [],
      toolManifest: [],
      contextStrategy: 'stratified',
    },
    hydrated: '',
    step: 0,
    messages: [],
    called: new Set(),
    signal: new AbortController().signal,
    logger: silentLogger,
    ...differs,
  }
}

/** The report of a prompt that says nothing. */
export const emptyPrompt: PromptReport = {
  contextStrategy: 'stratified',
  layerMode: 'stratigraphic',
  kernelVersion: undefined,
  prefixHash: undefined,
  tools: { names: [], chars: 2, tokens: 1, hash: '', definitions: [], marker: undefined },
  layers: [],
  failed: [],
}

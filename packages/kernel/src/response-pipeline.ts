import type { ResponseStage, ResponseStageName, TurnView } from './capability.ts'

/** The locked order of the stages between the loop and the rewriters (KERN-05, LO-01). */
export const responseStages: readonly ResponseStageName[] = [
  'salvage',
  'extraction-stripping',
  'fabrication',
  'metacognition',
]

/**
 * Rewrites the answer of a blocking turn (OBS-05). Handlers chain in the order given, each getting
 * what the last one gave (KERN-07). One that throws is skipped and logged; a result that is not a
 * string is dropped (KERN-08). Never asked on a stream, whose deltas are out already (KERN-11).
 */
export type ResponseRenderer = (content: string, view: TurnView) => unknown

/** A stage with its name, ready to run. */
export interface OwnedStage {
  readonly capability: string
  readonly stage: ResponseStage
}

/** Brings the loop's last text through the stages. A stage that fails is passed over. */
export async function runResponseStages(
  text: string,
  stages: readonly OwnedStage[],
  view: TurnView,
): Promise<string> {
  let current = text
  for (const { capability, stage } of stages) {
    current = await attempt(`a response stage of "${capability}"`, stage, current, view)
  }
  return current
}

/** Brings the text through the rewriters. */
export async function renderResponse(
  text: string,
  renderers: readonly ResponseRenderer[],
  view: TurnView,
): Promise<string> {
  let current = text
  for (const [index, renderer] of renderers.entries()) {
    current = await attempt(`onResponseRender[${index}]`, renderer, current, view)
  }
  return current
}

async function attempt(
  who: string,
  rewrite: ResponseRenderer,
  text: string,
  view: TurnView,
): Promise<string> {
  try {
    const rewritten = await rewrite(text, view)
    return typeof rewritten === 'string' ? rewritten : text
  } catch (error) {
    view.logger.warn(`${who} threw and was skipped`, { error })
    return text
  }
}

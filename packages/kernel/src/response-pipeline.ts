import type { ResponseStage, ResponseStageName, TurnView } from './capability.ts'
import { withinTime } from './time-limit.ts'

/** The locked order of the stages between the loop and the rewriters (KERN-05, LO-01). */
export const responseStages: readonly ResponseStageName[] = [
  'salvage',
  'extraction-stripping',
  'fabrication',
  'metacognition',
]

/**
 * Rewrites the answer of a blocking turn (OBS-05). Handlers chain in the order given, each getting
 * what the last one gave (KERN-07). One that throws or hangs is skipped and logged; a result that is not a
 * string is dropped (KERN-08). Never asked on a stream, whose deltas are out already (KERN-11).
 */
export type ResponseRenderer = (content: string, view: TurnView) => unknown

/** A stage with its name, ready to run. */
export interface OwnedStage {
  readonly capability: string
  readonly stage: ResponseStage
}

/**
 * Brings the loop's last text through the stages. A stage that fails is passed over.
 *
 * @param timeoutMs - Milliseconds for each.
 */
export async function runResponseStages(
  text: string,
  stages: readonly OwnedStage[],
  view: TurnView,
  timeoutMs: number,
): Promise<string> {
  let current = text
  for (const { capability, stage } of stages) {
    const who = `a response stage of "${capability}"`
    current = await attempt({ who, rewrite: stage, timeoutMs }, current, view)
  }
  return current
}

/**
 * Brings the text through the rewriters.
 *
 * @param timeoutMs - Milliseconds for each.
 */
export async function renderResponse(
  text: string,
  renderers: readonly ResponseRenderer[],
  view: TurnView,
  timeoutMs: number,
): Promise<string> {
  let current = text
  for (const [index, renderer] of renderers.entries()) {
    const who = `onResponseRender[${index}]`
    current = await attempt({ who, rewrite: renderer, timeoutMs }, current, view)
  }
  return current
}

async function attempt(
  about: { readonly who: string; readonly rewrite: ResponseRenderer; readonly timeoutMs: number },
  text: string,
  view: TurnView,
): Promise<string> {
  const { who, rewrite, timeoutMs } = about
  const { signal } = view
  try {
    const rewritten = await withinTime(rewrite(text, view), { timeoutMs, signal })
    return typeof rewritten === 'string' ? rewritten : text
  } catch (error) {
    if (signal.aborted) throw signal.reason
    view.logger.warn(`${who} failed and was skipped`, { error })
    return text
  }
}

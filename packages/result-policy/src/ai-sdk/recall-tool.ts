import type { Ledger, LedgerPlace } from '../ledger.ts'
import { describeRecall, type RecallRequest, recallResult, recallToolName } from '../recall.ts'
import type { PolicySettings } from '../settings.ts'
import { jsonSchema, type Tool, tool } from './sdk.ts'

/** Whose results the tool reads. */
export interface RecallToolOptions extends LedgerPlace {
  /** Longest answer in characters. Default 4000; give the policy's `recallMaxChars`. */
  readonly recallMaxChars?: number | undefined
  /** Milliseconds the ledger has to find a result. Default 5000. */
  readonly ledgerTimeoutMs?: number | undefined
}

/**
 * The tool that reads replaced results again (RES-17): the whole in slices, by JSON pointer, or by
 * search, each answer within a bound. Register it as `recall_tool_result`, the name in the stubs.
 *
 * It sees one thread of one scope. An id of any other gets the answer that an invented one gets.
 */
export function recallTool(
  ledger: Pick<Ledger, 'fetch'>,
  { scopeKey, thread, recallMaxChars: maxChars, ledgerTimeoutMs }: RecallToolOptions,
): Tool<RecallRequest, string> {
  const place = { scopeKey, thread }
  return tool({
    description: 'Reads a tool result that was replaced by a stub.',
    inputSchema: jsonSchema<RecallRequest>({
      type: 'object',
      properties: {
        id: { type: 'string' },
        pointer: { type: 'string', description: 'JSON pointer' },
        search: { type: 'string' },
        offsetChars: { type: 'integer' },
      },
      required: ['id'],
    }),
    execute: async (request) =>
      describeRecall(await recallResult(ledger, request, { place, maxChars, ledgerTimeoutMs })),
  })
}

/**
 * The tools a policy needs beside those of the app: the recall tool under its name, or none when the
 * policy is switched off, since then no stub would name it (RES-18).
 */
export function recallTools(
  policy: {
    readonly settings: Pick<PolicySettings, 'enabled' | 'recallMaxChars'>
    readonly ledger: Pick<Ledger, 'fetch'>
    readonly ledgerTimeoutMs?: number | undefined
  },
  place: LedgerPlace,
): Record<string, Tool<RecallRequest, string>> {
  const { ledger, ledgerTimeoutMs, settings } = policy
  const { enabled, recallMaxChars } = settings
  if (!enabled) return {}
  return { [recallToolName]: recallTool(ledger, { ...place, recallMaxChars, ledgerTimeoutMs }) }
}

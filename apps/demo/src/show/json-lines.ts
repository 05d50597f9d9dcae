import type { StepRecord, TurnResult } from '@symfonic/kernel'
import type { DeskEvent } from '../talk/session.ts'
import { printableJson } from './printable.ts'

/** Prints each event as one line of JSON. */
export function createJsonPrinter(write: (text: string) => void) {
  let turn = 0
  return {
    print: (event: DeskEvent) => {
      if (event.type === 'user-said') turn += 1
      write(`${printableJson({ turn, ...project(event) })}\n`)
    },
  }
}

/**
 * An event without what earlier events have said already: transcripts would grow with every turn.
 * Errors become plain data.
 */
function project(event: DeskEvent): object {
  switch (event.type) {
    case 'rules-selected': {
      const { active, dropped } = event.selection
      return { ...event, selection: { active, dropped } }
    }
    case 'step-end':
      return { type: event.type, ...ofStep(event.record) }
    case 'turn-end':
      return { type: event.type, ...ofResult(event.result) }
    case 'turn-abort':
      return { type: event.type, runId: event.runId, reason: plain(event.reason) }
    case 'turn-error':
      return { type: event.type, runId: event.runId, error: plain(event.error) }
    case 'tool-error':
      return { ...event, error: plain(event.error) }
    case 'tool-call':
      return 'error' in event ? { ...event, error: plain(event.error) } : event
    default:
      return event
  }
}

function ofStep({ content: _, messages: __, refusals, ...record }: StepRecord) {
  return { ...record, refusals: refusals.length }
}

function ofResult({ steps, refusals, ...result }: TurnResult) {
  const { text, runId, sessionId, finishReason, usage, cache } = result
  const counts = { steps: steps.length, refusals: refusals.length }
  return { text, runId, sessionId, finishReason, usage, cache, ...counts }
}

function plain(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { name, message } = error
  return { name, message, ...('code' in error && { code: error.code }) }
}

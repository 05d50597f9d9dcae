import { createInMemoryLedger } from '../in-memory-ledger.ts'
import { type PlainMessage, plainTranscript } from '../plain-transcript.ts'
import { createResultPolicy, type ResultPolicyOptions } from '../result-policy.ts'
import type { PolicySettingsSource } from '../settings.ts'

/** The place all tests of one conversation use. */
export const place = { scopeKey: 'tenant-a', thread: 'thread-1' }

/** A conversation under test with its ledger. */
export function startConversation(
  settings: PolicySettingsSource = {},
  options: Partial<ResultPolicyOptions<PlainMessage>> = {},
) {
  const ledger = createInMemoryLedger()
  const parts = { transcript: plainTranscript, ledger, ...options }
  const policy = createResultPolicy(settings, parts)
  return { policy, ledger, conversation: policy.forConversation(place) }
}

/** A text of words of some length. */
export function words(sizeChars: number, seed: string | number = 0): string {
  return `${seed} `.padEnd(sizeChars, 'lorem ipsum dolor sit amet ').slice(0, sizeChars)
}

/** One call and its result. The text is made of words, so that its digest is much shorter. */
export function step(
  id: string,
  sizeChars: number,
  about: Partial<PlainMessage> = {},
): PlainMessage[] {
  const toolName = about.toolName ?? 'search'
  return [
    { role: 'assistant', content: '', toolCalls: [{ id, name: toolName, args: { q: id } }] },
    { role: 'tool', toolCallId: id, toolName, content: words(sizeChars, id), ...about },
  ]
}

/** A user's question, so many steps of one result each, all of the same size. */
export function run(steps: number, sizeChars: number): PlainMessage[] {
  const question: PlainMessage = { role: 'user', content: 'Look into it.' }
  const parts = Array.from({ length: steps }, (_, index) => step(`call_${index}`, sizeChars))
  return [question, ...parts.flat()]
}

/** The histories a model was called with, in order: up to each assistant message, and all of it. */
export function callsOf<Message extends { role: string }>(
  messages: readonly Message[],
): (readonly Message[])[] {
  const ends = messages.flatMap(({ role }, index) =>
    role === 'assistant' && index > 0 ? [index] : [],
  )
  return [...ends, messages.length].map((end) => messages.slice(0, end))
}

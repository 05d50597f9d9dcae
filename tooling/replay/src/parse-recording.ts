import { ReplayError } from './errors.ts'
import { runSchema, type WrittenMessage } from './record-schema.ts'
import type { RecordedCall, RecordedStep, Recording } from './recording.ts'

/** Where a record stands. */
export interface RecordPlace {
  readonly file: string
  /** From 1. */
  readonly line: number
}

/**
 * Checks one record and arranges it into turns.
 *
 * A call and its result are joined by position: the results behind a message answer the calls of
 * that message. Ids alone would not do, since runs use one id for several calls.
 *
 * Set aside are the actions of the user's own device (`requestor: 'user'`) and messages with neither
 * text nor calls.
 *
 * @param value - Plain data of any origin, such as a parsed line.
 * @throws ReplayError `REPLAY_RECORD_INVALID`.
 */
export function parseRecording(value: unknown, place: RecordPlace): Recording {
  const parsed = runSchema.safeParse(value)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw invalid(place, issue?.path.join('.') ?? '', issue?.message ?? 'it is no run')
  }
  const { id, source, domain, reward, messages } = parsed.data
  const seen = seenByAgent(messages)
  return {
    ...{ id, source, domain },
    reward: reward ?? undefined,
    ...arrange(exchangesOf(seen.messages, { ...place, run: id })),
    setAside: seen.setAside,
  }
}

/** A message with its index in the record. */
interface Placed<Role extends WrittenMessage['role'] = WrittenMessage['role']> {
  readonly index: number
  readonly message: WrittenMessage<Role>
}

function seenByAgent(messages: readonly WrittenMessage[]) {
  const seen: Placed[] = []
  const setAside = { ofUserDevice: 0, empty: 0 }
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (message.requestor === 'user') setAside.ofUserDevice += 1
      else seen.push({ index, message })
      continue
    }
    // Whatever a user calls runs on the user's device.
    const toolCalls = message.toolCalls.filter(
      ({ requestor }) => message.role === 'assistant' && requestor !== 'user',
    )
    if (message.content !== '' || toolCalls.length > 0) {
      seen.push({ index, message: { ...message, toolCalls } })
    } else if (message.toolCalls.length > 0) setAside.ofUserDevice += 1
    else setAside.empty += 1
  }
  return { messages: seen, setAside }
}

type Exchange = { readonly user: string } | { readonly step: RecordedStep }

/** What the user says and what the assistant does, each message of it with its results. */
function exchangesOf(messages: readonly Placed[], place: RunPlace): Exchange[] {
  const exchanges: Exchange[] = []
  let asking: { placed: Placed<'assistant'>; results: Placed<'tool'>[] } | undefined
  const close = () => {
    if (asking) exchanges.push({ step: joinResults(asking.placed, asking.results, place) })
    asking = undefined
  }
  for (const { index, message } of messages) {
    switch (message.role) {
      case 'user':
        close()
        exchanges.push({ user: message.content })
        break
      case 'assistant':
        close()
        asking = { placed: { index, message }, results: [] }
        break
      case 'tool':
        if (asking === undefined) throw orphan({ index, message }, place)
        asking.results.push({ index, message })
        break
    }
  }
  close()
  return exchanges
}

function joinResults(
  { index, message: { content, toolCalls } }: Placed<'assistant'>,
  results: readonly Placed<'tool'>[],
  place: RunPlace,
): RecordedStep {
  const open = new Map<string, number>()
  for (const [position, { id }] of toolCalls.entries()) {
    if (open.has(id)) throw invalid(place, pathOf(position), `"${id}" is the id of two calls`)
    open.set(id, position)
  }
  const answers = new Map<string, WrittenMessage<'tool'>>()
  for (const result of results) {
    if (!open.delete(result.message.toolCallId)) throw orphan(result, place)
    answers.set(result.message.toolCallId, result.message)
  }
  const calls = toolCalls.map(({ id, name, args = {} }, position): RecordedCall => {
    const result = answers.get(id)
    if (result === undefined) throw invalid(place, pathOf(position), `"${id}" has no result`)
    if (result.toolName !== undefined && result.toolName !== name) {
      const what = `${name} is answered by a result of ${result.toolName}`
      throw invalid(place, pathOf(position), what)
    }
    const isError = result.isError ?? result.content.startsWith('Error:')
    return { id, name, args, result: { content: result.content, isError } }
  })
  return { messageIndex: index, content, calls }

  function pathOf(position: number) {
    return `messages.${index}.toolCalls.${position}`
  }
}

function arrange(exchanges: readonly Exchange[]): Pick<Recording, 'opening' | 'turns'> {
  const opening: string[] = []
  const turns: { asked: string[]; steps: RecordedStep[] }[] = []
  for (const exchange of exchanges) {
    const turn = turns.at(-1)
    if ('user' in exchange) {
      if (turn?.steps.length === 0) turn.asked.push(exchange.user)
      else turns.push({ asked: [exchange.user], steps: [] })
      continue
    }
    const { step } = exchange
    const last = turn?.steps.at(-1)
    // After an answer without calls a kernel's turn is over.
    if (turn && (last === undefined || last.calls.length > 0)) turn.steps.push(step)
    else if (turn === undefined && step.calls.length === 0) opening.push(step.content)
    else turns.push({ asked: [], steps: [step] })
  }
  return { opening, turns }
}

interface RunPlace extends RecordPlace {
  readonly run: string
}

function orphan({ index, message }: Placed<'tool'>, place: RunPlace): ReplayError {
  const what = `it is a result for "${message.toolCallId}", which the message before it does not call, or which has its result`
  return invalid(place, `messages.${index}`, what)
}

function invalid(place: RecordPlace & { readonly run?: string }, path: string, what: string) {
  const { file, line, run } = place
  const where = [run ?? '', path].filter((part) => part !== '').join(', ')
  return new ReplayError(
    'REPLAY_RECORD_INVALID',
    `${file}:${line} cannot be replayed${where && ` (${where})`}: ${what}. Mend the line or remove it.`,
    { details: { ...place, path } },
  )
}

import type {
  AssistantContent,
  AssistantModelMessage,
  ContentPart,
  ToolModelMessage,
  ToolResultPart,
  ToolSet,
  TypedToolCall,
} from 'ai'
import { deepFreeze } from './deep-freeze.ts'
import { describeError } from './describe-error.ts'
import type { ModelPart } from './model-caller.ts'
import { plainCopy } from './plain-copy.ts'
import { copyJson, errorOutput, isFailure, plainOutput, type ToolOutput } from './tool-output.ts'

/** A tool call with what came of it, if anything yet. */
export interface StepCall {
  /** As `ownPart` made it: nobody can change the `input`, which is judged, and copied for the tool. */
  readonly call: TypedToolCall<ToolSet>
  /** The input as the transcript holds it. Frozen. */
  readonly recordedInput: unknown
  output?: ToolOutput
}

/**
 * What one step has produced so far. It is filled while parts arrive, and complete enough at any
 * moment to be turned into messages: that is what keeps a transcript loadable after an abort.
 */
export interface StepContent {
  readonly parts: ContentPart<ToolSet>[]
  /** Calls the kernel has to answer, in the order of the model. */
  readonly calls: StepCall[]
  /** What the model reads of results a provider's own tools gave, where a tool of ours says so. */
  readonly written: Map<ContentPart<ToolSet>, ToolOutput>
  add(part: ModelPart): void
}

/**
 * A part of the model's as the kernel goes on with it: what it holds besides its text is frozen, and
 * the input of a call is a copy, so that what is judged, recorded and run is one value, whoever reads
 * the events in between. An input that cannot be copied makes the call invalid.
 */
export function ownPart(part: ModelPart): ModelPart {
  switch (part.type) {
    case 'tool-call':
      try {
        return { ...part, input: deepFreeze(plainCopy(part.input)) } as ModelPart
      } catch (error) {
        return { ...part, input: {}, dynamic: true, invalid: true, error } as ModelPart
      }
    case 'tool-result':
    case 'tool-error':
    case 'tool-approval-request':
    case 'source':
    case 'custom':
      return deepFreeze(part)
    default:
      if ('providerMetadata' in part) deepFreeze(part.providerMetadata)
      return part
  }
}

/** An empty step. */
export function createStepContent(): StepContent {
  const parts: ContentPart<ToolSet>[] = []
  const calls: StepCall[] = []
  const growing = new Map<string, Growing>()

  return {
    parts,
    calls,
    written: new Map(),
    add: (part) => {
      switch (part.type) {
        case 'text-start':
        case 'reasoning-start':
          grow(part.type === 'text-start' ? 'text' : 'reasoning', part)
          break
        case 'text-delta':
        case 'reasoning-delta': {
          const kind = part.type === 'text-delta' ? 'text' : 'reasoning'
          const target = growing.get(`${kind}:${part.id}`) ?? grow(kind, part)
          target.text += part.text
          if (part.providerMetadata) target.providerMetadata = part.providerMetadata
          break
        }
        case 'text-end':
        case 'reasoning-end': {
          const key = `${part.type === 'text-end' ? 'text' : 'reasoning'}:${part.id}`
          const target = growing.get(key)
          if (target && part.providerMetadata) target.providerMetadata = part.providerMetadata
          growing.delete(key)
          break
        }
        case 'tool-call': {
          const recordedInput = deepFreeze(copyInput(part))
          parts.push({ ...part, input: recordedInput } as ContentPart<ToolSet>)
          if (!part.providerExecuted) calls.push({ call: part, recordedInput })
          break
        }
        case 'tool-result':
        case 'tool-error':
          // The SDK answers invalid calls itself; here every answer of ours comes from one place.
          if (part.providerExecuted) parts.push(part as ContentPart<ToolSet>)
          break
        case 'tool-approval-request':
        case 'source':
        case 'file':
        case 'reasoning-file':
        case 'custom':
          parts.push(part as ContentPart<ToolSet>)
          break
      }
    },
  }

  function grow(
    type: Growing['type'],
    part: { readonly id: string; readonly providerMetadata?: unknown },
  ): Growing {
    const target: Growing = { type, text: '' }
    if (part.providerMetadata) target.providerMetadata = part.providerMetadata
    growing.set(`${type}:${part.id}`, target)
    parts.push(target as ContentPart<ToolSet>)
    return target
  }
}

/** The assistant's message of the step; undefined for an empty answer. */
export function toAssistantMessage({
  parts,
  written,
}: StepContent): AssistantModelMessage | undefined {
  const content: AssistantPart[] = []
  for (const part of parts) {
    const own = toAssistantPart(part, written.get(part))
    if (own) content.push(own)
  }
  return content.length > 0 ? { role: 'assistant', content } : undefined
}

/**
 * The results of the step's calls, in call order; undefined when there are none.
 *
 * @param unanswered - What to say of a call that has no output yet. Absent: the call stays open.
 */
export function toResultsMessage(
  { calls }: StepContent,
  unanswered?: string,
): ToolModelMessage | undefined {
  const content: ToolResultPart[] = []
  for (const { call, output } of calls) {
    const answer = output ?? (unanswered === undefined ? undefined : errorOutput(unanswered))
    if (answer) content.push(toResultPart(call, answer))
  }
  return content.length > 0 ? { role: 'tool', content } : undefined
}

/** The calls' results as content parts, for the record of the step. */
export function resultParts({ calls }: StepContent): ContentPart<ToolSet>[] {
  return calls.flatMap(({ call, recordedInput, output }) => {
    if (output === undefined) return []
    const { toolCallId, toolName, dynamic } = call
    const about = { toolCallId, toolName, input: recordedInput, ...(dynamic && { dynamic }) }
    const part = isFailure(output)
      ? { ...about, type: 'tool-error', error: 'value' in output ? output.value : output.reason }
      : { ...about, type: 'tool-result', output: 'value' in output ? output.value : output }
    return [part as ContentPart<ToolSet>]
  })
}

/** The result part of one call. */
export function toResultPart(call: TypedToolCall<ToolSet>, output: ToolOutput): ToolResultPart {
  const { toolCallId, toolName } = call
  return { type: 'tool-result', toolCallId, toolName, output }
}

interface Growing {
  readonly type: 'text' | 'reasoning'
  text: string
  providerMetadata?: unknown
}

type AssistantPart = Exclude<AssistantContent, string>[number]

function toAssistantPart(
  part: ContentPart<ToolSet>,
  written: ToolOutput | undefined,
): AssistantPart | undefined {
  const options =
    'providerMetadata' in part && part.providerMetadata
      ? { providerOptions: part.providerMetadata }
      : {}
  switch (part.type) {
    case 'text':
      // Providers refuse empty text, unless it carries something of theirs such as a signature.
      return part.text === '' && !part.providerMetadata
        ? undefined
        : { type: 'text', text: part.text, ...options }
    case 'reasoning':
      return { type: 'reasoning', text: part.text, ...options }
    case 'file':
    case 'reasoning-file':
      return {
        type: part.type,
        data: part.file.base64,
        mediaType: part.file.mediaType,
        ...options,
      }
    case 'custom':
      return { type: 'custom', kind: part.kind, ...options }
    case 'tool-call': {
      const { toolCallId, toolName, input, providerExecuted } = part
      const executed = providerExecuted === undefined ? {} : { providerExecuted }
      return { type: 'tool-call', toolCallId, toolName, input, ...executed, ...options }
    }
    case 'tool-result':
    case 'tool-error': {
      const { toolCallId, toolName } = part
      const output =
        written ?? providerOutput(part.type === 'tool-error' ? part.error : part.output, part.type)
      return { type: 'tool-result', toolCallId, toolName, output, ...options }
    }
    case 'tool-approval-request':
      // A provider asks to run a tool of its own; whoever answers must find the question.
      return { type: part.type, approvalId: part.approvalId, toolCallId: part.toolCall.toolCallId }
    default:
      // Sources are for the reader; no provider expects them back.
      return undefined
  }
}

/** A provider's result as it came; what JSON cannot hold is said to be so. */
function providerOutput(value: unknown, type: 'tool-error' | 'tool-result'): ToolOutput {
  // An error's text is no part of what JSON would write of it.
  if (value instanceof Error) return errorOutput(describeError(value))
  try {
    return type === 'tool-error'
      ? { type: 'error-json', value: copyJson(value) }
      : plainOutput(value)
  } catch (error) {
    return errorOutput(`The result cannot be written: ${describeError(error)}`)
  }
}

function copyInput(call: TypedToolCall<ToolSet>): unknown {
  const { input } = call
  // Text that would not parse cannot be sent back as the input of a call.
  if (call.invalid && (typeof input !== 'object' || input === null)) return {}
  try {
    return copyJson(input)
  } catch {
    return {}
  }
}

import type { GenerateTextResult, LanguageModel, ModelMessage, StepResult, ToolSet } from 'ai'
import type { Plan } from './compose.ts'
import { KernelError } from './errors.ts'
import { sdkFinish, stepPerformance } from './text-stream-parts.ts'
import type { StepRecord, TurnResult } from './turn-state.ts'

/** What `kernel.generate` gives: the AI SDK's result, read off a turn. */
export type AgentGenerateResult = GenerateTextResult<ToolSet, Context, never>

type Context = Record<string, unknown>

/** A turn's result as the SDK's blocking calls give it. */
export function toGenerateResult(result: TurnResult, plan: Plan): AgentGenerateResult {
  const steps = result.steps.map((step) => toStepResult(step, plan))
  const finalStep = lastOf(steps)
  const content = steps.flatMap((step) => step.content)
  return {
    content,
    text: result.text,
    ...byKind(content),
    reasoning: finalStep.content.filter(
      (part) => part.type === 'reasoning' || part.type === 'reasoning-file',
    ),
    reasoningText: finalStep.reasoningText,
    ...sdkFinish(result),
    usage: result.usage,
    totalUsage: result.usage,
    warnings: steps.flatMap((step) => step.warnings ?? []),
    request: finalStep.request,
    response: finalStep.response,
    responseMessages: responseMessages(result),
    providerMetadata: finalStep.providerMetadata,
    steps,
    finalStep,
    get output(): never {
      throw noOutput()
    },
  }
}

/** One step as the SDK records it; tool results are what the model read. */
export function toStepResult(record: StepRecord, plan: Plan): StepResult<ToolSet, Context> {
  const content = [...record.content]
  const thoughts = content.flatMap((part) => (part.type === 'reasoning' ? [part.text] : []))
  return {
    callId: `step-${record.step}`,
    stepNumber: record.step - 1,
    model: describeModel(plan.model),
    toolsContext: {} as never,
    runtimeContext: {},
    content,
    text: content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(''),
    reasoning: content.flatMap(toReasoningPart),
    reasoningText: thoughts.join('') || undefined,
    ...byKind(content),
    finishReason: record.finishReason,
    rawFinishReason: record.rawFinishReason,
    usage: record.usage,
    performance: stepPerformance(record),
    warnings: [...record.warnings],
    request: {},
    response: {
      id: record.response.id ?? '',
      modelId: record.response.modelId ?? describeModel(plan.model).modelId,
      timestamp: record.response.timestamp ?? new Date(0),
      messages: [...record.messages],
    } as StepResult<ToolSet, Context>['response'],
    providerMetadata: record.providerMetadata,
  }
}

function toReasoningPart(part: Content[number]): StepResult<ToolSet, Context>['reasoning'] {
  if (part.type !== 'reasoning' && part.type !== 'reasoning-file') return []
  const options = part.providerMetadata && { providerOptions: part.providerMetadata }
  if (part.type === 'reasoning') return [{ type: part.type, text: part.text, ...options }]
  const { base64, mediaType } = part.file
  return [{ type: part.type, data: base64, mediaType, ...options }]
}

type Content = StepResult<ToolSet, Context>['content']

function byKind(content: Content) {
  const ofType = <Type extends Content[number]['type']>(type: Type) =>
    content.filter((part): part is Extract<Content[number], { type: Type }> => part.type === type)
  const toolCalls = ofType('tool-call')
  const toolResults = ofType('tool-result')
  return {
    files: ofType('file').map(({ file }) => file),
    sources: ofType('source'),
    toolCalls,
    staticToolCalls: toolCalls.filter((call) => call.dynamic !== true),
    dynamicToolCalls: toolCalls.filter((call) => call.dynamic === true),
    toolResults,
    staticToolResults: toolResults.filter((result) => result.dynamic !== true),
    dynamicToolResults: toolResults.filter((result) => result.dynamic === true),
  } as Pick<
    StepResult<ToolSet, Context>,
    | 'files'
    | 'sources'
    | 'toolCalls'
    | 'staticToolCalls'
    | 'dynamicToolCalls'
    | 'toolResults'
    | 'staticToolResults'
    | 'dynamicToolResults'
  >
}

function describeModel(model: LanguageModel) {
  return typeof model === 'string'
    ? { provider: 'gateway', modelId: model }
    : { provider: model.provider, modelId: model.modelId }
}

function responseMessages({ added }: TurnResult) {
  return added.filter(
    (message): message is Extract<ModelMessage, { role: 'assistant' | 'tool' }> =>
      message.role === 'assistant' || message.role === 'tool',
  )
}

function lastOf<Item>(items: readonly Item[]): Item {
  const last = items.at(-1)
  if (last === undefined) throw new KernelError('KERNEL_TURN_FAILED', 'The turn has no step.')
  return last
}

/** Why a turn has no structured output. */
export function noOutput() {
  return new KernelError(
    'KERNEL_INPUT_INVALID',
    'A kernel turn has no structured output. Read text, or call the model with an output of its own.',
    { details: { field: 'output' } },
  )
}

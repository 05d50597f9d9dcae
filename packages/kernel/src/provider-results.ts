import type { Cancellation } from './cancellation.ts'
import { withinTimeLimit } from './execute-tool.ts'
import type { StepContent } from './step-content.ts'
import { toToolOutput } from './tool-output.ts'
import { findTool, type ToolRegistry } from './tools.ts'

/**
 * Has the tools that a provider ran say what the model is to read of their results, each within the
 * time limit of a tool. One that fails costs its own result and nothing else.
 */
export async function writeProviderResults(
  content: StepContent,
  registry: ToolRegistry,
  turn: Cancellation,
  timeoutMs: number,
): Promise<void> {
  for (const part of content.parts) {
    if (part.type !== 'tool-result') continue
    const { toolCallId, toolName, input, output } = part
    const tool = findTool(registry, toolName)
    if (!tool?.toModelOutput) continue
    const write = () => toToolOutput(tool, { toolCallId, input }, output)
    const outcome = await withinTimeLimit(toolName, write, turn, timeoutMs)
    content.written.set(part, outcome.output)
  }
}

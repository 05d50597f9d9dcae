import {
  AfterToolCallEvent,
  Agent,
  BeforeModelCallEvent,
  type JSONValue,
  Model,
  TextBlock,
  type Tool,
  ToolResultBlock,
} from '@strands-agents/sdk'
import { InMemoryStorage } from '@strands-agents/sdk/storage'
import { ContextOffloader } from '@strands-agents/sdk/vended-plugins/context-offloader'
import { type HistoryPolicy, type ResultPart, resultText } from '@symfonic/replay/results'
import type { ModelMessage } from 'ai'

const retrievalTool = 'retrieve_offloaded_content'

/**
 * The context offloader of Strands with its defaults: a result of more than 2,500 tokens becomes a preview of
 * 1,000 tokens on arrival, can be read again through its tool, and is forgotten 20 cycles later.
 *
 * The plugin is Strands' own, and so are its events, its storage, its tool and the token count of its models.
 * Only the agent's loop is ours: it reports each result once, in order, and each model call.
 */
export const strandsOffloader: HistoryPolicy = {
  name: 'Strands ContextOffloader',
  toolText: toolTextOf(new ContextOffloader({ storage: new InMemoryStorage() })),
  open: () => {
    const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
    const host = hostOf(offloader)
    const sent: ModelMessage[] = []
    return {
      prepare: async (history) => {
        for (const message of history.slice(sent.length)) {
          sent.push(message.role === 'tool' ? await offloaded(message, host) : message)
        }
        await host.beforeModelCall()
        return [...sent]
      },
      recall: async ({ value, stub }) => {
        const reference = /\[Stored references:\]\n {2}(\S+)/.exec(stub)?.[1]
        const [tool] = offloader.getTools()
        if (reference === undefined || tool === undefined) return undefined
        const input = { reference, pattern: value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') }
        return { toolName: retrievalTool, input, text: await host.use(tool, input) }
      },
    }
  },
}

async function offloaded(
  message: Extract<ModelMessage, { role: 'tool' }>,
  host: Host,
): Promise<ModelMessage> {
  const content = []
  for (const part of message.content) {
    if (part.type !== 'tool-result') content.push(part)
    else content.push({ ...part, output: await host.afterToolCall(part) })
  }
  return { ...message, content }
}

type Host = ReturnType<typeof hostOf>

/** A real agent as the plugin sees it, with its hooks at hand and a count of its cycles that moves. */
function hostOf(offloader: ContextOffloader) {
  const toolHooks: ((event: AfterToolCallEvent) => unknown)[] = []
  const callHooks: ((event: BeforeModelCallEvent) => unknown)[] = []
  let cycleCount = 0
  const model = new SilentModel()
  const agent = new Proxy(new Agent({ model }), {
    get: (target, key) => {
      if (key === 'metrics') return { cycleCount }
      if (key === 'addHook') return addHook
      return Reflect.get(target, key)
    },
  })
  offloader.initAgent(agent)
  return { afterToolCall, beforeModelCall, use }

  function addHook(kind: unknown, hook: (event: unknown) => unknown) {
    if (kind === AfterToolCallEvent) toolHooks.push(hook)
    if (kind === BeforeModelCallEvent) callHooks.push(hook)
  }

  async function afterToolCall(part: ResultPart): Promise<ResultPart['output']> {
    const isError = part.output.type.startsWith('error')
    const event = new AfterToolCallEvent({
      agent,
      toolUse: { name: part.toolName, toolUseId: part.toolCallId, input: {} },
      tool: undefined,
      result: new ToolResultBlock({
        toolUseId: part.toolCallId,
        status: isError ? 'error' : 'success',
        content: [new TextBlock(resultText(part))],
      }),
      invocationState: {},
    })
    for (const hook of toolHooks) await hook(event)
    return { type: isError ? 'error-text' : 'text', value: textOf(event.result) }
  }

  async function beforeModelCall() {
    cycleCount += 1
    const event = new BeforeModelCallEvent({ agent, model, invocationState: {} })
    for (const hook of callHooks) await hook(event)
  }

  async function use(tool: Tool, input: JSONValue): Promise<string> {
    const toolUse = { name: tool.name, toolUseId: 'retrieval', input }
    const progress = tool.stream({
      ...{ toolUse, agent, invocationState: {}, cancelSignal: new AbortController().signal },
      interrupt: () => {
        throw new Error('The retrieval tool asks nobody.')
      },
    })
    let next = await progress.next()
    while (!next.done) next = await progress.next()
    return textOf(next.value)
  }
}

/** Counts tokens as every model of Strands does where its provider has no better way. */
class SilentModel extends Model {
  updateConfig() {}
  getConfig() {
    return {}
  }
  async *stream() {}
}

function textOf({ content }: ToolResultBlock): string {
  return content.map((block) => (block instanceof TextBlock ? block.text : '')).join('')
}

function toolTextOf(offloader: ContextOffloader): string {
  return offloader
    .getTools()
    .map(({ toolSpec }) => JSON.stringify(toolSpec))
    .join('')
}

import { generateText, streamText, ToolLoopAgent, tool, dynamicTool, type ToolSet, type PrepareStepFunction, type PrepareStepResult, type ToolApprovalConfiguration, type LanguageModel, type SystemModelMessage, type GenericToolApprovalFunction } from 'ai'
import { z } from 'zod'

type Ctx = Record<string, unknown>
type GA = <TOOLS extends ToolSet, RC extends Ctx>(o: Parameters<PrepareStepFunction<TOOLS, RC>>[0]) => Promise<PrepareStepResult<TOOLS, RC>>
declare const genericPS: GA
declare const concretePS: PrepareStepFunction<ToolSet>
declare const anyPS: PrepareStepFunction<any, any>
type Appr<T extends ToolSet, RC> = Extract<ToolApprovalConfiguration<T, RC>, (...a: never[]) => unknown>
declare const genericTA: <TOOLS extends ToolSet, RC>(o: Parameters<Appr<TOOLS, RC>>[0]) => Promise<'denied' | undefined>
declare const looseTA: (o: { toolCall: { toolCallId: string, toolName: string, input: unknown }, tools: ToolSet | undefined, toolsContext: object, runtimeContext: any, messages: any[] }) => Promise<'denied' | undefined>
declare const loosePS: (o: { messages: any[] }) => Promise<{ toolChoice?: { type: 'tool', toolName: any }, instructions?: SystemModelMessage[] } | undefined>
declare const model: LanguageModel
const tools = {
  read: tool({ inputSchema: z.object({ id: z.string() }), execute: async ({ id }) => id }),
  cancel: tool({ inputSchema: z.object({ id: z.string() }), contextSchema: z.object({ user: z.string() }), execute: async ({ id }) => id }),
  client: tool({ inputSchema: z.object({ id: z.string() }), outputSchema: z.string() }),
  dyn: dynamicTool({ inputSchema: z.object({}), execute: async () => 1 }),
}
const toolsContext = { cancel: { user: 'x' } }
const a1 = generateText({ model, prompt: 'x', tools, toolsContext, prepareStep: genericPS })
const a2 = generateText({ model, prompt: 'x', tools, toolsContext, prepareStep: concretePS })
const a3 = generateText({ model, prompt: 'x', tools, toolsContext, prepareStep: anyPS })
const a4 = generateText({ model, prompt: 'x', tools, toolsContext, prepareStep: loosePS })
const b1 = generateText({ model, prompt: 'x', tools, toolsContext, toolApproval: genericTA })
const b2 = generateText({ model, prompt: 'x', tools, toolsContext, toolApproval: looseTA })
const b3 = generateText({ model, prompt: 'x', tools, toolsContext, runtimeContext: { a: 1 }, toolApproval: looseTA, prepareStep: loosePS })
const c1 = streamText({ model, prompt: 'x', tools, toolsContext, runtimeContext: { a: 1 }, toolApproval: genericTA, prepareStep: genericPS })
const c2 = streamText({ model, prompt: 'x', tools, toolsContext, runtimeContext: { a: 1 }, toolApproval: looseTA, prepareStep: anyPS })
const d1 = new ToolLoopAgent({ model, tools, toolsContext, runtimeContext: { a: 1 }, toolApproval: genericTA, prepareStep: genericPS })
const d2 = new ToolLoopAgent({ model, tools, toolsContext, runtimeContext: { a: 1 }, toolApproval: looseTA, prepareStep: loosePS })
declare function wrapTools<T extends ToolSet>(t: T): T
const w = wrapTools(tools)
const e1 = generateText({ model, prompt: 'x', tools: w, toolsContext, toolApproval: looseTA, prepareStep: loosePS })
const notools = generateText({ model, prompt: 'x', toolApproval: looseTA, prepareStep: loosePS })
const notools2 = generateText({ model, prompt: 'x', toolApproval: genericTA, prepareStep: genericPS })
e1.then(r => { for (const c of r.staticToolCalls) { if (c.toolName === 'read') { const s: string = c.input.id; console.log(s) } } })

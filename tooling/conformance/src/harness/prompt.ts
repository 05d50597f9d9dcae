import assert from 'node:assert/strict'
import {
  type Capability,
  createBlockInjector,
  createKernel,
  type KernelOptions,
  type Logger,
  type MessagesCachePolicy,
  messagesCacheStrategyFor,
  type PromptBlock,
  type PromptLayerMode,
  silentLogger,
} from '@symfonic/kernel'
import { scriptedModel } from '@symfonic/kernel/testing'
import { tool } from 'ai'
import { z } from 'zod'
import type { Harnesses } from '../run-vectors.ts'
import type { Vector } from '../vectors.ts'

/** The vector kinds that the prompt and the cache of `@symfonic/kernel` answer. */
export const prompt: Harnesses = {
  'prompt.messagesCache': messagesCache,
  'prompt.breakpoints': breakpoints,
  'prompt.manifest': manifest,
  'prompt.blockInjector': blockInjector,
  'prompt.layerMetadata': layerMetadata,
}

const anyTool = tool({ inputSchema: z.object({}), execute: async () => 'done' })

/** The vectors' class of each strategy, by what it is called here. */
const strategyClasses: Record<string, string> = {
  'last-stable-turn-boundary': 'LastStableTurnBoundaryStrategy',
  'rolling-ladder': 'RollingLadderStrategy',
}

/** The strategy is read where it is resolved; the logs are those of a kernel and two of its turns. */
async function messagesCache({ input, expected }: Vector): Promise<void> {
  const { messagesCachePolicy } = input as { messagesCachePolicy: string }
  const { registered, logs } = expected as {
    registered: string | null
    logs?: { level: string; count: number }[]
  }
  const policy = messagesCachePolicy.replaceAll('_', '-') as MessagesCachePolicy
  const strategy = messagesCacheStrategyFor(policy, silentLogger)
  assert.equal(strategy === undefined ? null : strategyClasses[strategy.name], registered)

  const counts: Record<string, number> = {}
  const model = scriptedModel([{ text: 'a' }, { text: 'b' }], { provider: 'anthropic.messages' })
  const subject = createKernel({ model, cache: { messages: policy }, logger: countInto(counts) })
  await subject.run({ query: 'q' })
  await subject.run({ query: 'q' })
  const lines = Object.entries(counts).map(([level, count]) => ({ level, count }))
  assert.deepEqual(lines, logs ?? [])
}

/** Counted in what the model is handed, which is before its provider could drop anything. */
async function breakpoints({ input, expected }: Vector): Promise<void> {
  const { provider, prefixTokens } = input as { provider: string; prefixTokens: number }
  const placedFor = async (who: string) => {
    const model = scriptedModel([{ text: 'answer' }], { provider: who })
    // Four characters to a token.
    const instructions = 'word '.repeat((prefixTokens * 4) / 5)
    await createKernel({ model, instructions, tools: { anyTool } }).run({ query: 'q' })
    return JSON.stringify(model.received).match(/cache_?control/gi)?.length ?? 0
  }
  assert.equal(await placedFor(provider), (expected as { breakpoints: number }).breakpoints)
  // Else no markers at all would hold as well.
  assert.notEqual(await placedFor('anthropic.messages'), 0)
}

/** The manifest, as capabilities see it and as the prompt lists it. */
async function manifest({ input, expected }: Vector): Promise<void> {
  const { domainManifest, tools, askUserEnabled } = input as {
    domainManifest: string[]
    tools: string[]
    askUserEnabled: boolean
  }
  const wanted = expected as { manifest?: string[]; manifestIncludes?: string[] }
  const askUser: Capability = { name: 'ask-user', tools: { ask_user: anyTool } }
  let seen: readonly string[] = []
  const looker: Capability = {
    name: 'looker',
    onCompose: ({ agent }) => {
      seen = agent.toolManifest
    },
  }
  const report = await preview({
    tools: Object.fromEntries(tools.map((name) => [name, anyTool])),
    capabilities: [...(askUserEnabled ? [askUser] : []), looker],
    prompt: { toolManifest: domainManifest },
  })
  const sections = report.layers.flatMap((layer) => layer.sections)
  const listing = sections.find(({ name }) => name === 'tool-manifest')?.text ?? ''
  const listed = listing.split('\n').flatMap((line) => (/^- /.test(line) ? [line.slice(2)] : []))
  assert.deepEqual(listed, [...seen])
  if (wanted.manifest !== undefined) assert.deepEqual(listed, wanted.manifest)
  for (const name of wanted.manifestIncludes ?? []) assert(listed.includes(name), name)
}

function blockInjector({ input, expected }: Vector): void {
  const { promptBlocks } = input as { promptBlocks: PromptBlock[] }
  const { injector } = expected as { injector: unknown }
  assert.deepEqual(createBlockInjector(promptBlocks, []) ?? null, injector)
}

async function layerMetadata({ input, expected }: Vector): Promise<void> {
  const { promptLayerMode } = input as { promptLayerMode: PromptLayerMode }
  const { brainVersion, systemHash } = expected as {
    brainVersion: string | null
    systemHash: string | null
  }
  const desk: Capability = {
    name: 'desk',
    sections: [{ name: 'rules', layer: 'L1', render: () => 'Ask first.' }],
  }
  const report = await preview({
    instructions: 'You are a clerk.',
    capabilities: [desk],
    prompt: { layerMode: promptLayerMode, version: 'v1' },
  })
  assert.equal(report.kernelVersion ?? null, brainVersion)
  assert.equal(report.prefixHash ?? null, systemHash)
}

function preview(options: Omit<KernelOptions, 'model'>) {
  return createKernel({ model: scriptedModel([]), ...options }).previewPrompt({ query: 'q' })
}

function countInto(counts: Record<string, number>): Logger {
  const count = (level: string) => () => {
    counts[level] = (counts[level] ?? 0) + 1
  }
  return { debug: count('debug'), info: count('info'), warn: count('warn'), error: count('error') }
}

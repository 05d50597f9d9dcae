import { createAnthropic } from '@ai-sdk/anthropic'
import { defineSkill } from '@symfonic/preflight'
import { tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createKernel, type Kernel } from './kernel.ts'
import { silentLogger } from './logger.ts'
import type { ModelSettings } from './model-caller.ts'
import { withPreflight } from './with-preflight.ts'

const skills = [defineSkill({ label: 'Read first', actionTool: 'cancel', precondition: 'read' })]
const inputSchema = z.object({})
const tools = {
  read: tool({ inputSchema, execute: async () => 'read' }),
  cancel: tool({ inputSchema, execute: async () => 'cancelled' }),
}
const thinking: ModelSettings = {
  maxOutputTokens: 4000,
  providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } } },
}

describe('forcing a first action on a model that refuses to be forced', () => {
  it.each<[string, ModelSettings, boolean, number]>([
    ['claude-sonnet-4-6', {}, true, 0],
    ['claude-sonnet-4-6', thinking, true, 1],
    ['claude-sonnet-5-5', {}, true, 1],
    ['claude-opus-5-5', {}, true, 1],
    ['claude-fable-5-1', {}, true, 1],
    ['claude-fable-5', {}, true, 0],
    ['claude-sonnet-5-5', {}, false, 0],
  ])('%s with %j, forced %s: %i warning at construction', (modelId, settings, forced, count) => {
    const { warnings } = compose(modelId, settings, forced)
    expect(warnings.filter((line) => line.includes('forceFirstAction'))).toHaveLength(count)
  })

  it('warns once a construction, never once a turn, and keeps the warnings of the turn', async () => {
    const { kernel, warnings, sent } = compose('claude-sonnet-5-5', {}, true)
    await kernel.run({ query: 'q' })
    await kernel.run({ query: 'q' })
    const count = (text: string) => warnings.filter((line) => line.includes(text)).length
    expect(count('forceFirstAction has no force')).toBe(1)
    expect(count('refused to be forced')).toBe(2)
    expect(count('answered without calling')).toBe(2)
    expect(sent.map((body) => body.tool_choice)).toEqual([{ type: 'auto' }, { type: 'auto' }])
  })

  it('never stops construction, even when the check itself fails', () => {
    const errors: string[] = []
    const model = createAnthropic({ apiKey: 'test' })('claude-sonnet-5-5')
    const kernel = createKernel({
      model,
      capabilities: [
        {
          name: 'broken',
          onCompose: () => {
            throw new Error('no')
          },
        },
      ],
      logger: { ...silentLogger, error: (line) => errors.push(line) },
    })
    expect(kernel.version).toBe('agent-v1')
    expect(errors).toHaveLength(1)
  })
})

function compose(modelId: string, settings: ModelSettings, forceFirstAction: boolean) {
  const warnings: string[] = []
  const sent: { tool_choice: unknown }[] = []
  const answer = {
    type: 'message',
    id: 'm1',
    role: 'assistant',
    model: modelId,
    content: [{ type: 'text', text: 'I would rather answer.' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 3, output_tokens: 4 },
  }
  const anthropic = createAnthropic({
    apiKey: 'test',
    fetch: async (_url, init) => {
      sent.push(JSON.parse(String(init?.body)))
      return Response.json(answer)
    },
  })
  const kernel: Kernel = createKernel({
    model: anthropic(modelId),
    tools,
    settings,
    capabilities: [withPreflight({ skills, forceFirstAction })],
    logger: { ...silentLogger, warn: (line) => warnings.push(line) },
  })
  return { kernel, warnings, sent }
}

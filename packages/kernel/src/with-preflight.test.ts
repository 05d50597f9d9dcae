import { defineSkill } from '@symfonic/preflight'
import { tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createKernel } from './kernel.ts'
import { type Logger, silentLogger } from './logger.ts'
import { type ScriptedStep, scriptedModel } from './testing/scripted-model.ts'
import { type PreflightOptions, withPreflight } from './with-preflight.ts'

const inputSchema = z.object({ id: z.string() })
const tools = {
  read: tool({ inputSchema, execute: async ({ id }) => `${id}: two seats` }),
  cancel: tool({ inputSchema, execute: async ({ id }) => `cancelled ${id}` }),
  formatLinks: tool({ inputSchema, execute: async () => '<link>' }),
}

const readBeforeCancel = defineSkill({
  label: 'Read before you cancel',
  actionTool: 'cancel',
  precondition: 'read',
})
const slackOnly = defineSkill({
  label: 'Slack links',
  actionTool: 'formatLinks',
  precondition: [{ state: { path: 'page_context.platform', op: 'eq', value: 'slack' } }],
})
const skills = [readBeforeCancel, slackOnly]
const onSlack = { page_context: { platform: 'slack' } }
const onWeb = { page_context: { platform: 'web' } }

const cancel = (id = 'A1') => ({ toolCalls: [{ name: 'cancel', input: { id } }] })
const read = (id = 'A1') => ({ toolCalls: [{ name: 'read', input: { id } }] })
const done = { text: 'done' }

describe('pre-flight in a kernel', () => {
  it('tells the model the rule in L1 and holds it to the rule', async () => {
    const { result, systemOf } = await play([cancel(), read(), cancel(), done], { skills })
    expect(systemOf(0)).toContain('## ENFORCED PRE-FLIGHT RULES')
    expect(systemOf(0)).toContain('YOU MUST call `read` BEFORE calling `cancel`')
    expect(result.refusals).toMatchObject([
      {
        toolName: 'cancel',
        capability: 'preflight',
        details: { missing: ['read'], skills: ['Read before you cancel'] },
      },
    ])
    expect(result.steps.map((step) => step.refusals.length)).toEqual([1, 0, 0, 0])
    expect(result.prompt.layers.map(({ layer }) => layer)).toEqual(['L0', 'L1'])
  })

  it('reads a refusal as an error result of the refused call', async () => {
    const { sentAt } = await play([cancel(), done], { skills })
    expect(JSON.stringify(sentAt(1).at(-1))).toContain('"type":"error-text"')
  })

  it('lets a required tool earlier in the same step count once it has succeeded', async () => {
    const together = { toolCalls: [...read().toolCalls, ...cancel().toolCalls] }
    const { result } = await play([together, done], { skills })
    expect(result.refusals).toEqual([])
  })

  it('forgets what was called when the user speaks again', async () => {
    const model = scriptedModel([read(), done, cancel(), done])
    const kernel = createKernel({ model, tools, capabilities: [withPreflight({ skills })] })
    const first = await kernel.run({ query: 'read it' })
    const second = await kernel.run({ query: 'cancel it', history: first.messages })
    expect(second.refusals).toHaveLength(1)
  })

  it('drops off-platform skills from the block and the gate, with a reason and a DEBUG line', async () => {
    const lines: string[] = []
    const dropped: unknown[] = []
    const { systemOf } = await play([done], {
      skills,
      state: onWeb,
      logger: { ...silentLogger, debug: (line) => lines.push(line) },
      onSelection: (selection) => dropped.push(...selection.dropped.map(({ item }) => item.label)),
    })
    expect(systemOf(0)).not.toContain('Slack links')
    expect(dropped).toEqual(['Slack links'])
    expect(lines[0]).toBe(
      "skill `Slack links` dropped this turn: state predicate `page_context.platform` eq `'slack'` -> False (state value: 'web')",
    )
  })

  it('writes the DEBUG lines to a logger of its own where the host gives one', async () => {
    const lines: string[] = []
    const named: Record<string, string[]> = {}
    const logger: Logger = {
      ...silentLogger,
      debug: (line) => lines.push(line),
      child: (name) => ({
        ...silentLogger,
        debug: (line) => {
          named[name] = [...(named[name] ?? []), line]
        },
      }),
    }
    await play([done], { skills, state: onWeb, logger })
    expect(lines).toEqual([])
    expect(named['preflight.precondition_gate']).toHaveLength(1)
  })

  it('sees a skill that an earlier call of the same step has added', async () => {
    let live: (typeof readBeforeCancel)[] = []
    const learn = tool({
      inputSchema,
      execute: async () => {
        live = [readBeforeCancel]
        return 'learned'
      },
    })
    const step = { toolCalls: [{ name: 'learn', input: { id: 'x' } }, ...cancel().toolCalls] }
    const kernel = createKernel({
      model: scriptedModel([step, done]),
      tools: { ...tools, learn },
      capabilities: [withPreflight({ skills: () => live })],
    })
    expect((await kernel.run({ query: 'q' })).refusals).toMatchObject([{ toolName: 'cancel' }])
  })

  it('renders the same bytes whatever state changes within a platform', async () => {
    const ana = await play([done], { skills, state: { ...onSlack, user: 'ana' } })
    const bo = await play([done], { skills, state: { ...onSlack, user: 'bo', mood: 'good' } })
    expect(ana.systemOf(0)).toBe(bo.systemOf(0))
  })

  it.each<[Partial<PreflightOptions>, boolean, number]>([
    [{}, true, 1],
    [{ renderRules: false }, false, 1],
    [{ enforce: false }, true, 0],
    [{ renderRules: false, enforce: false }, false, 0],
  ])('with %j: rules told %s, calls refused %i', async (knobs, told, refused) => {
    const { result, systemOf } = await play([cancel(), done], { skills, ...knobs })
    expect(systemOf(0).includes('PRE-FLIGHT')).toBe(told)
    expect(result.refusals).toHaveLength(refused)
  })

  it('asks for live skills each time', async () => {
    let live = [] as typeof skills
    const model = scriptedModel([cancel(), done, cancel(), done])
    const kernel = createKernel({
      model,
      tools,
      capabilities: [withPreflight({ skills: () => live })],
    })
    expect((await kernel.run({ query: 'q' })).refusals).toHaveLength(0)
    live = skills
    expect((await kernel.run({ query: 'q' })).refusals).toHaveLength(1)
  })

  it('asks for live skills once each time the gate opens', async () => {
    let asked = 0
    await play([read(), done], {
      renderRules: false,
      skills: () => {
        asked += 1
        return skills
      },
    })
    expect(asked).toBe(1)
  })

  it('refuses every call, and tells no rule, while the live skills cannot be had', async () => {
    const { result, systemOf } = await play([cancel(), read(), done], {
      skills: () => {
        throw new Error('the skill store is down')
      },
    })
    expect(result.refusals.map(({ toolName }) => toolName)).toEqual(['cancel', 'read'])
    expect(systemOf(0)).not.toContain('PRE-FLIGHT')
    expect(result.prompt.failed).toMatchObject([{ section: 'preflight-rules' }])
  })

  it('judges against a state that speaks of the very call', async () => {
    const unread = defineSkill({
      label: 'Read that one first',
      actionTool: 'cancel',
      precondition: ['read', { state: { path: 'already_read', op: 'eq', value: false } }],
    })
    const { result } = await play([cancel('A1'), cancel('B2'), done], {
      skills: [unread],
      readState: (_view, call) => ({
        already_read: (call?.input as { id: string } | undefined)?.id === 'A1',
      }),
    })
    expect(result.refusals.map(({ input }) => input)).toEqual([{ id: 'B2' }])
  })

  it('lets the host say what counts as called for the very call', async () => {
    const { result } = await play([read('A1'), cancel('A1'), cancel('B2'), done], {
      skills,
      readCalled: (view, call) => {
        const id = (call?.input as { id: string } | undefined)?.id
        const seen = JSON.stringify(view.messages.filter(({ role }) => role === 'tool'))
        return new Set(id && seen.includes(`${id}: two seats`) ? ['read'] : [])
      },
    })
    expect(result.refusals.map(({ input }) => input)).toEqual([{ id: 'B2' }])
  })

  it('judges a governed call by what an earlier call of the same step has changed', async () => {
    const once = defineSkill({
      label: 'Only once',
      actionTool: 'cancel',
      precondition: ['ask_again', { state: { path: 'already_cancelled', op: 'eq', value: true } }],
    })
    const twice = { toolCalls: [...cancel('A1').toolCalls, ...cancel('A1').toolCalls] }
    const { result } = await play([twice, done], {
      skills: [once],
      readState: (view) => ({
        already_cancelled: JSON.stringify(view.messages).includes('cancelled A1'),
      }),
    })
    expect(result.refusals.map(({ toolCallId }) => toolCallId)).toEqual(['call-2'])
  })

  it.each(['run', 'stream'] as const)(
    'forces the first action, live, and releases it: %s',
    async (entry) => {
      const { model } = await play(
        [read(), cancel(), done],
        { skills: [readBeforeCancel], forceFirstAction: true },
        entry,
      )
      expect(model.received.map((sent) => sent.toolChoice)).toEqual([
        { type: 'tool', toolName: 'read' },
        { type: 'tool', toolName: 'cancel' },
        { type: 'auto' },
      ])
    },
  )

  it('forces nothing for a skill whose state predicate fails', async () => {
    const { model } = await play([done], {
      skills: [slackOnly],
      state: onWeb,
      forceFirstAction: true,
    })
    expect(model.received[0]?.toolChoice).toEqual({ type: 'auto' })
  })
})

async function play(
  script: readonly ScriptedStep[],
  { state, logger, ...options }: PreflightOptions & { state?: unknown; logger?: Logger },
  entry: 'run' | 'stream' = 'run',
) {
  const model = scriptedModel(script)
  const kernel = createKernel({
    model,
    tools,
    instructions: 'You serve a travel desk.',
    capabilities: [withPreflight(options)],
    ...(logger && { logger }),
  })
  const result = entry === 'run' ? await kernel.run({ query: 'q', state }) : await drain()
  model.assertDone()
  const sentAt = (index: number) => model.received[index]?.prompt ?? []
  const systemOf = (index: number) =>
    sentAt(index)
      .flatMap((message) => (message.role === 'system' ? [message.content] : []))
      .join('\n---\n')
  return { result, model, sentAt, systemOf }

  async function drain() {
    const stream = kernel.stream({ query: 'q', state })
    let next = await stream.next()
    while (!next.done) next = await stream.next()
    return next.value
  }
}

import { type ModelMessage, type ToolSet, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type PreflightOptions, type PreflightSkills, preflight } from '../ai-sdk.ts'
import { defineSkill } from '../define-skill.ts'
import type { PreflightRefusal } from './options.ts'
import { type Answer, resultsIn, runs } from './sdk-runs.test-d.ts'

const inputSchema = z.object({})
const readFirst = defineSkill({ label: 'Read first', actionTool: 'cancel', precondition: 'read' })
const refused = expect.stringContaining('The call to `cancel` was refused (skill: Read first).')

function desk(log: string[] = []) {
  const step = (name: string) =>
    tool({
      inputSchema,
      execute: async () => {
        log.push(name)
        return `${name} done`
      },
    })
  return { read: step('read'), cancel: step('cancel'), tell: step('tell') } satisfies ToolSet
}

describe.each(runs)('approvals in %s', (_, run) => {
  function start(
    options: PreflightOptions = {},
    { tools = desk(), wrap = true }: { tools?: ToolSet; wrap?: boolean } = {},
    skills: PreflightSkills = [readFirst],
  ) {
    const adapter = preflight(skills, options)
    const settings = {
      instructions: adapter.instructions,
      prepareStep: adapter.prepareStep,
      toolApproval: adapter.toolApproval,
      tools: wrap ? adapter.wrapTools(tools) : tools,
    }
    return (answers: readonly Answer[], messages: ModelMessage[] = [user]) =>
      run(answers, messages, settings)
  }

  it('denies what the rules refuse without asking anyone, and asks about the rest', async () => {
    const log: string[] = []
    const toolApproval = { cancel: 'user-approval' } as const
    const play = start({ toolApproval }, { tools: desk(log) })
    const first = await play([['cancel'], ['read'], ['cancel']])
    expect(resultsIn(first.messages)).toEqual([
      expect.stringMatching(/^cancel: execution-denied .*skill: Read first/),
      'read: text "read done"',
    ])
    expect(pending(first.messages)).toHaveLength(1)
    expect(log).toEqual(['read'])

    const approved = await play(['cancelled'], answered(first.messages, true))
    expect(resultsIn(approved.messages).at(-1)).toBe('cancel: text "cancel done"')
    expect(approved.text).toBe('cancelled')
    expect(log).toEqual(['read', 'cancel'])

    const denied = await play(['as you like'], answered(first.messages, false))
    expect(resultsIn(denied.messages).at(-1)).toMatch(/^cancel: execution-denied/)
    expect(log).toEqual(['read', 'cancel'])
  })

  it.each([
    ['toolApproval denies', true],
    ['a wrapped tool refuses', false],
  ])('%s a call that was approved before a rule came to bind it', async (_case, withApproval) => {
    const log: string[] = []
    let skills = [defineSkill({ label: 'x', actionTool: 'other', precondition: 'read' })]
    const { instructions, prepareStep, toolApproval, wrapTools } = preflight(() => skills, {
      toolApproval: { cancel: 'user-approval' },
    })
    const settings = { instructions, prepareStep, tools: wrapTools(desk(log)) }
    const first = await run([['cancel']], [user], { ...settings, toolApproval })
    expect(pending(first.messages)).toHaveLength(1)
    skills = [readFirst]
    const second = await run(['so be it'], answered(first.messages, true), {
      ...settings,
      ...(withApproval && { toolApproval }),
    })
    expect(resultsIn(second.messages)).toEqual([refused])
    expect(log).toEqual([])
  })

  it('lets a call pass to its wrapped tool when an earlier call may bring what it lacks', async () => {
    const log: string[] = []
    const { messages } = await start({}, { tools: desk(log) })([['read', 'cancel']])
    expect(log).toEqual(['read', 'cancel'])
    expect(resultsIn(messages)).toHaveLength(2)
  })

  it('lets a call pass to its wrapped tool when an earlier call may change the state', async () => {
    let locked = true
    const log: string[] = []
    const unlock = async () => {
      locked = false
      return 'unlocked'
    }
    const lockedFirst = defineSkill({
      label: 'Unlock first',
      actionTool: 'cancel',
      precondition: ['ask', { state: { path: 'locked', op: 'eq', value: true } }],
    })
    const tools = { ...desk(log), up: tool({ inputSchema, execute: unlock }) }
    const play = start({ state: () => ({ locked }) }, { tools }, [lockedFirst])
    const { messages } = await play([['up', 'cancel']])
    expect(resultsIn(messages)).toEqual(['up: text "unlocked"', 'cancel: text "cancel done"'])
    locked = true
    const alone = await play([['cancel', 'up']])
    expect(resultsIn(alone.messages)).toEqual([
      expect.stringMatching(/^cancel: execution-denied .*skill: Unlock first/),
      'up: text "unlocked"',
    ])
    locked = true
    const unwrapped = start({ state: () => ({ locked }) }, { tools, wrap: false }, [lockedFirst])
    const held = await unwrapped([['up', 'cancel']])
    expect(resultsIn(held.messages).toSorted()).toEqual([
      expect.stringContaining('cancel: execution-denied'),
      'up: text "unlocked"',
    ])
  })

  it('denies the same call when it comes first, or when the earlier call is denied', async () => {
    const log: string[] = []
    const play = start({ toolApproval: { read: 'denied' } }, { tools: desk(log) })
    const { messages } = await play([
      ['cancel', 'tell'],
      ['read', 'cancel'],
    ])
    expect(log).toEqual(['tell'])
    const denied = expect.stringMatching(/^cancel: execution-denied .*skill: Read first/)
    expect(resultsIn(messages).toSorted()).toEqual([
      denied,
      denied,
      expect.stringContaining('read: execution-denied'),
      'tell: text "tell done"',
    ])
  })

  it('denies a call that needs another which the rules denied in the same step', async () => {
    const last = defineSkill({ label: 'Then tell', actionTool: 'tell', precondition: 'cancel' })
    const { messages } = await start({}, {}, [readFirst, last])([['cancel', 'tell']])
    expect(resultsIn(messages)).toEqual([
      expect.stringContaining('cancel: execution-denied'),
      expect.stringContaining('tell: execution-denied'),
    ])
  })

  it('runs calls that were approved together in order, each under the rules', async () => {
    const log: string[] = []
    const toolApproval = () => 'user-approval' as const
    const tools = desk(log)
    const first = await start({ toolApproval }, { tools })([['read', 'cancel']])
    expect(pending(first.messages)).toHaveLength(2)
    const { messages } = await start({ toolApproval }, { tools })(
      [],
      answered(first.messages, true),
    )
    expect(log).toEqual(['read', 'cancel'])
    expect(resultsIn(messages)).toEqual(['read: text "read done"', 'cancel: text "cancel done"'])

    const execute = async (): Promise<string> => Promise.reject(new Error('gone'))
    const failing = { ...tools, read: tool({ inputSchema, execute }) }
    const play = start({ toolApproval }, { tools: failing })
    const second = await play([], answered(first.messages, true))
    expect(resultsIn(second.messages)).toEqual(['read: error-text "Error: gone"', refused])
    expect(log).toEqual(['read', 'cancel'])
  })

  it('refuses, after a moment, what needs a call that still waits for its approval', async () => {
    const play = start({ toolApproval: { read: 'user-approval' } })
    const { messages } = await play([['read', 'cancel']])
    expect(resultsIn(messages)).toEqual([refused])
    expect(pending(messages)).toHaveLength(1)
  })

  it('holds tools that a client runs', async () => {
    const cancel = tool({ inputSchema, outputSchema: z.string() })
    const play = start({}, { tools: { ...desk(), cancel } })
    const { messages, sent } = await play([['read', 'cancel'], ['cancel'], 'never asked'])
    expect(resultsIn(messages)).toEqual(['read: text "read done"', refused])
    expect(messages.at(-1)).toMatchObject({
      role: 'assistant',
      content: [{ type: 'tool-call', toolName: 'cancel' }],
    })
    expect(sent).toHaveLength(2)
  })

  it('holds tools that were not wrapped', async () => {
    const log: string[] = []
    const play = start({}, { tools: desk(log), wrap: false })
    await play([['cancel'], ['read', 'cancel'], ['cancel']])
    expect(log).toEqual(['read', 'cancel'])
  })

  it('asks where only the tool itself says that approval is needed', async () => {
    const log: string[] = []
    const { cancel, ...others } = desk(log)
    const tools = { ...others, cancel: { ...cancel, needsApproval: async () => true } }
    const { messages } = await start({}, { tools })([['read'], ['cancel']])
    expect(pending(messages)).toHaveLength(1)
    expect(log).toEqual(['read'])
  })
})

describe('toolApproval', () => {
  const request = (toolName: string, tools: ToolSet = {}) =>
    ({
      toolCall: { type: 'tool-call', toolCallId: 'c1', toolName, input: {} },
      tools,
      toolsContext: {},
      runtimeContext: {},
      messages: [user],
    }) as never

  it.each([
    undefined,
    'not-applicable',
    'approved',
    'denied',
    'user-approval',
    { type: 'not-applicable' },
    { type: 'approved', reason: 'known' },
    { type: 'denied', reason: 'no' },
    { type: 'user-approval', reason: 'ask' },
  ] as const)('passes on %j, from a function or an entry', async (status) => {
    const byFunction = preflight([], { toolApproval: () => status })
    expect(await byFunction.toolApproval(request('tell'))).toEqual(status)
    const byEntry = preflight([], { toolApproval: { tell: status } })
    expect(await byEntry.toolApproval(request('tell'))).toEqual(status)
    const byEntryFunction = preflight([], { toolApproval: { tell: async () => status } })
    expect(await byEntryFunction.toolApproval(request('tell'))).toEqual(status)
  })

  it.each<[string, PreflightOptions, string]>([
    ['the app throws', { toolApproval: () => failure() }, 'could not be decided'],
    ['the app rejects', { toolApproval: async () => failure() }, 'could not be decided'],
    ['an entry throws', { toolApproval: { tell: () => failure() } }, 'could not be decided'],
    ['a status is none', { toolApproval: () => 'maybe' as never }, 'could not be decided'],
    ['a status is null', { toolApproval: () => null as never }, 'could not be decided'],
    ['the state cannot be read', { state: () => failure() }, 'could not be decided'],
    ['onRefusal and the log fail as well', { state: failure, ...broken }, 'could not be decided'],
  ])('denies and does not throw when %s', async (_case, options, reason) => {
    const { toolApproval } = preflight([readFirst], options)
    expect(await toolApproval(request('tell'))).toEqual({
      type: 'denied',
      reason: expect.stringContaining(reason),
    })
  })

  it('denies when live skills cannot be read, whatever the tool', async () => {
    const { toolApproval } = preflight(() => failure())
    expect(await toolApproval(request('tell'))).toMatchObject({ type: 'denied' })
  })

  it.each([undefined, null, {}, { toolCall: null }])('denies %j', async (nonsense) => {
    const { toolApproval } = preflight([readFirst])
    expect(await toolApproval(nonsense as never)).toMatchObject({ type: 'denied' })
  })

  it('reports what it denies', async () => {
    const refusals: PreflightRefusal[] = []
    const { toolApproval } = preflight([readFirst], { onRefusal: (it) => refusals.push(it) })
    await toolApproval(request('cancel'))
    expect(refusals).toMatchObject([
      {
        by: 'approval',
        toolCall: { toolCallId: 'c1', toolName: 'cancel', input: {} },
        refusal: { missing: ['read'], skills: ['Read first'] },
        cause: undefined,
      },
    ])
  })

  it('leaves calls alone that the provider has run already', async () => {
    const { toolApproval } = preflight([readFirst])
    const asked = request('cancel') as { toolCall: object }
    const toolCall = { ...asked.toolCall, providerExecuted: true }
    expect(await toolApproval({ ...asked, toolCall } as never)).toBeUndefined()
  })

  it('denies nothing of its own when the rules are only told', async () => {
    const { toolApproval } = preflight([readFirst], {
      enforce: false,
      toolApproval: { cancel: 'approved' },
    })
    expect(await toolApproval(request('cancel'))).toBe('approved')
  })

  it('does not take a tool for wrapped that another adapter wrapped, or under another name', async () => {
    const { toolApproval, wrapTools } = preflight([readFirst])
    const foreign = preflight([]).wrapTools(desk())
    const renamed = { read: desk().read, cancel: wrapTools(desk()).tell }
    for (const tools of [foreign, renamed]) {
      await toolApproval(request('read', tools))
      expect(await toolApproval(request('cancel', tools))).toMatchObject({ type: 'denied' })
    }
  })
})

const user: ModelMessage = { role: 'user', content: 'cancel A1' }
const broken = { onRefusal: failure, logger: { debug: failure, warn: failure } }

function failure(): never {
  throw new Error('down')
}

function pending(messages: readonly ModelMessage[]): string[] {
  const last = messages.findLast(({ role }) => role === 'assistant')
  const parts = typeof last?.content === 'string' ? [] : (last?.content ?? [])
  return parts.flatMap((part) =>
    part.type === 'tool-approval-request' && !part.isAutomatic ? [part.approvalId] : [],
  )
}

/** The conversation as a store gives it back, with the person's answer to every open request. */
function answered(messages: readonly ModelMessage[], approved: boolean): ModelMessage[] {
  const restored = JSON.parse(JSON.stringify(messages)) as ModelMessage[]
  const content = pending(messages).map((approvalId) => ({
    type: 'tool-approval-response' as const,
    approvalId,
    approved,
  }))
  const last = restored.at(-1)
  if (last?.role === 'tool') last.content.push(...content)
  else restored.push({ role: 'tool', content })
  return restored
}

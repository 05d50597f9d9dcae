import {
  dynamicTool,
  generateText,
  type ModelMessage,
  type PrepareStepFunction,
  streamText,
  type ToolApprovalConfiguration,
  ToolLoopAgent,
  type ToolSet,
  tool,
} from 'ai'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import {
  type Answer,
  type RunSettings,
  resultsIn,
  runs,
  scriptedModel,
  systemIn,
} from './ai-sdk/sdk-runs.test-d.ts'
import {
  type PreflightAdapter,
  type PreflightOptions,
  type PreflightSkills,
  preflight,
} from './ai-sdk.ts'
import { defineSkill } from './define-skill.ts'

const inputSchema = z.object({ id: z.string().optional() })
const readFirst = defineSkill({
  label: 'Read before you cancel',
  actionTool: 'cancel',
  precondition: 'read',
})
const skills = [readFirst]
const refused =
  'cancel: error-text "The call to `cancel` was refused (skill: Read before you cancel).'

/** A desk of tools that note when they start and end. */
function desk(log: string[] = [], ms: Partial<Record<string, number>> = {}) {
  const step = (name: string) =>
    tool({
      inputSchema,
      execute: async () => {
        log.push(name)
        await pause(ms[name])
        log.push(`${name}.`)
        return `${name} done`
      },
    })
  const fail = tool({
    inputSchema,
    execute: async (): Promise<string> => {
      await pause(ms['fail'])
      throw new Error('no such reservation')
    },
  })
  return { read: step('read'), cancel: step('cancel'), tell: step('tell'), fail } satisfies ToolSet
}

describe.each(runs)('pre-flight in %s', (_, run) => {
  async function play(
    answers: readonly Answer[],
    {
      tools = desk(),
      rules = skills,
      messages = [user('cancel A1')],
      ...rest
    }: {
      tools?: ToolSet
      rules?: PreflightSkills
      messages?: ModelMessage[]
      options?: PreflightOptions
      settings?: Partial<RunSettings>
    } = {},
  ) {
    const { instructions, prepareStep, wrapTools } = preflight(rules, rest.options)
    const settings = { instructions, prepareStep, tools: wrapTools(tools), ...rest.settings }
    const ran = await run(answers, messages, settings)
    return { ...ran, results: resultsIn(ran.messages.slice(messages.length)) }
  }

  it('tells the rules, refuses what breaks one, and lets the corrected call through', async () => {
    const log: string[] = []
    const { sent, results, text } = await play([['cancel'], ['read'], ['cancel'], 'cancelled'], {
      tools: desk(log),
      options: { instructions: 'You serve a travel desk.' },
    })
    const [own, rules, ...others] = systemIn(sent[0])
    expect(own).toBe('You serve a travel desk.')
    expect(rules).toContain('YOU MUST call `read` BEFORE calling `cancel`')
    expect(others).toEqual([])
    expect(results).toEqual([
      expect.stringContaining(refused),
      'read: text "read done"',
      'cancel: text "cancel done"',
    ])
    expect(log).toEqual(['read', 'read.', 'cancel', 'cancel.'])
    expect(text).toBe('cancelled')
  })

  it('sends the same instructions at every step', async () => {
    const { sent } = await play([['cancel'], ['read'], ['cancel']])
    expect(new Set(sent.map((options) => systemIn(options).join('\n'))).size).toBe(1)
    expect(sent).toHaveLength(4)
  })

  it('leaves tools alone that no rule is about', async () => {
    const { results } = await play([['tell', 'fail']])
    expect(results).toEqual([
      'tell: text "tell done"',
      'fail: error-text "Error: no such reservation"',
    ])
  })

  it.each<[string, Answer, string[], string[]]>([
    ['lets a required tool ahead of it count', ['read', 'cancel'], ['read', 'cancel'], []],
    ['does not count a required tool behind it', ['cancel', 'read'], ['read'], ['cancel']],
    ['judges each of several', ['cancel', 'read', 'cancel'], ['read', 'cancel'], ['cancel']],
    ['does not hold up others', ['read', 'tell', 'cancel'], ['read', 'tell', 'cancel'], []],
  ])('in one step: %s', async (_case, calls, ran, held) => {
    for (const toolCallConcurrency of [undefined, 1, 2]) {
      const log: string[] = []
      const { results } = await play([calls], {
        tools: desk(log, { read: 4 }),
        settings: toolCallConcurrency === undefined ? {} : { toolCallConcurrency },
      })
      expect(log.filter((line) => !line.endsWith('.')).toSorted()).toEqual(ran.toSorted())
      expect(results.filter((line) => line.includes('refused'))).toHaveLength(held.length)
      if (ran.includes('cancel')) expect(log.indexOf('read.')).toBeLessThan(log.indexOf('cancel'))
    }
  })

  it('in one step: starts a call that needs nothing while others wait', async () => {
    const log: string[] = []
    await play([['read', 'cancel', 'tell']], { tools: desk(log, { read: 5 }) })
    expect(log).toEqual(['read', 'tell', 'tell.', 'read.', 'cancel', 'cancel.'])
  })

  it('in one step: chains of requirements run in order, each as soon as it may', async () => {
    const rules = [
      readFirst,
      defineSkill({ label: 'x', actionTool: 'tell', precondition: 'cancel' }),
    ]
    const log: string[] = []
    await play([['read', 'cancel', 'tell']], { rules, tools: desk(log, { read: 2, cancel: 2 }) })
    expect(log).toEqual(['read', 'read.', 'cancel', 'cancel.', 'tell', 'tell.'])
  })

  it('in one step: a required tool that fails satisfies nothing', async () => {
    const rules = [defineSkill({ label: 'x', actionTool: 'cancel', precondition: 'fail' })]
    const { results } = await play([['fail', 'cancel']], { rules, tools: desk([], { fail: 3 }) })
    expect(results).toEqual([
      'fail: error-text "Error: no such reservation"',
      expect.stringContaining('in the order to call them: `fail`.'),
    ])
  })

  it('in one step: knows the order even where a later call starts sooner', async () => {
    const log: string[] = []
    const { read, cancel } = desk(log)
    const contextSchema = z
      .object({ desk: z.string() })
      .refine(async () => pause(3).then(() => true))
    const { results } = await play([['read', 'cancel']], {
      tools: { read: { ...read, contextSchema } as ToolSet[string], cancel },
      settings: { toolsContext: { read: { desk: 'x' } } } as Partial<RunSettings>,
    })
    expect(log).toEqual(['read', 'read.', 'cancel', 'cancel.'])
    expect(results).toHaveLength(2)
  })

  it('forgets what was called when the user speaks again', async () => {
    const first = await play([['read'], 'read it'])
    const second = await play([['cancel'], ['read'], ['cancel']], {
      messages: [...first.messages, user('cancel it')],
    })
    expect(second.results).toEqual([
      expect.stringContaining(refused),
      'read: text "read done"',
      'cancel: text "cancel done"',
    ])
  })

  it('reads from messages restored from a store what was called', async () => {
    const first = await play([['read'], ['tell']])
    const untilTell = first.messages.slice(0, -1)
    const messages = JSON.parse(JSON.stringify(untilTell)) as ModelMessage[]
    const { results } = await play([['cancel']], { messages })
    expect(results).toEqual(['cancel: text "cancel done"'])
  })

  it('holds dynamic tools, and counts them', async () => {
    const plain = desk()
    const dynamic = (name: 'read' | 'cancel') =>
      dynamicTool({ inputSchema, execute: (_input, options) => plain[name].execute({}, options) })
    const tools = { read: dynamic('read'), cancel: dynamic('cancel') }
    const { results } = await play([['cancel'], ['read', 'cancel']], { tools })
    expect(results).toEqual([
      expect.stringContaining(refused),
      'read: text "read done"',
      'cancel: text "cancel done"',
    ])
  })

  it('takes a failure that an MCP server reports as one, in the step and after it', async () => {
    const content = [{ type: 'text', text: 'no such reservation' }]
    const read = dynamicTool({
      inputSchema,
      execute: async () => ({ content, isError: true }),
      // As the SDK's MCP client converts results: without their isError.
      toModelOutput: () => ({ type: 'content', value: [{ type: 'text', text: 'no such' }] }),
    })
    const { results } = await play([['read', 'cancel'], ['cancel']], {
      tools: { ...desk(), read },
    })
    expect(results).toEqual([
      'read: error-text "no such reservation"',
      expect.stringContaining(refused),
      expect.stringContaining(refused),
    ])
  })

  it('hands preliminary results on, and counts a stream once it has ended', async () => {
    const log: string[] = []
    const { cancel } = desk(log)
    const streamed = (name: string) =>
      tool({
        inputSchema,
        async *execute() {
          for (const part of ['half', 'whole']) {
            log.push(`${name} ${part}`)
            yield part
            await pause(1)
          }
        },
      })
    const rules = [readFirst, defineSkill({ label: 'x', actionTool: 'read', precondition: 'find' })]
    const { results } = await play([['find', 'read', 'cancel']], {
      rules,
      tools: { find: streamed('find'), read: streamed('read'), cancel },
    })
    expect(log).toEqual(['find half', 'find whole', 'read half', 'read whole', 'cancel', 'cancel.'])
    expect(results).toEqual([
      'find: text "whole"',
      'read: text "whole"',
      'cancel: text "cancel done"',
    ])
  })

  it('keeps runs apart that share an adapter and happen at once', async () => {
    const adapter = preflight(skills)
    const play = (answers: Answer[]) => {
      const { instructions, prepareStep, wrapTools } = adapter
      const tools = wrapTools(desk([], { read: 2 }))
      return run(answers, [user('x')], { instructions, prepareStep, tools })
    }
    const [one, other] = await Promise.all([play([['read', 'cancel']]), play([['cancel']])])
    expect(resultsIn(one.messages)).toHaveLength(2)
    expect(resultsIn(one.messages).join()).not.toContain('refused')
    expect(resultsIn(other.messages)).toEqual([expect.stringContaining(refused)])
  })
})

describe('preflight', () => {
  const onSlack = defineSkill({
    label: 'Slack',
    actionTool: 'tell',
    precondition: [{ state: { path: 'page_context.platform', op: 'eq', value: 'slack' } }],
  })
  const bytes = (state: object, rules = [readFirst, onSlack]) =>
    JSON.stringify(preflight(rules, { state, instructions: 'Own.', cacheTtl: '1h' }).instructions)
  const on = (platform: string, more: object = {}) => ({ page_context: { platform, ...more } })

  it('gives the same bytes for every state of a class, and others for another class (PRE-13)', () => {
    const user = { id: 'u1', name: 'Ana', visits: 7 }
    expect(bytes(on('slack', { title: 'Home' }))).toBe(bytes({ ...on('slack'), user }))
    expect(bytes(on('web'))).toBe(bytes({ user }))
    expect(bytes(on('web'))).not.toBe(bytes(on('slack')))
  })

  it('gives the same bytes in whatever order a store returns the skills', () => {
    expect(bytes(on('slack'), [onSlack, readFirst])).toBe(bytes(on('slack')))
  })

  it('gives the app its instructions back when there is no rule', () => {
    expect(preflight([], { instructions: 'Own.' }).instructions).toEqual([
      { role: 'system', content: 'Own.' },
    ])
    expect(preflight([]).instructions).toEqual([])
  })

  it('runs without instructions when there are none', async () => {
    const { instructions } = preflight([])
    for (const [, run] of runs) {
      const { sent } = await run(['done'], [user('x')], { instructions })
      expect(systemIn(sent[0])).toEqual([])
    }
  })

  it('takes null and undefined for a state that has nothing in it', () => {
    const withoutState = preflight([readFirst, onSlack]).instructions
    for (const state of [null, undefined]) {
      expect(preflight([readFirst, onSlack], { state }).instructions).toEqual(withoutState)
    }
  })

  it.each<[string, unknown, object, string]>([
    ['a malformed skill', [{ label: 'x' }], {}, 'was not parsed'],
    ['a state that is a promise', [readFirst], { state: Promise.resolve({}) }, 'await it'],
  ])('refuses %s at once', (_case, rules, options, message) => {
    expect(() => preflight(rules as never, options)).toThrow(message)
  })
})

describe('the types', () => {
  const tools = {
    read: tool({ inputSchema: z.object({ id: z.string() }), execute: async ({ id }) => id.length }),
    cancel: tool({
      inputSchema,
      contextSchema: z.object({ desk: z.string() }),
      execute: async (_, { context }) => context.desk,
    }),
    client: tool({ inputSchema, outputSchema: z.string() }),
    dynamic: dynamicTool({ inputSchema, execute: async () => 1 }),
  }
  const { instructions, prepareStep, toolApproval, wrapTools } = preflight(skills, {
    state: ({ messages, toolCall }) => ({ length: messages.length, tool: toolCall?.toolName }),
    called: ({ messages }) => new Set(messages.map(({ role }) => role)),
    prepareStep: ({ stepNumber }) => (stepNumber > 1 ? { toolChoice: 'none' } : undefined),
    toolApproval: { cancel: 'user-approval', read: async () => undefined },
    onRefusal: ({ refusal }) => expectTypeOf(refusal.missing).toEqualTypeOf<readonly string[]>(),
    logger: console,
  })
  const settings = {
    model: scriptedModel([]).model,
    instructions,
    prepareStep,
    toolApproval,
    tools: wrapTools(tools),
    toolsContext: { cancel: { desk: 'x' } },
    runtimeContext: { run: 1 },
  }

  it('of tools stay what they are', () => {
    expectTypeOf(settings.tools).toEqualTypeOf<typeof tools>()
  })

  it('fit generateText, streamText and ToolLoopAgent, and tools stay typed in their results', async () => {
    const generated = await generateText({ ...settings, prompt: 'x' })
    const streamed = streamText({ ...settings, prompt: 'x' })
    const agent = new ToolLoopAgent(settings)
    const said = await agent.generate({ prompt: 'x' })
    expect([generated.text, await streamed.text, said.text]).toEqual(['done', 'done', 'done'])
    for (const { staticToolCalls } of [generated, said]) {
      for (const call of staticToolCalls) {
        if (call.toolName === 'read') expectTypeOf(call.input).toEqualTypeOf<{ id: string }>()
      }
    }
    expectTypeOf(agent.tools).toEqualTypeOf<typeof tools>()
  })

  it('of an app that prepares and approves for its own tools are kept', () => {
    const own: PrepareStepFunction<typeof tools, { run: number }> = ({ runtimeContext }) =>
      runtimeContext.run > 1 ? { toolChoice: { type: 'tool', toolName: 'read' } } : undefined
    const approval: ToolApprovalConfiguration<typeof tools, { run: number }> = {
      read: ({ id }) => (id === '' ? 'denied' : undefined),
    }
    const adapter = preflight(skills, { prepareStep: own, toolApproval: approval })
    expectTypeOf(adapter).toEqualTypeOf<PreflightAdapter>()
    // @ts-expect-error A tool that the app does not have.
    preflight<typeof tools>(skills, { toolApproval: { other: 'denied' } })
  })
})

function user(content: string): ModelMessage {
  return { role: 'user', content }
}

async function pause(ms: number | undefined): Promise<void> {
  if (ms !== undefined) await new Promise((resolve) => setTimeout(resolve, ms))
}

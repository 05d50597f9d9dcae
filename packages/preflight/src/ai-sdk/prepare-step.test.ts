import { isStepCount, type ModelMessage, ToolChoiceViolationError, type ToolSet, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type PreflightOptions, type PreflightSkills, preflight } from '../ai-sdk.ts'
import { defineSkill } from '../define-skill.ts'
import type { Skill } from '../skill.ts'
import { type Answer, resultsIn, runs, systemIn } from './sdk-runs.test-d.ts'

const inputSchema = z.object({})
const readFirst = defineSkill({ label: 'Read first', actionTool: 'cancel', precondition: 'read' })
const tools = Object.fromEntries(
  ['read', 'cancel', 'tell'].map((name) => [
    name,
    tool({ inputSchema, execute: async () => `${name} done` }),
  ]),
)
const force = { forceFirstAction: true }
const forced = (toolName: string) => ({ type: 'tool', toolName })
const auto = { type: 'auto' }
const user: ModelMessage = { role: 'user', content: 'cancel A1' }

describe.each(runs)('prepareStep in %s', (_, run) => {
  async function play(
    answers: readonly Answer[],
    options: PreflightOptions,
    skills: PreflightSkills = [readFirst],
    { messages = [user], tools: own = tools }: { messages?: ModelMessage[]; tools?: ToolSet } = {},
  ) {
    const { instructions, prepareStep, wrapTools } = preflight(skills, options)
    const settings = { instructions, prepareStep, tools: wrapTools(own) }
    const ran = await run(answers, messages, settings)
    return {
      ...ran,
      results: resultsIn(ran.messages),
      choices: ran.sent.map(({ toolChoice }) => toolChoice),
    }
  }

  it('forces the steps to the first action one by one, then lets go', async () => {
    const { choices, results } = await play([['read'], ['cancel'], 'done'], force)
    expect(choices).toEqual([forced('read'), forced('cancel'), auto])
    expect(results).toHaveLength(2)
  })

  it('forces nothing unless asked to', async () => {
    const { choices } = await play([['read'], 'done'], {})
    expect(choices).toEqual([auto, auto])
  })

  it('lets go at once where the history satisfies it, and forces anew for the next user message', async () => {
    const first = await play([['read', 'cancel'], 'done'], force)
    expect(first.choices).toEqual([forced('read'), auto])
    const messages = [...first.messages, user]
    const second = await play([['read'], ['cancel'], 'done'], force, [readFirst], { messages })
    expect(second.choices).toEqual([forced('read'), forced('cancel'), auto])
  })

  it('ends with the error of the SDK when a model does not comply', async () => {
    const failed = await play(['I would rather not'], force).catch((error: unknown) => error)
    expect(ToolChoiceViolationError.isInstance(failed)).toBe(true)
  })

  it('does not force a tool that the app does not have', async () => {
    const lines: string[] = []
    const elsewhere = defineSkill({ label: 'x', actionTool: 'book' })
    const logger = { debug: () => {}, warn: (line: string) => lines.push(line) }
    const { choices } = await play(['done'], { ...force, logger }, [elsewhere])
    expect(choices).toEqual([auto])
    expect(lines).toEqual([expect.stringContaining('the tool book is not forced')])
  })

  it('does not force a tool that only another run of the adapter has', async () => {
    const { prepareStep, wrapTools } = preflight([readFirst], force)
    const { tell, ...others } = tools
    const settings = { instructions: [], prepareStep }
    wrapTools(others)
    const own = wrapTools({ tell } as ToolSet)
    const { sent } = await run([['tell'], 'done'], [user], { ...settings, tools: own })
    expect(sent.map(({ toolChoice }) => toolChoice)).toEqual([auto, auto])
  })

  it('forces a tool that every set has', async () => {
    const { prepareStep, wrapTools } = preflight([readFirst], force)
    const { tell: _, ...others } = tools
    wrapTools(others)
    const settings = { instructions: [], prepareStep, tools: wrapTools(tools) }
    const { sent } = await run([['read'], ['cancel'], 'done'], [user], settings)
    expect(sent.map(({ toolChoice }) => toolChoice)).toEqual([
      forced('read'),
      forced('cancel'),
      auto,
    ])
  })

  it('keeps runs apart whose preparation gives them the same messages', async () => {
    const messages = [user]
    const { prepareStep, wrapTools } = preflight([readFirst], { prepareStep: () => ({ messages }) })
    const reading = Promise.withResolvers<void>()
    const cancelled = Promise.withResolvers<void>()
    const slow: ToolSet = {
      ...tools,
      read: tool({
        inputSchema,
        execute: async () => {
          reading.resolve()
          await cancelled.promise
          return 'read done'
        },
      }),
    }
    const settings = { instructions: [], prepareStep, stopWhen: isStepCount(1) }
    const one = run([['read', 'cancel']], [user], { ...settings, tools: wrapTools(slow) })
    await reading.promise
    const other = run([['cancel']], [user], { ...settings, tools: wrapTools(tools) })
    setTimeout(cancelled.resolve, 5)
    expect(resultsIn((await other).messages)).toEqual([
      expect.stringContaining('`cancel` was refused'),
    ])
    const bothDone = ['read: text "read done"', 'cancel: text "cancel done"']
    expect(resultsIn((await one).messages)).toEqual(bothDone)

    // Side by side: both have announced their calls before any of them starts.
    const [first, second] = await Promise.all(
      [['read', 'cancel'], ['cancel']].map((answer) =>
        run([answer], [user], { ...settings, tools: wrapTools(tools) }),
      ),
    )
    expect(resultsIn(first?.messages ?? [])).toEqual(bothDone)
    expect(resultsIn(second?.messages ?? [])).toEqual([
      expect.stringContaining('`cancel` was refused'),
    ])
  })

  it('lets the app prepare first: its tool choice stands, its other settings stay', async () => {
    const { choices, sent } = await play([['tell'], ['read'], ['cancel'], 'done'], {
      ...force,
      prepareStep: async ({ stepNumber }) =>
        stepNumber === 0
          ? { toolChoice: { type: 'tool', toolName: 'tell' }, temperature: 0.5 }
          : { temperature: 0.7 },
    })
    expect(choices).toEqual([forced('tell'), forced('read'), forced('cancel'), auto])
    expect(sent.map(({ temperature }) => temperature)).toEqual([0.5, 0.7, 0.7, 0.7])
  })

  it('does not force a tool that the app has taken out of the step', async () => {
    const { choices } = await play([['cancel'], 'done'], {
      ...force,
      prepareStep: () => ({ activeTools: ['cancel'] }),
    })
    expect(choices).toEqual([auto, auto])
  })

  it('keeps the rules behind instructions that the app replaces', async () => {
    const { sent } = await play([['read'], ['tell'], 'done'], {
      instructions: 'Own.',
      prepareStep: ({ stepNumber }) => (stepNumber === 1 ? { instructions: 'Other.' } : {}),
    })
    const rules = expect.stringContaining('ENFORCED PRE-FLIGHT RULES')
    expect(sent.map(systemIn)).toEqual([
      ['Own.', rules],
      ['Other.', rules],
      ['Other.', rules],
    ])
  })

  it('throws what the app throws: to stop a run is its right', async () => {
    const prepareStep = () => {
      throw new Error('budget spent')
    }
    await expect(play(['done'], { prepareStep })).rejects.toThrow('budget spent')
  })

  it('renews the rules of live skills at every step, and the gate agrees with them', async () => {
    let skills: readonly Skill[] = []
    const change = { ...tools }
    const { sent, results } = await play(
      [['cancel'], ['adopt'], ['cancel'], 'done'],
      { instructions: 'Own.', cacheTtl: '5m' },
      () => skills,
      {
        tools: {
          ...change,
          adopt: tool({
            inputSchema,
            execute: async () => {
              skills = [readFirst]
              return 'adopted'
            },
          }),
        },
      },
    )
    const rules = expect.stringContaining('ENFORCED PRE-FLIGHT RULES')
    expect(sent.map(systemIn)).toEqual([['Own.'], ['Own.'], ['Own.', rules], ['Own.', rules]])
    expect(results).toEqual([
      'cancel: text "cancel done"',
      'adopt: text "adopted"',
      expect.stringContaining('`cancel` was refused'),
    ])
  })

  it('reads a live state from the conversation, the results of the step included', async () => {
    const basic = defineSkill({
      label: 'Basic fares',
      actionTool: 'cancel',
      precondition: ['tell', { state: { path: 'fare', op: 'eq', value: 'basic' } }],
    })
    const book: ToolSet = {
      ...tools,
      read: tool({ inputSchema, execute: async () => ({ fare: 'basic' }) }),
    }
    // The last JSON that a tool gave; the other tools here give texts.
    const state = ({ messages }: { messages: readonly ModelMessage[] }) =>
      messages
        .flatMap((message) => (message.role === 'tool' ? message.content : []))
        .flatMap((part) => (part.type === 'tool-result' ? [part.output] : []))
        .flatMap((output) => (output.type === 'json' ? [output.value] : []))
        .at(-1)
    const { results } = await play(
      [['read', 'cancel'], ['cancel'], ['tell', 'cancel']],
      { state },
      [readFirst, basic],
      { tools: book },
    )
    expect(results).toEqual([
      'read: json {"fare":"basic"}',
      expect.stringContaining('skill: Basic fares'),
      expect.stringContaining('skill: Basic fares'),
      'tell: text "tell done"',
      'cancel: text "cancel done"',
    ])
  })
})

describe('prepareStep', () => {
  const step = (more: object = {}) => ({ messages: [user], stepNumber: 0, ...more }) as never

  it('changes nothing while nothing can change', async () => {
    expect(await preflight([readFirst]).prepareStep(step())).toBeUndefined()
    const own = { temperature: 0.1 }
    const { prepareStep } = preflight([readFirst], { prepareStep: () => own })
    expect(await prepareStep(step())).toBe(own)
  })

  it.each<[string, PreflightSkills, PreflightOptions]>([
    ['skills fail', () => failure(), force],
    ['state fails', [readFirst], { ...force, state: failure }],
    ['state is a promise', [readFirst], { ...force, state: async () => ({}) }],
    ['called fails', [readFirst], { ...force, called: failure }],
    ['the log fails as well', [readFirst], { ...force, state: failure, logger: brokenLog }],
  ])('never throws: when %s, it forces and tells nothing', async (_case, skills, options) => {
    const { instructions, prepareStep } = preflight(skills, { instructions: 'Own.', ...options })
    expect(instructions.at(0)?.content).toBe('Own.')
    expect(await prepareStep(step({ instructions }))).toBeUndefined()
  })

  it('gives each step an array of its own, with the messages that the app gave', async () => {
    const messages = [user]
    const { prepareStep } = preflight([readFirst], { prepareStep: () => ({ messages }) })
    const [one, other] = [await prepareStep(step()), await prepareStep(step())]
    expect([one, other]).toEqual([{ messages }, { messages }])
    expect(new Set([messages, one?.messages, other?.messages]).size).toBe(3)
  })

  it('decides on the messages that the app will send', async () => {
    const done = { toolCallId: 'c1', toolName: 'read', output: { type: 'text', value: 'x' } }
    const messages = [user, { role: 'tool', content: [{ type: 'tool-result', ...done }] }]
    const { prepareStep } = preflight([readFirst], {
      ...force,
      prepareStep: ({ stepNumber }) => (stepNumber === 1 ? { messages: [user] } : undefined),
    })
    const chosen = async (stepNumber: number) =>
      (await prepareStep(step({ messages, stepNumber })))?.toolChoice
    expect([await chosen(0), await chosen(1)]).toEqual([forced('cancel'), forced('read')])
  })

  it('asks for a live state once in a step that tells the rules and forces a tool', async () => {
    const lines: string[] = []
    const logger = { debug: (line: string) => lines.push(line), warn: () => {} }
    let asked = 0
    const state = () => {
      asked += 1
      return {}
    }
    const onSlack = defineSkill({
      label: 'Slack',
      actionTool: 'tell',
      precondition: [{ state: { path: 'platform', op: 'eq', value: 'slack' } }],
    })
    const { prepareStep } = preflight([readFirst, onSlack], { ...force, state, logger })
    asked = lines.length = 0
    const prepared = await prepareStep(step({}))
    expect(prepared).toMatchObject({ instructions: [{}], toolChoice: forced('read') })
    expect(asked).toBe(1)
    expect(lines).toEqual([expect.stringContaining('skill `Slack` dropped this turn')])
  })

  it('takes its own rules out of instructions before it writes them anew', async () => {
    let skills: readonly Skill[] = [readFirst]
    const { instructions, prepareStep } = preflight(() => skills, { instructions: 'Own.' })
    expect(instructions).toHaveLength(2)
    skills = []
    const prepared = await prepareStep(step({ instructions }))
    expect(prepared?.instructions).toEqual([{ role: 'system', content: 'Own.' }])
  })
})

const brokenLog = { debug: failure, warn: failure }

function failure(): never {
  throw new Error('down')
}

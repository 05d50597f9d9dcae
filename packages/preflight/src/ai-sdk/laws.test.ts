import { generateText, isStepCount, type ModelMessage, type ToolSet, tool } from 'ai'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type PreflightOptions, type PreflightSkills, preflight } from '../ai-sdk.ts'
import { defineSkill } from '../define-skill.ts'
import { indexByActionTool, judgeCall } from '../gate.ts'
import { filterSkillsByStatePredicates } from '../select-skills.ts'
import type { Skill } from '../skill.ts'
import { type HistoryEntry, toolsCalledThisTurn } from '../tool-history.ts'
import { resultsIn, scriptedModel } from './sdk-runs.test-d.ts'

// The adapter adds messages, siblings and an SDK to the core's gate, and nothing else: whatever the
// skills, the state, the history and the timing, it refuses exactly what the core refuses.

describe('wrapped tools', () => {
  it('refuse a call exactly when judgeCall does, with the same words', async () => {
    await fc.assert(
      fc.asyncProperty(skills, state, history, tool$, async (all, now, past, toolName) => {
        const { active } = filterSkillsByStatePredicates(all, now)
        const verdict = judgeCall(indexByActionTool(active), toolName, toolsCalledThisTurn(past))
        const messages = past.flatMap(asMessages)
        for (const adapter of [
          preflight(all, { state: now }),
          preflight(() => all, { state: () => now }),
        ]) {
          const execute = adapter.wrapTools(desk([]))[toolName]?.execute
          const about = { toolCallId: 'c', messages: [...messages] } as never
          const said = await Promise.resolve(execute?.({}, about)).catch(String)
          expect(said).toBe(verdict.allowed ? `${toolName} done` : verdict.refusal.message)
        }
      }),
      { numRuns: 300 },
    )
  })

  it('and toolApproval agree about a call that stands alone', async () => {
    await fc.assert(
      fc.asyncProperty(skills, state, history, tool$, async (all, now, past, toolName) => {
        const { active } = filterSkillsByStatePredicates(all, now)
        const verdict = judgeCall(indexByActionTool(active), toolName, toolsCalledThisTurn(past))
        const { toolApproval, wrapTools } = preflight(all, { state: now })
        const asked = {
          toolCall: { type: 'tool-call', toolCallId: 'c', toolName, input: {} },
          tools: wrapTools(desk([])),
          toolsContext: {},
          runtimeContext: {},
          messages: past.flatMap(asMessages),
        } as never
        expect(await toolApproval(asked)).toEqual(
          verdict.allowed ? undefined : { type: 'denied', reason: verdict.refusal.message },
        )
      }),
      { numRuns: 200 },
    )
  })

  it('run the calls of a step as if one by one, in every timing and with every concurrency', async () => {
    await fc.assert(
      fc.asyncProperty(
        skills,
        state,
        fc.array(fc.array(plannedCall, { minLength: 1, maxLength: 6 }), {
          minLength: 1,
          maxLength: 3,
        }),
        fc.constantFrom(undefined, 1, 2, 3),
        fc.boolean(),
        async (all, now, steps, toolCallConcurrency, withApproval) => {
          const log: string[] = []
          const { active } = filterSkillsByStatePredicates(all, now)
          const { instructions, prepareStep, toolApproval, wrapTools } = preflight(all, {
            state: now,
          })
          const { model } = scriptedModel(
            steps.map((calls) => calls.map((call) => [call.toolName, call] as const)),
          )
          const result = await generateText({
            model,
            instructions,
            prepareStep,
            prompt: 'go',
            tools: wrapTools(desk(log)),
            stopWhen: isStepCount(5),
            ...(withApproval && { toolApproval }),
            ...(toolCallConcurrency !== undefined && { toolCallConcurrency }),
          })
          expect(resultsIn(result.responseMessages).map(outcomeOf)).toEqual(
            oneByOne(active, steps.flat(), log),
          )
        },
      ),
      { numRuns: 100 },
    )
  })

  it.each<[string, (book: Book) => readonly [PreflightSkills, PreflightOptions]]>([
    ['the state', (book) => [book.skills, { state: () => ({ platform: book.platform }) }]],
    ['the skills', (book) => [() => book.skills, {}]],
    ['a record of calls', (book) => [book.skills, { called: () => recordOf(book) }]],
    [
      'the state, the skills and a record',
      (book) => [
        () => book.skills,
        { state: () => ({ platform: book.platform }), called: () => recordOf(book) },
      ],
    ],
  ])('run the calls of a step as if one by one, though calls change %s', async (kind, read) => {
    await fc.assert(
      fc.asyncProperty(
        tightSkills,
        tightSkills,
        fc.constantFrom('slack', 'web'),
        fc.subarray(['a', 'b']),
        fc.array(changingCall, { minLength: 1, maxLength: 6 }),
        fc.constantFrom(undefined, 1, 2, 3),
        fc.boolean(),
        async (all, others, platform, before, calls, toolCallConcurrency, withApproval) => {
          const record = kind.includes('record')
          const begin = (): Book => ({
            skills: all,
            platform,
            called: new Set(before),
            isLost: false,
          })
          const change = (book: Book, { toolName, fails, to }: ChangingCall) => {
            if (to === 'elsewhere') book.platform = platform === 'web' ? 'slack' : 'web'
            if (to === 'others') book.skills = kind.includes('skills') ? others : all
            if (to === 'lost') book.isLost = true
            if (!fails) book.called.add(toolName)
          }
          const log: string[] = []
          const book = begin()
          const { instructions, prepareStep, toolApproval, wrapTools } = preflight(...read(book))
          const tools = desk(log, (call) => change(book, call as ChangingCall))
          const { model } = scriptedModel([calls.map((call) => [call.toolName, call] as const)])
          const result = await generateText({
            model,
            instructions,
            prepareStep,
            prompt: 'go',
            tools: wrapTools(tools),
            stopWhen: isStepCount(2),
            ...(withApproval && { toolApproval }),
            ...(toolCallConcurrency !== undefined && { toolCallConcurrency }),
          })

          const now = begin()
          const succeeded = new Set<string>()
          const ran: string[] = []
          const outcomes = calls.map((call) => {
            const { toolName, fails } = call
            const state = kind.includes('state') ? { platform: now.platform } : undefined
            const { active } = filterSkillsByStatePredicates(now.skills, state)
            const called = record ? recordOf(now) : succeeded
            if (!judgeCall(indexByActionTool(active), toolName, called).allowed) {
              return `${toolName} refused`
            }
            ran.push(toolName)
            change(now, call)
            if (!fails) succeeded.add(toolName)
            return `${toolName} ${fails ? 'failed' : 'done'}`
          })
          // What is denied for good by an approval stands before the results.
          const said = resultsIn(result.responseMessages).map(outcomeOf)
          expect(withApproval ? said.toSorted() : said).toEqual(
            withApproval ? outcomes.toSorted() : outcomes,
          )
          expect(log.toSorted()).toEqual(ran.toSorted())
          expect(book).toEqual(now)
        },
      ),
      { numRuns: 150 },
    )
  })
})

/**
 * What an app's functions read, and its tools change: each trait in one direction only, for calls
 * that no rule is about run beside each other, and which of them writes last is theirs to settle.
 */
interface Book {
  skills: readonly Skill[]
  platform: string
  readonly called: Set<string>
  isLost: boolean
}

function recordOf({ called, isLost }: Book): ReadonlySet<string> {
  return isLost ? new Set() : new Set(called)
}

/** A call that a model makes, and how its tool will take it. */
interface PlannedCall {
  readonly toolName: string
  readonly fails: boolean
  readonly turns: number
}

/** A call that changes what the app's functions read, when it ends. */
interface ChangingCall extends PlannedCall {
  readonly to: 'elsewhere' | 'others' | 'lost' | 'nothing'
}

/** What comes of calls that run one after another, each judged on what came of those before. */
function oneByOne(
  active: readonly Skill[],
  calls: readonly PlannedCall[],
  log: string[],
): string[] {
  const index = indexByActionTool(active)
  const called = new Set<string>()
  const ran: string[] = []
  const outcomes = calls.map(({ toolName, fails }) => {
    if (!judgeCall(index, toolName, called).allowed) return `${toolName} refused`
    ran.push(toolName)
    if (!fails) called.add(toolName)
    return `${toolName} ${fails ? 'failed' : 'done'}`
  })
  expect(log.toSorted()).toEqual(ran.toSorted())
  return outcomes
}

function outcomeOf(result: string): string {
  const toolName = result.slice(0, result.indexOf(':'))
  const how = ['refused', 'failed', 'done'].find((word) => result.includes(word))
  return `${toolName} ${how}`
}

const names = ['a', 'b', 'c', 'd', 'e']
const tool$ = fc.constantFrom(...names)

/** Tools that take as many turns of the microtask queue as their input says. */
function desk(log: string[], onEnd: (call: object) => void = () => {}): ToolSet {
  const inputSchema = z.looseObject({
    fails: z.boolean().default(false),
    turns: z.number().default(0),
  })
  return Object.fromEntries(
    names.map((name) => [
      name,
      tool({
        inputSchema,
        execute: async (call) => {
          const { fails, turns } = call
          log.push(name)
          for (let turn = 0; turn < (turns ?? 0); turn += 1) await undefined
          if (turns === 9) await new Promise((resolve) => setTimeout(resolve, 1))
          onEnd(call)
          if (fails) throw new Error(`${name} failed`)
          return `${name} done`
        },
      }),
    ]),
  )
}

const skills = fc.array(
  fc
    .record(
      {
        label: fc.constantFrom('one', 'two', 'three'),
        actionTool: tool$,
        precondition: fc.array(
          fc.oneof(
            { weight: 4, arbitrary: tool$ },
            {
              weight: 1,
              arbitrary: fc.constantFrom({
                state: { path: 'platform', op: 'eq' as const, value: 'slack' },
              }),
            },
          ),
          { maxLength: 3 },
        ),
      },
      { requiredKeys: ['label'] },
    )
    .map(defineSkill),
  { maxLength: 6 },
)
const state = fc.constantFrom({ platform: 'slack' }, { platform: 'web' }, {})

const history = fc.array(
  fc.oneof(
    { weight: 1, arbitrary: fc.constant<HistoryEntry>({ type: 'user' }) },
    {
      weight: 5,
      arbitrary: fc
        .tuple(tool$, fc.boolean())
        .map(([toolName, failed]): HistoryEntry => ({ type: 'tool-result', toolName, failed })),
    },
  ),
  { maxLength: 12 },
)

const plannedCall: fc.Arbitrary<PlannedCall> = fc.record({
  toolName: tool$,
  fails: fc.boolean(),
  turns: fc.constantFrom(0, 0, 1, 3, 9),
})

/** Few tools and many conditions on the state: rules that a call of the same step turns. */
const tightSkills = fc.array(
  fc
    .record({
      label: fc.constant('x'),
      actionTool: fc.constantFrom('a', 'b', 'c'),
      precondition: fc.tuple(
        fc.constantFrom('a', 'b', 'e'),
        fc.constantFrom('slack', 'web').map((value) => ({
          state: { path: 'platform', op: 'eq' as const, value },
        })),
      ),
    })
    .chain((skill) =>
      fc.constantFrom(skill, { ...skill, precondition: skill.precondition.slice(0, 1) }),
    )
    .map(defineSkill),
  { minLength: 1, maxLength: 3 },
)

const tightCall = fc
  .tuple(plannedCall, fc.constantFrom('a', 'b', 'c', 'd'))
  .map(([call, toolName]) => ({ ...call, toolName }))

const changingCall: fc.Arbitrary<ChangingCall> = fc
  .tuple(tightCall, fc.constantFrom('elsewhere', 'others', 'lost', 'nothing'))
  .map(([call, to]) => ({ ...call, to }))

function asMessages(entry: HistoryEntry): ModelMessage[] {
  if (entry.type === 'user') return [{ role: 'user', content: 'go on' }]
  const { toolName, failed } = entry
  const call = { toolCallId: 'p', toolName }
  return [
    { role: 'assistant', content: [{ ...call, type: 'tool-call', input: {} }] },
    {
      role: 'tool',
      content: [
        {
          ...call,
          type: 'tool-result',
          output: { type: failed ? 'error-text' : 'text', value: 'x' },
        },
      ],
    },
  ]
}

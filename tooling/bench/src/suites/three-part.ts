import { evaluatePrecondition, parsePrecondition } from '@symfonic/predicates'
import jsonLogic from 'json-logic-js'
import { Engine } from 'json-rules-engine'
import siftModule from 'sift'
import type { Suite } from '../suite.ts'

const roles = ['agent', 'supervisor', 'admin']

/**
 * The platform is slack, the role is one of three, there is an order: asked by us and by three
 * public packages, each in its own idiom and prepared as far as its documentation shows.
 */
export const threePart: Suite = {
  name: 'predicates/three-part',
  prepare: async () => {
    const ours = 'evaluatePrecondition'
    const contenders = [
      { name: ours, ...askOurs() },
      { name: 'sift', ...askSift() },
      { name: 'json-logic-js', ...askJsonLogic() },
      { name: 'json-rules-engine', ...askRulesEngine() },
    ]
    for (const { name, ask } of contenders) await assertVerdicts(name, ask)
    return {
      contenders: contenders.map(({ name, askAll }) => ({
        name,
        units: states.length,
        work: askAll,
      })),
      comparisons: [
        { name: `${ours} / sift`, ours, theirs: 'sift', bound: 0.4 },
        { name: `${ours} / json-logic-js`, ours, theirs: 'json-logic-js', bound: 0.2 },
        { name: `${ours} / json-rules-engine`, ours, theirs: 'json-rules-engine', bound: 0.01 },
      ],
    }
  },
}

// Each has a loop of its own: in a shared one the engine could inline none of them.

function askOurs() {
  const precondition = parsePrecondition([
    { state: { path: 'page_context.platform', op: 'eq', value: 'slack' } },
    { state: { path: 'user.role', op: 'in', value: roles } },
    { state: { path: 'order.id', op: 'exists' } },
  ])
  const ask = (state: object) => evaluatePrecondition(precondition, state)
  return {
    ask,
    askAll: () => {
      let held = 0
      for (const { state } of states) if (ask(state)) held += 1
      return held
    },
  }
}

function askSift() {
  const ask = siftModule.default<object>({
    'page_context.platform': 'slack',
    'user.role': { $in: roles },
    'order.id': { $exists: true },
  })
  return {
    ask: (state: object) => ask(state),
    askAll: () => {
      let held = 0
      for (const { state } of states) if (ask(state)) held += 1
      return held
    },
  }
}

function askJsonLogic() {
  const rule = {
    and: [
      { '===': [{ var: 'page_context.platform' }, 'slack'] },
      { in: [{ var: 'user.role' }, roles] },
      { '!==': [{ var: 'order.id' }, null] },
    ],
  } as Parameters<typeof jsonLogic.apply>[0]
  const ask = (state: object): boolean => jsonLogic.apply(rule, state)
  return {
    ask,
    askAll: () => {
      let held = 0
      for (const { state } of states) if (ask(state)) held += 1
      return held
    },
  }
}

function askRulesEngine() {
  const engine = new Engine([], { allowUndefinedFacts: true })
  engine.addOperator<unknown, unknown>('present', (seen) => seen !== undefined)
  engine.addRule({
    conditions: {
      all: [
        { fact: 'page_context', path: '$.platform', operator: 'equal', value: 'slack' },
        { fact: 'user', path: '$.role', operator: 'in', value: roles },
        { fact: 'order', path: '$.id', operator: 'present', value: true },
      ],
    },
    event: { type: 'held' },
  })
  const ask = async (state: object) => (await engine.run(state)).events.length > 0
  return {
    ask,
    askAll: async () => {
      let held = 0
      for (const { state } of states) if (await ask(state)) held += 1
      return held
    },
  }
}

async function assertVerdicts(
  name: string,
  ask: (state: object) => boolean | Promise<boolean>,
): Promise<void> {
  for (const { state, holds } of states) {
    if ((await ask(state)) === holds) continue
    throw new Error(`${name} should say ${holds} of ${JSON.stringify(state)}. Correct its rule.`)
  }
}

/**
 * States as one host writes them: the same keys, other values, now and then something missing. Most
 * hold, so that mostly all three parts are asked.
 */
const states: readonly { readonly state: object; readonly holds: boolean }[] = [
  { state: stateOf('slack', 'agent', { id: 'A-1', open: true }), holds: true },
  { state: stateOf('slack', 'supervisor', { id: 'A-2', open: false }), holds: true },
  { state: stateOf('slack', 'admin', { id: 'A-3', open: true }), holds: true },
  { state: stateOf('slack', 'agent', { id: 'A-4', open: true }), holds: true },
  { state: stateOf('slack', 'supervisor', { id: 'A-5', open: true }), holds: true },
  { state: stateOf('slack', 'admin', { id: 'A-6', open: false }), holds: true },
  { state: stateOf('web', 'agent', { id: 'A-7', open: true }), holds: false },
  { state: stateOf('slack', 'guest', { id: 'A-8', open: true }), holds: false },
  { state: stateOf('slack', 'agent', { open: false }), holds: false },
  { state: { page_context: { platform: 'slack', thread: '17' } }, holds: false },
]

function stateOf(platform: string, role: string, order: object): object {
  return { page_context: { platform, thread: '17' }, user: { role, name: 'Ola' }, order }
}

import { describe, expect, it } from 'vitest'
import { ReplayError } from './errors.ts'
import { parseTask } from './parse-task.ts'
import { callsOf } from './replay.ts'

const place = { file: 'tasks.jsonl', line: 3 }
const turn = (user: string[], ...names: string[]) => ({
  user,
  calls: names.map((name) => ({ name, args: { of: name } })),
})

describe('parseTask', () => {
  it('makes a recording of the right calls, one a message, all done', () => {
    const initialState = { CarAPI: { engine: 'off' } }
    const turns = [turn(['go'], 'press', 'start'), turn(['on'], 'cruise')]
    const recording = parseTask({ id: 't', variant: 'base', initialState, turns }, place)
    expect(recording).toMatchObject({
      ...{ id: 't', source: 'task-base', domain: 'apis', reward: undefined },
      startState: initialState,
    })
    expect(recording.turns.map(({ asked, steps }) => [asked, steps.length])).toEqual([
      [['go'], 2],
      [['on'], 1],
    ])
    expect(callsOf(recording).map(({ call }) => call)).toEqual(
      ['press', 'start', 'cruise'].map((name, index) => ({
        id: ['turn 1, call 1', 'turn 1, call 2', 'turn 2, call 1'][index],
        ...{ name, args: { of: name }, result: { content: 'done', isError: false } },
      })),
    )
  })

  it.each([
    { what: 'without calls is not answered', turns: [turn(['hi']), turn(['go'], 'a')], asked: 2 },
    { what: 'in which nobody asks goes on', turns: [turn(['hi'], 'a'), turn([], 'b')], asked: 1 },
  ])('a turn $what', ({ turns, asked }) => {
    const recording = parseTask({ id: 't', initialState: {}, turns }, place)
    expect(recording.turns).toHaveLength(1)
    expect(recording.turns[0]?.asked).toHaveLength(asked)
    expect(recording.source).toBe('task-unknown')
  })

  it.each([
    { what: 'no object', value: 7, path: '' },
    { what: 'no id', value: { initialState: {}, turns: [] }, path: 'id' },
    { what: 'no list of turns', value: { id: 't', initialState: {}, turns: {} }, path: 'turns' },
    {
      what: 'a call without a name',
      value: { id: 't', initialState: {}, turns: [{ user: [], calls: [{ args: {} }] }] },
      path: 'turns.0.calls.0.name',
    },
  ])('refuses $what, and says where', ({ value, path }) => {
    const parse = () => parseTask(value, place)
    expect(parse).toThrow(ReplayError)
    expect(parse).toThrow(
      expect.objectContaining({
        code: 'REPLAY_RECORD_INVALID',
        details: { file: 'tasks.jsonl', line: 3, path },
      }),
    )
  })
})

import { generateText, streamText } from 'ai'
import { describe, expect, it } from 'vitest'
import { createRecordedModel, type RecordedModel } from './recorded-model.ts'
import type { RecordedStep, RecordedTurn } from './recording.ts'

const call = { id: 'a', name: 'look', args: {}, result: { content: 'seen', isError: false } }
const calling: RecordedStep = { messageIndex: 1, content: 'let me see', calls: [call] }
const answering: RecordedStep = { messageIndex: 3, content: 'it is fine', calls: [] }
const turnOf = (...steps: RecordedStep[]): RecordedTurn => ({ asked: ['hi'], steps })

const callers = [
  {
    way: 'blocking',
    ask: async ({ model }: RecordedModel) => {
      const { text, toolCalls } = await generateText({ model, prompt: 'hi', maxRetries: 0 })
      return { text, calls: toolCalls.map(({ toolCallId }) => toolCallId) }
    },
  },
  {
    way: 'streaming',
    ask: async ({ model }: RecordedModel) => {
      let failure: unknown
      const result = streamText({
        model,
        prompt: 'hi',
        maxRetries: 0,
        onError: ({ error }) => {
          failure = error
        },
      })
      await result.consumeStream()
      if (failure !== undefined) throw failure
      const calls = (await result.toolCalls).map(({ toolCallId }) => toolCallId)
      return { text: await result.text, calls }
    },
  },
]

describe.each(callers)('a recorded model, $way', ({ ask }) => {
  it('repeats the steps of a turn in order', async () => {
    const recorded = createRecordedModel()
    recorded.beginTurn(turnOf(calling, answering))
    expect(recorded.currentStep()).toBeUndefined()
    expect(await ask(recorded)).toEqual({ text: 'let me see', calls: ['a'] })
    expect(recorded.currentStep()).toBe(calling)
    expect(await ask(recorded)).toEqual({ text: 'it is fine', calls: [] })
    expect(recorded.currentStep()).toBe(answering)
    recorded.endTurn()
  })

  it('complains when it is asked for a step the record does not have', async () => {
    const recorded = createRecordedModel()
    recorded.beginTurn(turnOf(answering))
    await ask(recorded)
    await expect(ask(recorded)).rejects.toMatchObject({
      name: 'ReplayError',
      code: 'REPLAY_STEP_MISSING',
      details: { steps: 1 },
    })
  })

  it('complains when it is asked before any turn has begun', async () => {
    await expect(ask(createRecordedModel())).rejects.toMatchObject({ code: 'REPLAY_STEP_MISSING' })
  })
})

describe('a turn of a recorded model', () => {
  it.each([
    { what: 'after a result', turn: turnOf(calling), answers: 2 },
    { what: 'with the word of the user', turn: turnOf(), answers: 1 },
  ])('that breaks off $what is ended by one answer of nothing', async ({ turn, answers }) => {
    const recorded = createRecordedModel()
    recorded.beginTurn(turn)
    let last: unknown
    for (let answer = 0; answer < answers; answer += 1) {
      last = await recorded.model.doGenerate({ prompt: [] })
    }
    expect(last).toMatchObject({ content: [], finishReason: { unified: 'stop' } })
    expect(recorded.currentStep()).toBeUndefined()
    recorded.endTurn()
    await expect(recorded.model.doGenerate({ prompt: [] })).rejects.toThrow('one more was asked')
  })

  it('complains when it ends before all of its steps were asked for', async () => {
    const recorded = createRecordedModel()
    recorded.beginTurn(turnOf(calling, answering))
    await recorded.model.doGenerate({ prompt: [] })
    expect(() => recorded.endTurn()).toThrow(
      expect.objectContaining({ code: 'REPLAY_STEP_UNPLAYED', details: { unplayed: 1, steps: 2 } }),
    )
  })

  it('begins at its first step whatever the turn before has come to', async () => {
    const recorded = createRecordedModel()
    recorded.beginTurn(turnOf(calling, answering))
    await recorded.model.doGenerate({ prompt: [] })
    recorded.beginTurn(turnOf(answering))
    await recorded.model.doGenerate({ prompt: [] })
    expect(recorded.currentStep()).toBe(answering)
    recorded.endTurn()
  })
})

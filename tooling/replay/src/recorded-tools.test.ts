import { describe, expect, it } from 'vitest'
import { recordedTools } from './recorded-tools.ts'
import type { RecordedStep, Recording } from './recording.ts'

const stepOf = (content: string, isError: boolean): RecordedStep => ({
  ...{ messageIndex: 1, content: '' },
  calls: [{ id: 'a', name: 'look', args: {}, result: { content, isError } }],
})
const recordingOf = (...steps: RecordedStep[]): Recording => ({
  ...{ id: 'r', source: 's', domain: 'd', reward: 1, opening: [] },
  ...{ turns: [{ asked: ['hi'], steps }], setAside: { ofUserDevice: 0, empty: 0 } },
})
const call = (toolCallId: string) => ({ toolCallId, messages: [], context: {} })

describe('recordedTools', () => {
  it('has each tool of the recording once', () => {
    const step = stepOf('seen', false)
    const tools = recordedTools(recordingOf(step, step), () => step)
    expect(Object.keys(tools)).toEqual(['look'])
  })

  it.each([
    { what: 'a result', isError: false, type: 'text' },
    { what: 'a failure', isError: true, type: 'error-text' },
  ])('answers with $what word for word', async ({ isError, type }) => {
    const step = stepOf(' Error: \u0000 {', isError)
    const { look } = recordedTools(recordingOf(step), () => step)
    const output = await look?.execute?.({}, call('a'))
    expect(look?.toModelOutput?.({ toolCallId: 'a', input: {}, output })).toEqual({
      ...{ type, value: ' Error: \u0000 {' },
    })
  })

  it.each([
    { what: 'of another step', id: 'b', current: stepOf('seen', false) },
    { what: 'when nothing is played', id: 'a', current: undefined },
  ])('complains about a call $what', ({ id, current }) => {
    const { look } = recordedTools(recordingOf(stepOf('seen', false)), () => current)
    expect(() => look?.execute?.({}, call(id))).toThrow(
      expect.objectContaining({ code: 'REPLAY_STEP_MISSING', details: { toolCallId: id } }),
    )
  })
})

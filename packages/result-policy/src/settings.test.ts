import { describe, expect, it } from 'vitest'
import { ResultPolicyError } from './errors.ts'
import { defaultSettings, defineSettings, ruleOf, settingsFromState } from './settings.ts'

describe('settings', () => {
  it('have a default for everything', () => {
    expect(defineSettings()).toEqual(defaultSettings)
    expect(defineSettings({ minChars: undefined })).toEqual(defaultSettings)
    expect(Object.isFrozen(defineSettings({}))).toBe(true)
  })

  it('hold the priors of the specification', () => {
    expect(defaultSettings).toMatchObject({
      enabled: true,
      expectedConversationDepth: 10,
      expectedRecallProbability: 0.2,
    })
  })

  it.each([
    ['unknown', { foo: 1 }],
    ['enabled', { enabled: 1 }],
    ['minChars', { minChars: '1000' }],
    ['minChars', { minChars: Number.NaN }],
    ['minChars', { minChars: 500 }],
    ['keepRecentResults', { keepRecentResults: -1 }],
    ['keepRecentResults', { keepRecentResults: 1.5 }],
    ['expectedConversationDepth', { expectedConversationDepth: 0 }],
    ['expectedRecallProbability', { expectedRecallProbability: 1.1 }],
    ['modelName', { modelName: null }],
    ['largeOffloadThresholdChars', { largeOffloadThresholdChars: Number.POSITIVE_INFINITY }],
    ['stubMaxChars', { stubMaxChars: 100 }],
    ['recallMaxChars', { recallMaxChars: 10 }],
    ['cache', { cache: '2h' }],
    ['tools', { tools: [] }],
    ['tools.search', { tools: { search: 'sometimes' } }],
    ['tools.search', { tools: { search: { offloadAboveChars: 0 } } }],
    ['tools.search', { tools: { search: { offloadAboveChars: 500 } } }],
    ['tools.search', { minChars: 2000, tools: { search: { offloadAboveChars: 1999 } } }],
  ])('refuse a wrong %s and name it', (key, source) => {
    const wanted = { code: 'RESULT_SETTING_INVALID', message: expect.stringMatching(/\.$/) }
    expect(() => defineSettings(source as never)).toThrow(expect.objectContaining(wanted))
    expect(refusalOf(source).details['key']).toBe(key === 'unknown' ? 'foo' : key)
  })

  it.each([null, 'x', [], 3])('refuse %j as settings', (source) => {
    expect(() => defineSettings(source as never)).toThrow(ResultPolicyError)
  })

  it('never let a stub be long enough to be stubbed', () => {
    expect(() => defineSettings({ minChars: 1500, stubMaxChars: 1600 })).toThrow(/stubMaxChars/)
    expect(defineSettings({ minChars: 1600, stubMaxChars: 1600 }).minChars).toBe(1600)
  })

  it('take no length of a tool that would change nothing, and say which would', () => {
    const tools = { search: { offloadAboveChars: 500 } }
    expect(() => defineSettings({ tools })).toThrow(/cannot be 500\. .* at least minChars, 1000: /)
    const settings = { minChars: 400, stubMaxChars: 400, tools }
    expect(defineSettings(settings).tools).toEqual(tools)
  })

  it('know the rules of tools by their own names only', () => {
    const tools = { search: 'never', big: { offloadAboveChars: 1000 } } as const
    const settings = defineSettings({ tools })
    expect(ruleOf(settings, 'search')).toBe('never')
    expect(ruleOf(settings, 'big')).toEqual({ offloadAboveChars: 1000 })
    expect(ruleOf(settings, 'constructor')).toBeUndefined()
    expect(ruleOf(settings, '__proto__')).toBeUndefined()
  })
})

describe('settings from a state', () => {
  it.each([
    [undefined],
    [null],
    ['text'],
    [[1]],
    [{}],
    [{ other: 1 }],
    [{ _tool_compaction: null }],
  ])('are the defaults for %j', (state) => {
    expect(settingsFromState(state)).toEqual(defaultSettings)
  })

  it('are read from snake_case', () => {
    const entry = {
      enabled: false,
      min_chars: 2000,
      expected_conversation_depth: 7,
      expected_recall_probability: 0.25,
      model_name: 'm',
      large_offload_threshold_chars: 1003,
    }
    expect(settingsFromState({ _tool_compaction: entry })).toEqual({
      ...defaultSettings,
      enabled: false,
      minChars: 2000,
      expectedConversationDepth: 7,
      expectedRecallProbability: 0.25,
      modelName: 'm',
      largeOffloadThresholdChars: 1003,
    })
  })

  it('are not read from what the state inherits', () => {
    const state = Object.create({ _tool_compaction: { enabled: false } })
    expect(settingsFromState(state).enabled).toBe(true)
  })

  it('are refused when the entry is no mapping', () => {
    expect(() => settingsFromState({ _tool_compaction: [1] })).toThrow(ResultPolicyError)
  })
})

function refusalOf(source: unknown): ResultPolicyError {
  try {
    defineSettings(source as never)
  } catch (error) {
    if (error instanceof ResultPolicyError) return error
  }
  throw new Error('It was not refused.')
}

import { describe, expect, it, vi } from 'vitest'
import { createPluginRoster } from './admission.ts'
import { guardTools } from './ai-sdk/guard-tools.ts'
import { buildInstructions } from './ai-sdk/instructions.ts'
import { checkOptions } from './check-options.ts'
import { collectContributions } from './collect.ts'
import { createGuard } from './guard.ts'
import { createPluginPromptSection } from './prompt-section.ts'
import { buildRenderState } from './render-state.ts'

const state = buildRenderState()
const doors: [string, (options: never) => unknown, string[]][] = [
  ['createGuard', (options) => createGuard([], options), ['timeLimitMs', 'onDecision', 'logger']],
  [
    'guardTools',
    (options) => guardTools({}, [], options),
    ['timeLimitMs', 'onDecision', 'logger', 'context'],
  ],
  [
    'buildInstructions',
    (options) => buildInstructions([], {}, options),
    ['logger', 'timeLimitMs', 'signal', 'onLeftOut', 'instructions', 'cacheTtl', 'cacheBreakpoint'],
  ],
  ['createPluginRoster', createPluginRoster, ['section', 'logger', 'timeLimitMs']],
  [
    'createPluginPromptSection',
    createPluginPromptSection,
    ['logger', 'timeLimitMs', 'name', 'priority', 'cacheBreakpoint', 'cacheTtl'],
  ],
  [
    'collectContributions',
    (options) => collectContributions([], state, options),
    ['logger', 'latch', 'timeLimitMs', 'signal', 'onLeftOut'],
  ],
]

describe.each(doors)('the options of %s', (who, open, known) => {
  const attempt = async (options: unknown) => open(options as never)

  it.each(['timeLimit', 'time_limit_ms', 'onDecisions', '__proto__', 'toString'])(
    'do not have %s, and it is not ignored',
    async (option) => {
      const options = Object.defineProperty({}, option, { value: 5, enumerable: true })
      await expect(attempt(options)).rejects.toMatchObject({
        code: 'PLUGIN_OPTION_INVALID',
        details: { option, known },
        message: `${who} has no option "${option}". Give only ${known.join(', ')}.`,
      })
    },
  )

  it.each(known.map((option) => [option]))('refuse a %s of the wrong type', async (option) => {
    for (const value of [Symbol.iterator, Number.NaN]) {
      await expect(attempt({ [option]: value })).rejects.toMatchObject({
        code: 'PLUGIN_OPTION_INVALID',
        details: { option },
        message: expect.stringMatching(/(Give|Write) [^.]+\.$/),
      })
    }
  })

  it.each([null, 5, 'x', []])('are no %j', async (options) => {
    await expect(attempt(options)).rejects.toMatchObject({
      code: 'PLUGIN_OPTION_INVALID',
      details: { option: 'options' },
    })
  })

  it('may all be undefined, which is absent', async () => {
    const none = Object.fromEntries(known.map((option) => [option, undefined]))
    await expect(attempt(none)).resolves.toBeDefined()
    await expect(attempt(undefined)).resolves.toBeDefined()
  })
})

describe('checkOptions', () => {
  const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }

  it.each<[Parameters<typeof checkOptions>[2][string], unknown, unknown]>([
    ['text', '', 7],
    ['number', -1, '1'],
    ['number', 0, Number.POSITIVE_INFINITY],
    ['flag', false, 'no'],
    ['function', () => {}, {}],
    ['logger', logger, { ...logger, error: undefined }],
    ['logger', console, null],
    ['signal', new AbortController().signal, { aborted: false }],
    ['section', createPluginPromptSection(), {}],
    ['context', { a: 1 }, 5],
    ['context', () => ({}), null],
    ['instructions', '', 5],
    ['instructions', [], null],
    ['checked later', 5, undefined],
  ])('takes for %s what it is', (kind, right, wrong) => {
    const check = (value: unknown) => () => checkOptions('f', { a: value }, { a: kind })
    expect(check(right)).not.toThrow()
    if (wrong === undefined) return
    expect(check(wrong)).toThrow(expect.objectContaining({ details: { option: 'a' } }))
  })
})

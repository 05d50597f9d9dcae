import { describe, expect, it } from 'vitest'
import type { ContributionSource } from '../contribution.ts'
import type { DomainPlugin } from '../plugin.ts'
import { buildInstructions } from './instructions.ts'
import { runs } from './sdk-runs.test-d.ts'

const writes = (name: string, ...sources: ContributionSource[]): DomainPlugin => ({
  name,
  injectContributions: () => sources,
})
const marked = (content: string, ttl?: string) => ({
  role: 'system',
  content,
  providerOptions: {
    anthropic: {
      cacheControl: ttl === undefined ? { type: 'ephemeral' } : { type: 'ephemeral', ttl },
    },
  },
})
const plain = (content: string) => ({ role: 'system', content })

const rules = writes('rules', { content: 'Be kind.', cacheTtl: '1h' })
const clock = writes('clock', { content: 'It is noon.', position: 'volatile', cacheTtl: '1h' })

describe('buildInstructions', () => {
  it('marks the cached text with its lifetime, and not the volatile text behind it', async () => {
    expect(await buildInstructions([clock, rules])).toEqual([
      marked('### rules\nBe kind.', '1h'),
      plain('### clock\nIt is noon.'),
    ])
  })

  it.each<[string, DomainPlugin[], object, unknown[]]>([
    ['no plugins', [], {}, []],
    ['no text', [writes('a', { content: '' }), writes('b')], {}, []],
    ['volatile text alone', [clock], {}, [plain('### clock\nIt is noon.')]],
    ['no wish for a lifetime', [writes('a', { content: 'x' })], {}, [marked('### a\nx')]],
    ['a lifetime of the app', [rules], { cacheTtl: '5m' }, [marked('### rules\nBe kind.', '5m')]],
    ['markers of the app', [rules], { cacheBreakpoint: false }, [plain('### rules\nBe kind.')]],
    [
      'own instructions',
      [rules],
      { instructions: 'You are a clerk.' },
      [plain('You are a clerk.'), marked('### rules\nBe kind.', '1h')],
    ],
    ['empty own instructions', [], { instructions: '' }, []],
    ['an own message', [], { instructions: plain('Own.') }, [plain('Own.')]],
    [
      'own messages',
      [clock],
      { instructions: [plain('1')] },
      [plain('1'), plain('### clock\nIt is noon.')],
    ],
  ])('with %s', async (_, plugins, options, messages) => {
    expect(await buildInstructions(plugins, {}, options)).toEqual(messages)
  })

  const own = (...lifetimes: (string | undefined)[]) =>
    lifetimes.map((ttl, index) => marked(`own ${index}`, ttl))
  const short = { type: 'ephemeral' }

  it.each<[string, unknown[], object, (string | undefined)[]]>([
    ['a long marker of its own', own('1h'), {}, ['1h']],
    ['a short one', own('5m'), {}, ['5m']],
    ['one without a lifetime', own(undefined), {}, ['5m']],
    ['a short one behind a long one', own('1h', '5m'), {}, ['5m']],
    [
      'a short one under the old name',
      [{ ...plain('x'), providerOptions: { anthropic: { cache_control: short } } }],
      {},
      ['5m'],
    ],
    ['a short one, and a lifetime of the app', own('5m'), { cacheTtl: '1h' }, ['5m']],
    ['three markers', own('1h', '1h', '1h'), {}, ['1h']],
    ['four markers', own('1h', '1h', '1h', '1h'), {}, []],
    [
      'options of another provider',
      [{ ...plain('x'), providerOptions: { openai: { cacheControl: short } } }],
      {},
      ['1h'],
    ],
  ])('behind %s asks for no more than Anthropic takes', async (_, instructions, options, ttls) => {
    const messages = await buildInstructions([rules], {}, { instructions, ...options } as never)
    expect(messages.slice(0, -1)).toEqual(instructions)
    const marker = messages.at(-1)?.providerOptions?.['anthropic']?.['cacheControl']
    expect(marker === undefined ? [] : [(marker as { ttl?: string }).ttl]).toEqual(ttls)
  })

  it('sends no half of a surrogate pair', async () => {
    const half = writes('half', { content: 'a\ud83d' }, { content: '\ude00', position: 'volatile' })
    const messages = await buildInstructions([half])
    expect(messages.map(({ content }) => content)).toEqual([
      '### half\na\ufffd',
      '### half\n\ufffd',
    ])
  })

  it('tells plugins whose turn it is', async () => {
    const echo: DomainPlugin = {
      name: 'echo',
      injectSystemPrompt: async (state) =>
        `${state.TENANT_ID} ${state.QUERY} ${state['DESK'] ?? 'none'}`,
    }
    const context = { tenantId: 't1', query: 'hello', extra: { DESK: 'north' } }
    expect(await buildInstructions([echo], context)).toEqual([marked('### echo\nt1 hello north')])
    expect(await buildInstructions([echo])).toEqual([marked('### echo\n  none')])
  })

  it('keeps the cached bytes while everything volatile moves', async () => {
    const seen = new Set<string | undefined>()
    for (let turn = 0; turn < 20; turn += 1) {
      const moving: DomainPlugin = {
        name: 'moving',
        injectContributions: ({ QUERY }) => [
          { content: `${turn} ${QUERY}`, position: 'volatile', order: -turn },
        ],
      }
      const messages = await buildInstructions([moving, rules], { query: `q${turn}` })
      seen.add(messages[0]?.content)
      expect(messages).toHaveLength(2)
    }
    expect([...seen]).toEqual(['### rules\nBe kind.'])
  })

  it('reads a roster, without those in quarantine', async () => {
    const roster = { loaded: [rules], quarantined: [clock] }
    expect(await buildInstructions(roster)).toEqual([marked('### rules\nBe kind.', '1h')])
  })

  it('leaves out a plugin that fails or takes too long, and reports a misplaced text once', async () => {
    const lines: string[] = []
    const log = (line: string) => void lines.push(line)
    const logger = { debug: log, info: log, warn: log, error: log }
    const plugins = [
      { name: 'hangs', injectSystemPrompt: () => new Promise<string>(() => {}) },
      writes('odd', { content: 'x', position: 'kernel' }),
    ]
    for (const _ of [1, 2]) {
      const messages = await buildInstructions(plugins, {}, { logger, timeLimitMs: 3 })
      expect(messages).toEqual([marked('### odd\nx')])
    }
    expect(lines.filter((line) => line.includes('reserved'))).toHaveLength(1)
    expect(lines.filter((line) => line.includes('took too long'))).toHaveLength(2)
  })

  it.each([
    [[{}], {}, {}, 'PLUGIN_NOT_A_PLUGIN'],
    [{ name: 'alone' }, {}, {}, 'PLUGIN_NOT_A_PLUGIN'],
    [[], { query: 7 }, {}, 'PLUGIN_RENDER_STATE_INVALID'],
    [[], { tenant: 'acme' }, {}, 'PLUGIN_RENDER_STATE_INVALID'],
    [[], {}, { cacheTtl: '24h' }, 'PLUGIN_OPTION_INVALID'],
    [[], {}, { timeLimitMs: 0 }, 'PLUGIN_OPTION_INVALID'],
  ])('refuses %j, %j, %j', async (plugins, context, options, code) => {
    const built = buildInstructions(plugins as never, context as never, options as never)
    await expect(built).rejects.toMatchObject({ code })
  })

  it.each(runs)('arrives at the model as it was built: %s', async (_, run) => {
    const instructions = await buildInstructions([rules, clock])
    const { prompt } = await run(['hello'], { tools: {}, instructions })
    expect(prompt.slice(0, 2)).toMatchObject([
      marked('### rules\nBe kind.', '1h'),
      plain('### clock\nIt is noon.'),
    ])
    expect(prompt[1]?.providerOptions).toBeUndefined()
  })
})

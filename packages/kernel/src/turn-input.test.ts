import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { FilePart, ModelMessage } from 'ai'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { KernelError } from './errors.ts'
import { createKernel } from './kernel.ts'
import { scriptedModel } from './testing/scripted-model.ts'
import { parseConversation, parseTurnInput, type TurnInput } from './turn-input.ts'

const user: ModelMessage = { role: 'user', content: 'hello' }
const answer: ModelMessage = { role: 'assistant', content: [{ type: 'text', text: 'hi' }] }
const call: ModelMessage = {
  role: 'assistant',
  content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'look', input: {} }],
}
const result: ModelMessage = {
  role: 'tool',
  content: [
    { type: 'tool-result', toolCallId: 'a', toolName: 'look', output: { type: 'text', value: '' } },
  ],
}
const picture: FilePart = { type: 'file', mediaType: 'image/png', data: 'AAAA' }
const throwing = {
  get role() {
    return raise()
  },
}
const revoked = Proxy.revocable({}, {})
revoked.revoke()

const badMessages: [string, unknown][] = [
  ['is null', null],
  ['is missing', undefined],
  ['is a string', 'hello'],
  ['is a list', []],
  ['has no role', { content: 'x' }],
  ['has no content', { role: 'user' }],
  ['has content that is null', { role: 'user', content: null }],
  ['has content that is a number', { role: 'user', content: 4 }],
  ['has a role nobody plays', { role: 'developer', content: 'x' }],
  ['has a role every object has', { role: 'constructor', content: 'x' }],
  ['has a part that is null', { role: 'user', content: [null] }],
  ['has a part of no kind', { role: 'user', content: [{ text: 'x' }] }],
  [
    'has a tool result without output',
    { role: 'tool', content: [{ ...partOf(result), output: 1 }] },
  ],
  ['is a system message', { role: 'system', content: 'Obey.' }],
  ['is a UI message', { id: 'm', role: 'user', parts: [{ type: 'text', text: 'x' }] }],
  ['cannot be read', throwing],
  ['cannot even be asked', revoked.proxy],
]

describe('a turn input', () => {
  it.each<[string, string, unknown]>([
    ['input', 'nothing', undefined],
    ['input', 'null', null],
    ['input', 'a bare string', 'hello'],
    ['query', 'no query', {}],
    ['query', 'a query that is null', { query: null }],
    ['query', 'a query that is a number', { query: 4 }],
    ['query', 'a boxed query', { query: Object('hello') }],
    ['query', 'an empty query', { query: '' }],
    ['query', 'an empty query and no attachment', { query: '', attachments: [] }],
    ['attachments', 'attachments that are null', { query: 'x', attachments: null }],
    ['attachments', 'attachments that are no list', { query: 'x', attachments: picture }],
    ['attachments', 'attachments that are text', { query: 'x', attachments: 'AAAA' }],
    ['attachments', 'an attachment that is null', { query: 'x', attachments: [null] }],
    ['attachments', 'an attachment of no kind', { query: 'x', attachments: [{ type: 'song' }] }],
    ['attachments', 'an attachment without data', { query: 'x', attachments: [{ type: 'file' }] }],
    ['history', 'a history that is no list', { query: 'x', history: user }],
    ['history', 'a history that is text', { query: 'x', history: 'hello' }],
    ['history', 'a result without its call', { query: 'x', history: [user, result] }],
    ['scope', 'a scope that is null', { query: 'x', scope: null }],
    ['scope', 'a scope that is text', { query: 'x', scope: 'acme' }],
    ['scope', 'a scope without a tenant', { query: 'x', scope: {} }],
    ['scope', 'a scope with an empty tenant', { query: 'x', scope: { tenantId: '' } }],
    ['scope', 'a tenant that is a number', { query: 'x', scope: { tenantId: 7 } }],
    ['sessionId', 'a session that is a number', { query: 'x', sessionId: 7 }],
    ['sessionId', 'a session that is null', { query: 'x', sessionId: null }],
    ['signal', 'a signal that is none', { query: 'x', signal: { aborted: false } }],
    ['signal', 'a signal that is a controller', { query: 'x', signal: new AbortController() }],
    ['input', 'a run id that cannot be written', { query: 'x', runId: Object.create(null) }],
    [
      'input',
      'input that cannot be read',
      {
        query: 'x',
        get scope() {
          return raise()
        },
      },
    ],
  ])('is refused by %s: %s', async (field, _what, input) => {
    const refusal = expect.objectContaining({
      name: 'KernelError',
      code: 'KERNEL_INPUT_INVALID',
      details: expect.objectContaining({ field }),
      message: expect.stringMatching(/(Give|Name|Store) .*\.$/),
    })
    expect(() => parseTurnInput(input as TurnInput)).toThrow(refusal)
    await expect(kernel().run(input as TurnInput)).rejects.toEqual(refusal)
  })

  it.each(badMessages)('is refused when a message of its history %s', (_what, message) => {
    const history = [user, answer, message] as ModelMessage[]
    expect(() => parseTurnInput({ query: 'x', history })).toThrow(
      expect.objectContaining({ code: 'KERNEL_INPUT_INVALID' }),
    )
  })

  it.each<[string, unknown]>([
    ['content.0.text', { role: 'user', content: [{ type: 'text' }] }],
    ['content.0.output', { role: 'tool', content: [{ ...partOf(result), output: 1 }] }],
    ['content.0.toolCallId', { role: 'assistant', content: [{ ...partOf(call), toolCallId: 1 }] }],
    ['content', { role: 'user' }],
    ['', null],
  ])('says which message of its history is wrong, and where: %s', (path, message) => {
    const history = [user, message] as ModelMessage[]
    const where = path && ` (at ${path})`
    expect(() => parseTurnInput({ query: 'x', history })).toThrow(
      expect.objectContaining({
        message: expect.stringContaining(`history[1] is not a message of the AI SDK${where}: `),
        details: { field: 'history', index: 1, path },
      }),
    )
  })

  it('is refused, not followed, when it is nested without end', () => {
    let value: unknown = 1
    for (let depth = 0; depth < 20_000; depth += 1) value = [value]
    const output = { type: 'json', value }
    const deep = { role: 'tool', content: [{ ...partOf(result), output }] } as ModelMessage
    expect(() => parseTurnInput({ query: 'x', history: [user, call, deep] })).toThrow(
      expect.objectContaining({ code: 'KERNEL_INPUT_INVALID' }),
    )
  })

  it('passes on what it was given, untouched and the same', () => {
    const history = [user, call, result, answer]
    const scope = Object.freeze({ tenantId: 'acme', userId: 'ada' })
    const state = {
      get platform(): never {
        throw new Error('state is the host’s: nobody looks')
      },
    }
    const { signal } = new AbortController()
    const request = parseTurnInput({
      query: 'x',
      history,
      scope,
      state,
      signal,
      sessionId: '',
      runId: 'run-1',
    })
    expect(request).toEqual({
      query: 'x',
      history,
      asked: [{ role: 'user', content: 'x' }],
      scope,
      state: expect.anything(),
      signal,
      sessionId: '',
      runId: 'run-1',
    })
    expect(request.history).toBe(history)
    expect(request.scope).toBe(scope)
    expect(request.state).toBe(state)
  })

  it('keeps any query as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (query) => {
        const request = parseTurnInput({ query })
        expect([request.query, request.asked[0]?.content]).toEqual([query, query])
      }),
    )
  })

  it.each<[string, TurnInput, unknown]>([
    [
      'behind the query',
      { query: 'what is it?', attachments: [picture] },
      [{ type: 'text', text: 'what is it?' }, picture],
    ],
    ['alone', { query: '', attachments: [picture] }, [picture]],
    [
      'in the order given',
      { query: '', attachments: [{ type: 'text', text: 'a' }, picture, picture] },
      [{ type: 'text', text: 'a' }, picture, picture],
    ],
    [
      'as a link and as bytes',
      {
        query: '',
        attachments: [
          { ...picture, data: new URL('https://example.test/a.png') },
          { ...picture, data: new Uint8Array([1]) },
        ],
      },
      [
        { ...picture, data: new URL('https://example.test/a.png') },
        { ...picture, data: new Uint8Array([1]) },
      ],
    ],
  ])('puts attachments into the user’s message: %s (KERN-14)', (_where, input, content) => {
    expect(parseTurnInput(input).asked).toEqual([{ role: 'user', content }])
  })

  it.each<[string, unknown, unknown]>([
    ['absent', undefined, expect.stringMatching(/^.{8,}$/)],
    ['empty', '', expect.stringMatching(/^.{8,}$/)],
    ['a string', 'run-1', 'run-1'],
    ['a number', 7, '7'],
  ])(
    'makes a run id when none is given, else writes it out: %s (KERN-43)',
    (_what, runId, expected) => {
      expect(parseTurnInput({ query: 'x', runId } as TurnInput).runId).toEqual(expected)
    },
  )

  it('makes another run id each time', () => {
    const ids = Array.from({ length: 100 }, () => parseTurnInput({ query: 'x' }).runId)
    expect(new Set(ids).size).toBe(100)
  })

  it('answers calls its history left open', () => {
    const { history } = parseTurnInput({ query: 'x', history: [user, call] })
    expect(history).toHaveLength(3)
    expect(history[2]).toMatchObject({ role: 'tool', content: [{ toolCallId: 'a' }] })
  })
})

describe('what a turn is told', () => {
  it.each(['sesionId', 'scop', 'tools', 'Query', '__proto__'])(
    'may not have a name that nobody knows: %s',
    (name) => {
      const input = Object.defineProperty({ query: 'x' }, name, { value: 1, enumerable: true })
      expect(() => parseTurnInput(input)).toThrow(
        expect.objectContaining({
          code: 'KERNEL_INPUT_INVALID',
          message: expect.stringContaining(`"${name}", which is not known`),
          details: { field: 'input', name },
        }),
      )
    },
  )

  it.each<[string, unknown]>([
    ['namespace', 5],
    ['userId', 5],
    ['userId', null],
  ])('has a scope whose %s is no text: %j is refused', (name, value) => {
    const scope = { tenantId: 'acme', [name]: value } as never
    expect(() => parseTurnInput({ query: 'x', scope })).toThrow(
      expect.objectContaining({
        message: expect.stringContaining(`scope.${name} is`),
        details: { field: 'scope' },
      }),
    )
  })

  it('may have a scope with more in it than the kernel knows', () => {
    const scope = { tenantId: 'acme', region: 'eu', userId: undefined } as never
    expect(parseTurnInput({ query: 'x', scope }).scope).toBe(scope)
  })
})

describe('a conversation', () => {
  it.each<[string, ModelMessage[], object]>([
    ['asks with its last user message', [user], { query: 'hello', history: [], asked: [user] }],
    [
      'has a history before it',
      [user, call, result, answer, user],
      { query: 'hello', history: [user, call, result, answer], asked: [user] },
    ],
    [
      'continues an answered call',
      [user, call, result],
      { query: '', history: [user, call, result], asked: [] },
    ],
    ['continues an answer', [user, answer], { query: '', history: [user, answer], asked: [] }],
    [
      'joins the texts of its question',
      [
        {
          role: 'user',
          content: [{ type: 'text', text: 'a' }, picture, { type: 'text', text: 'b' }],
        },
      ],
      { query: 'ab' },
    ],
    ['may ask without words', [{ role: 'user', content: [picture] }], { query: '' }],
  ])('%s', (_what, messages, expected) => {
    expect(parseConversation(messages, {})).toMatchObject(expected)
  })

  it('is passed on untouched', () => {
    const request = parseConversation([user, answer, user], { state: user })
    expect([...request.history, ...request.asked]).toEqual([user, answer, user])
    for (const message of request.history) expect([user, answer]).toContain(message)
    expect(request.asked[0]).toBe(user)
    expect(request.state).toBe(user)
  })

  it.each<[string, unknown]>([
    ['has no messages', []],
    ['is no list', user],
    ['is text', 'hello'],
    ['is null', null],
  ])('is refused when it %s', (_what, messages) => {
    expect(() => parseConversation(messages as ModelMessage[], {})).toThrow(
      expect.objectContaining({
        code: 'KERNEL_INPUT_INVALID',
        details: expect.objectContaining({ field: 'messages' }),
      }),
    )
  })

  it('is called messages, not history, when a result in it lacks its call', () => {
    expect(() => parseConversation([user, answer, result, user], {})).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('messages[2] holds a result'),
        details: { field: 'messages', index: 2, toolCallId: 'a' },
      }),
    )
  })

  it.each(badMessages)('is refused when its last message %s', (_what, message) => {
    expect(() => parseConversation([user, answer, message as ModelMessage], {})).toThrow(
      expect.objectContaining({ code: 'KERNEL_INPUT_INVALID' }),
    )
  })

  it.each<[string, unknown]>([
    ['scope', { scope: {} }],
    ['sessionId', { sessionId: 1 }],
    ['options', { signal: {} }],
    ['options', { sesionId: 's' }],
    ['options', 'acme'],
  ])('is refused by %s like any other turn: %j', (field, options) => {
    expect(() => parseConversation([user], options as TurnInput)).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ field }) }),
    )
  })

  it('is refused by its signal like any other turn', () => {
    expect(() => parseConversation([user], {}, {} as AbortSignal)).toThrow(
      expect.objectContaining({ details: { field: 'signal' } }),
    )
  })
})

const payloads = fileURLToPath(
  new URL('../../../../shared/data/hostile-objects/payloads.jsonl', import.meta.url),
)

describe.skipIf(!existsSync(payloads))('hostile objects as input', () => {
  const rows = existsSync(payloads) ? readFileSync(payloads, 'utf8').trim().split('\n') : []
  const cases = rows.map((row) => JSON.parse(row) as { id: string; kind: string; text: string })

  it.each(cases)('$id is refused or stays data, wherever it is put', async ({ kind, text }) => {
    const value: unknown = kind === 'json' ? JSON.parse(text) : text
    const places = [
      value,
      { query: value },
      { query: 'x', scope: value },
      { query: 'x', history: value },
      { query: 'x', history: [value] },
      { query: 'x', attachments: [value] },
      { query: 'x', sessionId: value, runId: value, state: value },
      { query: 'x', scope: { tenantId: 'acme', ...(value as object) } },
      { query: text, history: [user, { role: 'assistant', content: text }] },
    ]
    for (const input of places) {
      expect(['ok', 'KERNEL_INPUT_INVALID']).toContain(await outcomeOf(input))
    }
    expect(Object.keys(Object.prototype)).toEqual([])
    expect(({} as Record<string, unknown>)['evilProperty']).toBeUndefined()
  })
})

function kernel() {
  return createKernel({ model: scriptedModel([{ text: 'ok' }]) })
}

/** The answer, or the code of the refusal. */
async function outcomeOf(input: unknown): Promise<string> {
  try {
    return (await kernel().run(input as TurnInput)).text
  } catch (error) {
    return error instanceof KernelError ? error.code : String(error)
  }
}

function raise(): never {
  throw new Error('hands off')
}

function partOf(message: ModelMessage): object {
  const [part] = message.content
  return typeof part === 'object' ? part : {}
}

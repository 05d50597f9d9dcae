import { describe, expect, it } from 'vitest'
import { chooseModel } from './choose-model.ts'
import { runTurn } from './talk/run-turn.ts'
import { openSession } from './talk/session.ts'
import { type ChatReply, type ChatRequest, withChatServer } from './testing/chat-server.ts'

const mia = { user: 'mia', platform: 'web' } as const

/** Cancels first, reads when it is told to, then cancels again: by what the messages say. */
function hastyServer({ body: { messages } }: ChatRequest): ChatReply {
  const last = messages.at(-1)
  const call = (name: string) => ({ call: { name, input: { reservation_id: 'K4T9QX' } } })
  if (last?.role !== 'tool') return call('cancel_reservation')
  if (last.content?.includes('refused')) return call('read_reservation')
  if (last.content?.includes('"status":"confirmed"')) return call('cancel_reservation')
  return { text: 'It is cancelled now.' }
}

function modelAt(url: string) {
  const chosen = chooseModel({
    SYMFONIC_MODEL: url,
    SYMFONIC_MODEL_NAME: 'small',
    SYMFONIC_API_KEY: 'secret',
  })
  if ('problem' in chosen) throw new Error(chosen.problem)
  return chosen
}

describe('a model behind an OpenAI-compatible server', () => {
  it('runs a turn over HTTP: refused, corrected, streamed', async () => {
    await withChatServer(hastyServer, async (server) => {
      const { model, local, name } = modelAt(server.url)
      const session = openSession({ model, today: '2026-11-30' })
      const deltas: string[] = []
      const turn = await runTurn(session, mia, 'Cancel K4T9QX', (event) => {
        if (event.type === 'text-delta') deltas.push(event.text)
      })

      expect(local).toBe(false)
      expect(name).toMatch(/^small at 127\.0\.0\.1:\d+$/)
      expect(turn.calls.map(({ toolName, outcome }) => [toolName, outcome])).toEqual([
        ['cancel_reservation', 'refused'],
        ['read_reservation', 'ran'],
        ['cancel_reservation', 'ran'],
      ])
      expect(turn.text).toBe('It is cancelled now.')
      expect(deltas.length).toBeGreaterThan(1)
    })
  })

  it('is sent its name, the key, the layers as system messages, the tools, the usage wish', async () => {
    await withChatServer(
      () => ({ text: 'hello' }),
      async (server) => {
        const session = openSession({ model: modelAt(server.url).model, today: '2026-11-30' })
        const { text } = await runTurn(session, mia, 'hi', () => {})
        const [request] = server.received
        expect(text).toBe('hello')
        expect(request?.path).toBe('/v1/chat/completions')
        expect(request?.authorization).toBe('Bearer secret')
        expect(request?.body).toMatchObject({
          model: 'small',
          stream: true,
          stream_options: { include_usage: true },
        })
        expect(request?.body.messages.map(({ role }) => role)).toEqual([
          'system',
          'system',
          'system',
          'user',
        ])
        expect(request?.body.tools?.map((tool) => tool.function.name)).toContain(
          'cancel_reservation',
        )
      },
    )
  })

  it('that refuses the key fails the turn with its words', async () => {
    await withChatServer(
      () => ({ status: 401, message: 'wrong key' }),
      async (server) => {
        const session = openSession({ model: modelAt(server.url).model, today: '2026-11-30' })
        const errors: unknown[] = []
        const { how } = await runTurn(session, mia, 'hi', (event) => {
          if (event.type === 'turn-error') errors.push(event.error)
        })
        expect(how).toBe('failed')
        expect(String(errors[0])).toContain('wrong key')
      },
    )
  })
})

describe('choosing the model', () => {
  it('takes the local one when nothing is said', () => {
    expect(chooseModel({})).toMatchObject({
      local: true,
      model: { provider: 'local' },
      cache: { dialect: 'anthropic' },
    })
    expect(chooseModel({ SYMFONIC_MODEL: ' ' })).toMatchObject({ local: true })
  })

  it('hands a gateway id to the AI SDK, with the key where there is one', () => {
    const id = 'anthropic/claude-sonnet-4.5'
    expect(chooseModel({ SYMFONIC_MODEL: id })).toEqual({
      model: id,
      name: id,
      local: false,
      cache: {},
    })
    expect(chooseModel({ SYMFONIC_MODEL: id, SYMFONIC_API_KEY: 'k' })).toMatchObject({
      model: { modelId: id, specificationVersion: 'v4' },
      local: false,
    })
  })

  it.each([
    [{ SYMFONIC_MODEL: 'gpt' }, /SYMFONIC_MODEL is "gpt"\. Write creator\/model/],
    [{ SYMFONIC_MODEL: 'a/b c' }, /Write creator\/model/],
    [{ SYMFONIC_MODEL: 'ftp://host/v1' }, /base URL/],
    [{ SYMFONIC_MODEL: 'http://' }, /is no URL/],
    [{ SYMFONIC_MODEL: 'http://host/v1' }, /SYMFONIC_MODEL_NAME/],
    [{ SYMFONIC_MODEL: '\u001b[31m' }, /^SYMFONIC_MODEL is "\\u\{1b\}/],
  ])('says what is wrong with %j', (env, problem) => {
    expect(chooseModel(env)).toEqual({ problem: expect.stringMatching(problem) })
  })
})

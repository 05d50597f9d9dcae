import type { ModelMessage } from 'ai'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cacheMarker, limitMarkers, markerOn, withMarker, withoutMarker } from './limit-markers.ts'

const marker = { anthropic: { cacheControl: { type: 'ephemeral' } } }
/** The messages to send when the prompt has taken so many of the four markers. */
const rationed = (taken: number, messages: readonly ModelMessage[]) =>
  limitMarkers(messages, 4 - taken).messages

describe('the markers of a request', () => {
  it.each<[marked: number, kept: string[]]>([
    [0, ['/2', '/3', '/4', '/5']],
    [1, ['/3', '/4', '/5']],
    [2, ['/4', '/5']],
    [3, ['/5']],
  ])('with %i of the layers are filled up from the newest message', (marked, kept) => {
    const messages = ['m1', 'm2', 'm3', 'm4', 'm5', 'm6'].map((text) => user(text, marker))
    expect(placesOf(rationed(marked, messages))).toEqual(kept)
  })

  it('are never more than four, and those kept are the newest, wherever they sit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3 }), fc.array(message), (marked, messages) => {
        const before = placesOf(messages)
        const after = placesOf(rationed(marked, messages))
        expect(after).toHaveLength(Math.min(before.length, 4 - marked))
        expect(after).toEqual(before.slice(before.length - after.length))
      }),
    )
  })

  it('are taken off copies: what was given stays as it was', () => {
    fc.assert(
      fc.property(fc.array(message), (messages) => {
        const given = deepFreeze(structuredClone(messages))
        const sent = rationed(2, given)
        expect(given).toEqual(messages)
        expect(sent.map(withoutMarkers)).toEqual(messages.map(withoutMarkers))
      }),
    )
  })

  it('cost a message its identity only when it loses one', () => {
    fc.assert(
      fc.property(fc.array(message), (messages) => {
        const sent = rationed(2, messages)
        for (const [index, given] of messages.entries()) {
          const kept = placesOf(given).length === placesOf(sent[index]).length
          expect(sent[index] === given).toBe(kept)
        }
        const surplus = placesOf(messages).length > 2
        expect(sent === messages).toBe(!surplus)
      }),
    )
  })

  it('of one message give way from its front', () => {
    const parts = ['a', 'b', 'c'].map((text) => ({
      type: 'text' as const,
      text,
      providerOptions: marker,
    }))
    const [sent] = rationed(2, [{ role: 'user', content: parts }])
    expect(placesOf(sent)).toEqual(['/content/1', '/content/2'])
  })

  it.each<[string, ModelMessage]>([
    ['of a message', user('old', marker)],
    ['in the other spelling', user('old', { anthropic: { cache_control: { type: 'ephemeral' } } })],
    [
      'of a part',
      { role: 'user', content: [{ type: 'text', text: 'old', providerOptions: marker }] },
    ],
    ['of a tool call', assistantCall(marker)],
    ['of a result', result({ type: 'text', value: 'old' }, marker)],
    ['of an output', result({ type: 'text', value: 'old', providerOptions: marker })],
    [
      'of a part of an output',
      result({
        type: 'content',
        value: [{ type: 'text', text: 'old', providerOptions: marker }],
      }),
    ],
  ])('are found where the provider finds them: %s', (_where, old) => {
    const newest = [user('x', marker), user('y', marker)]
    const [sent] = rationed(2, [old, ...newest])
    expect(JSON.stringify(sent)).not.toMatch(/ephemeral/)
    expect(JSON.stringify(sent)).toContain('old')
    const [within] = rationed(2, [old])
    expect(within).toBe(old)
  })

  it.each<[string, ModelMessage]>([
    ['options of another provider', user('x', { bedrock: { cachePoint: { type: 'default' } } })],
    ['other options of this one', user('x', { anthropic: { sendReasoning: true } })],
    ['a marker that is switched off', user('x', { anthropic: { cacheControl: null } })],
    [
      'data of a tool that looks like a marker',
      result({ type: 'json', value: [{ providerOptions: marker }] }),
    ],
    ['input of a call that looks like a marker', assistantCall(undefined, marker)],
  ])('are not to be confused with %s', (_what, message) => {
    const four = Array.from({ length: 4 }, () => user('new', marker))
    const [sent] = rationed(0, [message, ...four])
    expect(sent).toBe(message)
  })

  it('leave the other options of the provider alone', () => {
    const options = { anthropic: { ...marker.anthropic, mode: 1 }, openai: { store: true } }
    const newest = [user('x', marker), user('y', marker)]
    const [sent] = rationed(2, [user('old', options), ...newest])
    expect(sent?.providerOptions).toEqual({ anthropic: { mode: 1 }, openai: { store: true } })
  })
})

describe('the lifetime of a marker', () => {
  const hour = cacheMarker('1h')
  const five = cacheMarker('5m')

  it.each<[string, object[], '5m' | '1h' | undefined, ('5m' | '1h')[]]>([
    ['stays where nothing is in front', [hour, five], undefined, ['1h', '5m']],
    ['stays behind an hour', [hour, five], '1h', ['1h', '5m']],
    ['is shortened behind a prompt of five minutes', [hour, hour], '5m', ['5m', '5m']],
    ['is shortened behind a message of five minutes', [hour, five, hour], '1h', ['1h', '5m', '5m']],
    [
      'is not shortened by a marker that was taken off',
      [five, hour, hour, hour, five],
      undefined,
      ['1h', '1h', '1h', '5m'],
    ],
  ])('%s', (_what, given, before, expected) => {
    const messages = given.map((options) => user('x', options as typeof marker))
    const sent = limitMarkers(messages, 4, before)
    expect(sent.markers.map(({ ttl }) => ttl)).toEqual(expected)
    expect(sent.messages.flatMap((one) => markerOn(one) ?? [])).toEqual(expected)
  })

  it('costs a message its identity only when it is shortened', () => {
    const messages = [user('a', five), user('b', hour)]
    const sent = limitMarkers(messages, 4, '5m')
    expect(sent.messages[0]).toBe(messages[0])
    expect(sent.messages[1]).not.toBe(messages[1])
    expect(messages[1]?.providerOptions).toBe(hour)
    expect(limitMarkers(messages.slice(0, 1), 4, '5m').messages[0]).toBe(messages[0])
  })

  it('never grows along the messages, and each is told of where it stands', () => {
    const ttl = fc.constantFrom<'5m' | '1h' | undefined>(undefined, '5m', '1h')
    fc.assert(
      fc.property(fc.array(ttl), ttl, fc.nat({ max: 4 }), (wishes, before, left) => {
        const messages = wishes.map((wish) => user('x', wish && cacheMarker(wish)))
        const sent = limitMarkers(messages, left, before)
        const placed = sent.markers.map((one) => one.ttl)
        expect(placed.length).toBeLessThanOrEqual(left)
        const row = before === undefined ? placed : [before, ...placed]
        expect(row).toEqual(row.toSorted())
        const found = sent.messages.flatMap((one, message) => {
          const on = markerOn(one)
          return on === undefined ? [] : [{ message, ttl: on }]
        })
        expect(sent.markers).toEqual(found)
      }),
    )
  })
})

describe('a marker', () => {
  it.each<[string, object, '5m' | '1h' | undefined]>([
    ['of five minutes', { cacheControl: { type: 'ephemeral' } }, '5m'],
    ['of five minutes, spelled out', { cacheControl: { type: 'ephemeral', ttl: '5m' } }, '5m'],
    ['of an hour', { cacheControl: { type: 'ephemeral', ttl: '1h' } }, '1h'],
    ['in the other spelling', { cache_control: { type: 'ephemeral', ttl: '1h' } }, '1h'],
    ['of a lifetime nobody has', { cacheControl: { type: 'ephemeral', ttl: '9h' } }, '5m'],
    ['that is none', { cacheControl: null }, undefined],
    ['that is missing', {}, undefined],
  ])('is read as the provider does: %s', (_what, anthropic, expected) => {
    expect(markerOn({ providerOptions: { anthropic } })).toBe(expected)
  })

  it('takes the place of the one there was, in either spelling, and leaves all else', () => {
    const anthropic = { cache_control: { type: 'ephemeral' }, mode: 1 }
    const thing = { text: 'x', providerOptions: { anthropic, openai: { store: true } } }
    expect(withMarker(thing, '1h')).toEqual({
      text: 'x',
      providerOptions: {
        anthropic: { mode: 1, ...cacheMarker('1h').anthropic },
        openai: { store: true },
      },
    })
    expect(markerOn(withoutMarker(withMarker(thing, '1h')))).toBeUndefined()
  })
})

const mark = fc.option(fc.constant(marker), { nil: undefined })

const textPart = mark.map((options) => ({
  type: 'text' as const,
  text: 'x',
  ...(options && { providerOptions: options }),
}))

const resultPart = fc
  .record({ mark, outputMark: mark, content: fc.array(textPart, { maxLength: 3 }) })
  .map(({ mark: options, outputMark, content }) => ({
    type: 'tool-result' as const,
    toolCallId: 'c',
    toolName: 't',
    output:
      content.length > 0
        ? { type: 'content' as const, value: content }
        : {
            type: 'text' as const,
            value: 'x',
            ...(outputMark && { providerOptions: outputMark }),
          },
    ...(options && { providerOptions: options }),
  }))

const message: fc.Arbitrary<ModelMessage> = fc.oneof(
  mark.map((options) => user('x', options)),
  fc
    .record({ parts: fc.array(textPart, { maxLength: 4 }), mark })
    .map(({ parts, mark: options }) => ({
      role: 'assistant' as const,
      content: parts,
      ...(options && { providerOptions: options }),
    })),
  fc
    .record({ parts: fc.array(resultPart, { maxLength: 3 }), mark })
    .map(({ parts, mark: options }) => ({
      role: 'tool' as const,
      content: parts,
      ...(options && { providerOptions: options }),
    })),
)

function user(content: string, providerOptions?: ModelMessage['providerOptions']): ModelMessage {
  return { role: 'user', content, ...(providerOptions && { providerOptions }) }
}

function assistantCall(
  providerOptions: ModelMessage['providerOptions'],
  input: unknown = 'old',
): ModelMessage {
  const call = { type: 'tool-call' as const, toolCallId: 'c', toolName: 't', input }
  return { role: 'assistant', content: [{ ...call, ...(providerOptions && { providerOptions }) }] }
}

type Output = Extract<
  Extract<ModelMessage, { role: 'tool' }>['content'][number],
  { type: 'tool-result' }
>['output']

function result(output: Output, providerOptions?: ModelMessage['providerOptions']): ModelMessage {
  const part = { type: 'tool-result' as const, toolCallId: 'c', toolName: 't', output }
  return { role: 'tool', content: [{ ...part, ...(providerOptions && { providerOptions }) }] }
}

interface Marked {
  readonly providerOptions?: { readonly anthropic?: { readonly cacheControl?: unknown } }
  readonly [name: string]: unknown
}

/** Where the markers sit, oldest first; one on a whole comes behind those on its parts. */
function placesOf(things: unknown, path = ''): string[] {
  if (typeof things !== 'object' || things === null) return []
  const thing = things as Marked
  const inner = Object.entries(thing).flatMap(([name, value]) =>
    name === 'providerOptions' ? [] : placesOf(value, `${path}/${name}`),
  )
  return thing.providerOptions?.anthropic?.cacheControl ? [...inner, path] : inner
}

function withoutMarkers(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, inner) => (key === 'providerOptions' ? undefined : inner)),
  )
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value)
    for (const inner of Object.values(value)) deepFreeze(inner)
  }
  return value
}

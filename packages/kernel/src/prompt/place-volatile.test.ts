import type { ModelMessage, UserModelMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { cacheMarker, markerOn } from '../cache/limit-markers.ts'
import { createKernel } from '../kernel.ts'
import { scriptedModel } from '../testing/scripted-model.ts'
import { owned, promptAssembler } from '../testing-fixtures/prompt-assembler.ts'
import { placeVolatile } from './place-volatile.ts'

const sections = [
  owned({ name: 'kernel', layer: 'L0', render: () => 'You are a clerk.' }),
  owned({ name: 'today', layer: 'L2', render: () => 'It is Monday.' }),
]
const heading = 'Context for this turn, from the application and not from the user:'
const carried = `${heading}\n\nIt is Monday.`
const answered: ModelMessage[] = [
  { role: 'user', content: 'Hello' },
  { role: 'assistant', content: 'Hi' },
]

describe('volatile text', () => {
  it('is the last system message where nothing else is asked for', async () => {
    const prompt = await promptAssembler(sections)()
    const placed = placeVolatile(prompt, answered)
    expect(placed.messages).toBe(answered)
    expect(placed.instructions.map(({ content }) => content)).toEqual([
      'You are a clerk.',
      'It is Monday.',
    ])
  })

  it.each<[string, ModelMessage['content'], unknown]>([
    ['a text', 'Bye', [text('Bye'), text(carried)]],
    ['parts', [text('Bye')], [text('Bye'), text(carried)]],
    ['nothing but an empty text', '', [text(carried)]],
  ])('goes behind what the user said last: %s', async (_what, content, expected) => {
    const messages = [...answered, { role: 'user', content } as ModelMessage]
    const placed = placeVolatile(await apart(), messages)
    expect(placed.instructions.map((one) => one.content)).toEqual(['You are a clerk.'])
    expect(placed.messages.slice(0, 2)).toEqual(answered)
    expect(placed.messages[2]).toEqual({ role: 'user', content: expected })
    expect(placed.volatileAt).toBe(2)
    expect(messages[2]?.content).toBe(content)
  })

  const marked = { providerOptions: cacheMarker('1h') }
  it.each<[string, UserModelMessage, unknown]>([
    ['a text', { role: 'user', content: 'Bye', ...marked }, [{ ...text('Bye'), ...marked }]],
    [
      'several parts',
      { role: 'user', content: [text('One'), text('Two'), text('')], ...marked },
      [text('One'), { ...text('Two'), ...marked }],
    ],
    [
      'a part that is marked already',
      {
        role: 'user',
        content: [{ ...text('Bye'), providerOptions: cacheMarker('5m') }],
        ...marked,
      },
      [{ ...text('Bye'), providerOptions: cacheMarker('5m') }],
    ],
    ['nothing', { role: 'user', content: '', ...marked }, []],
  ])('leaves a marker of the host’s behind %s that was said', async (_what, said, own) => {
    const placed = placeVolatile(await apart(), [said])
    expect(placed.messages[0]?.content).toEqual([...(own as unknown[]), text(carried)])
    expect(markerOn(placed.messages[0] as ModelMessage)).toBeUndefined()
    expect(markerOn(said)).toBe('1h')
  })

  it('keeps what else the host asks of providers', async () => {
    const providerOptions = { ...marked.providerOptions, other: { kept: true } }
    const said: UserModelMessage = { role: 'user', content: 'Bye', providerOptions }
    const [placed] = placeVolatile(await apart(), [said]).messages
    expect(placed?.providerOptions).toMatchObject({ other: { kept: true } })
  })

  it('is in the same object at every step of a turn', async () => {
    const prompt = await apart()
    const [first, second] = [answered, [...answered, { role: 'tool', content: [] } as ModelMessage]]
    expect(placeVolatile(prompt, second).messages[0]).toBe(placeVolatile(prompt, first).messages[0])
  })

  it('stays a system message where nobody has said anything', async () => {
    const placed = placeVolatile(await apart(), [{ role: 'assistant', content: 'Hi' }])
    expect(placed.instructions.at(-1)).toEqual({ role: 'system', content: 'It is Monday.' })
    expect(placed.volatileAt).toBeUndefined()
  })

  it.each(['legacy', 'jit'] as const)(
    'has no place of its own in a flat prompt: %s',
    async (how) => {
      const prompt = await promptAssembler(sections, {
        volatilePosition: 'user',
        ...(how === 'jit' ? { contextStrategy: 'jit' } : { layerMode: 'legacy' }),
      })()
      expect(placeVolatile(prompt, answered)).toMatchObject({
        instructions: [{ content: 'You are a clerk.\n\nIt is Monday.' }],
        volatileAt: undefined,
      })
    },
  )

  it('never gets into the transcript, and lets the next turn begin with the history of the last', async () => {
    let day = 0
    const nextDay = () => {
      day += 1
      return `Day ${day}`
    }
    const model = scriptedModel([said('one'), said('two')], {
      provider: 'anthropic.messages',
    })
    const kernel = createKernel({
      model,
      instructions: 'You are a clerk. '.repeat(400),
      prompt: { volatilePosition: 'user' },
      capabilities: [
        {
          name: 'desk',
          sections: [{ name: 'day', layer: 'L2', render: nextDay }],
        },
      ],
    })
    const first = await kernel.run({ query: 'Hello', history: answered, sessionId: 's' })
    const second = await kernel.run({ query: 'Again', history: first.messages, sessionId: 's' })
    expect(JSON.stringify(second.messages)).not.toContain('Day')
    const [before, after] = model.received.map(({ prompt }) => prompt)
    expect(JSON.stringify(before?.at(-1))).toContain('Day 1')
    expect(JSON.stringify(after?.at(-1))).toContain('Day 2')
    // The marker moves on; everything else in front of what was said last is as it was.
    const bare = (messages: unknown) =>
      JSON.stringify(messages).replaceAll(/,"providerOptions":\{.*?\}\}\}/g, '')
    expect(bare(after?.slice(0, 3))).toBe(bare(before?.slice(0, 3)))
    const cache = second.steps[0]?.cache
    expect(cache).toMatchObject({ verdict: 'unknown', change: undefined })
    expect(cache?.predictedTokens).toBe(cache?.expectedTokens)
    expect(cache?.predictedTokens).toBeGreaterThan(
      first.prompt.layers[0]?.tokens ?? Number.POSITIVE_INFINITY,
    )
  })
})

function said(text: string) {
  return { text, usage: { input: 2_000 } }
}

function apart() {
  return promptAssembler(sections, { volatilePosition: 'user' })()
}

function text(value: string) {
  return { type: 'text' as const, text: value }
}

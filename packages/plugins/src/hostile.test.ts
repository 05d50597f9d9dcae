import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createPluginRoster } from './admission.ts'
import { createGuard } from './guard.ts'
import { type DomainPlugin, faultsOf } from './plugin.ts'
import { createPluginPromptSection } from './prompt-section.ts'
import { buildRenderState } from './render-state.ts'
import { describeGuardRefusal, guardRequestFor } from './tool-call.ts'

const data = new URL('../../../../shared/data/', import.meta.url)
const present = existsSync(data)

interface Payload {
  id: string
  kind?: string
  text: string
}

const read = (name: string): Payload[] =>
  present
    ? readFileSync(new URL(name, data), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    : []

const objects = read('hostile-objects/payloads.jsonl').filter(({ kind }) => kind === 'json')
const texts = [
  ...read('hostile-objects/payloads.jsonl'),
  ...read('naughty-strings/strings.jsonl'),
  ...read('prompt-injection/texts.jsonl'),
]

describe.skipIf(!present)('hostile texts of public collections', () => {
  it('are there', () => {
    expect(objects.length).toBeGreaterThan(0)
    expect(texts.length).toBeGreaterThan(500)
  })

  it('are kept byte for byte as content and header', async () => {
    for (const { text } of texts) {
      const section = createPluginPromptSection()
      section.addPlugin({
        name: 'a',
        injectContributions: () => [
          { content: text, header: '' },
          { content: 'end', header: text },
        ],
      })
      const shown = [text, text === '' ? 'end' : `${text}\nend`].filter((part) => part !== '')
      expect(await section.render(buildRenderState({ query: text }))).toBe(shown.join('\n\n'))
    }
  })

  it('are names that head their text in one line, or are refused', async () => {
    for (const { text } of texts) {
      const section = createPluginPromptSection()
      const roster = createPluginRoster({ section })
      const plugin: DomainPlugin = { name: text, injectSystemPrompt: () => 'body' }
      const { admitted } = await roster.admit(plugin)
      expect(admitted).toBe(faultsOf(plugin).length === 0)
      const lines = (await section.render(buildRenderState())).split('\n')
      expect(lines).toEqual(admitted ? [`### ${text}`, 'body'] : [''])
      expect(admitted && /[\n\r\u2028\u2029]/.test(text)).toBe(false)
    }
  })

  it('reach a guard as they are, and a model in one line', async () => {
    for (const { text } of texts) {
      let seen: unknown
      const call = { toolCallId: 'c1', toolName: text, input: { [text]: [text] } }
      const guard = createGuard([
        {
          name: 'a',
          validateStateTransition: (action, context) => {
            seen = [action, context]
            return { allow: false, reason: text }
          },
        },
      ])
      const outcome = await guard(guardRequestFor(call))
      expect(seen).toEqual([
        text,
        { toolName: text, toolCallId: 'c1', arguments: JSON.parse(JSON.stringify(call.input)) },
      ])
      expect(describeGuardRefusal(text, outcome)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    }
  })
})

describe.skipIf(!present)('hostile objects of public collections', () => {
  it.each(objects)('$id pollutes nothing, wherever it is given', async ({ text }) => {
    const payload = JSON.parse(text)
    const before = Object.getOwnPropertyNames(Object.prototype)

    const state = buildRenderState({ extra: JSON.parse(text) })
    expect(Object.getPrototypeOf(state)).toBe(Object.prototype)

    const roster = createPluginRoster()
    const admission = await roster.admit(payload)
    expect(admission.admitted).toBe(faultsOf(payload).length === 0)

    const section = createPluginPromptSection()
    section.addPlugin({ name: 'a', injectContributions: () => [payload, { content: 'x' }] })
    await section.render(state)

    const outcome = await createGuard([
      {
        name: 'a',
        validateStateTransition: (_action, context) => {
          // A guard that merges what it was given into something of its own.
          Object.assign({}, context, context['arguments'])
          expect(JSON.stringify(context['arguments'])).toBe(JSON.stringify(payload))
          return true
        },
      },
    ])(guardRequestFor({ toolCallId: 'c', toolName: 't', input: payload }))
    expect(outcome).toMatchObject({ allowed: true })
    expect(JSON.stringify(payload)).toBe(JSON.stringify(JSON.parse(text)))

    const refused = await createGuard([
      { name: 'a', validateStateTransition: () => JSON.parse(text) },
    ])({ action: 'x', context: {} })
    expect(refused).toMatchObject({ allowed: false, verdict: 'abstain' })
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before)
  })
})

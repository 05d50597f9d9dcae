import type { DomainPlugin } from '@symfonic/plugins'
import type { ModelMessage } from 'ai'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Capability, TurnView } from '../capability.ts'
import { createKernel } from '../kernel.ts'
import type { PromptOptions } from '../kernel-options.ts'
import { withPlugins } from '../with-plugins.ts'
import { expectStablePrefix } from './expect-stable-prefix.ts'
import { scriptedModel } from './scripted-model.ts'

const history: ModelMessage[] = [
  { role: 'user', content: 'hello' },
  { role: 'assistant', content: 'yes' },
]
const inputs = [
  { query: 'one', scope: { tenantId: 'acme' }, state: { day: 1 } },
  { query: 'two', scope: { tenantId: 'acme', userId: 'ana' }, state: { day: 1 }, history },
  { query: 'three', scope: { tenantId: 'globex' }, state: { day: 2 } },
]

afterEach(() => void vi.useRealTimers())

describe('expectStablePrefix', () => {
  it('passes when nothing changes but L2, and calls no model', async () => {
    const model = scriptedModel([])
    const steady = withPlugins({ plugins: [{ name: 'rules', injectSystemPrompt: () => 'Rules.' }] })
    const capabilities = [steady, section('L2', ({ query }) => query)]
    const kernel = createKernel({ model, instructions: 'You are a clerk.', capabilities })
    await expect(expectStablePrefix(kernel, inputs)).resolves.toBeUndefined()
    expect(model.received).toEqual([])
  })

  it.each<[string, Capability, number, object]>([
    [
      'a section of L1',
      section('L1', ({ state }) => `Day ${(state as { day: number }).day}`),
      2,
      {
        layer: 'L1',
        section: 'part',
        capability: 'desk',
        byte: 4,
        before: 'Day 1',
        after: 'Day 2',
      },
    ],
    [
      'a section of L0 that is gone',
      section('L0', ({ query }) => (query === 'two' ? '' : 'Rules.')),
      1,
      { kind: 'removed', layer: 'L0', section: 'part', capability: 'desk' },
    ],
    [
      'a plugin',
      withPlugins({
        plugins: [
          { name: 'steady', injectSystemPrompt: () => 'Always.' },
          { name: 'personal', injectSystemPrompt: ({ TENANT_ID }) => `For ${TENANT_ID}.` },
        ] satisfies DomainPlugin[],
      }),
      2,
      { layer: 'L1', section: 'Domain Plugin', capability: 'plugins', origin: 'personal' },
    ],
  ])(
    'names the culprit and the first input that differs: %s',
    async (_what, culprit, input, change) => {
      const error = await failureOf(culprit)
      expect(error).toMatchObject({ code: 'KERNEL_PREFIX_UNSTABLE', details: { input } })
      expect(error.details.changes[0]).toMatchObject(change)
      expect(error.message).toContain(`input ${input} `)
      expect(error.message).toMatch(/byte \d+ of L[01], section ".+" of ".+"/)
      expect(error.message).toMatch(/Move what changes to L2, or make it the same\.$/)
    },
  )

  it('names the plugin and the byte in words', async () => {
    const personal: DomainPlugin = {
      name: 'personal',
      injectSystemPrompt: ({ TENANT_ID }) => `For ${TENANT_ID}.`,
    }
    const { message } = await failureOf(withPlugins({ plugins: [personal] }))
    expect(message).toContain(
      'byte 17 of L1, section "Domain Plugin" of "plugins", written by "personal": "For acme." became "For globex."',
    )
  })

  const failing: DomainPlugin = { name: 'failing', injectSystemPrompt: fail }
  it.each<[string, Capability, RegExp, object]>([
    [
      'a section',
      section('L1', fail),
      /L1 lacks section "part" of "desk": no data\. Mend/,
      { layer: 'L1', section: 'part', capability: 'desk', origin: undefined, reason: 'no data' },
    ],
    [
      'a plugin',
      withPlugins({ plugins: [failing] }),
      /L1 lacks what "failing" writes of section "Domain Plugin" of "plugins": /,
      { layer: 'L1', section: 'Domain Plugin', origin: 'failing' },
    ],
  ])('fails where in all inputs nothing came of %s', async (_what, culprit, words, failed) => {
    const error = await failureOf(culprit)
    expect(error).toMatchObject({
      ...{ code: 'KERNEL_PREFIX_UNSTABLE', message: expect.stringMatching(words) },
      details: { input: 0, failed: [failed] },
    })
  })

  it('names the input in which something failed to render', async () => {
    const fussy = section('L0', ({ query }) => (query === 'three' ? fail() : 'Rules.'))
    expect(await failureOf(fussy)).toMatchObject({ details: { input: 2 } })
  })

  it('is about the prefix: a failure in L2 counts where the prompt is flat only', async () => {
    const broken = section('L2', fail)
    const kernel = createKernel({ model: scriptedModel([]), capabilities: [broken] })
    await expect(expectStablePrefix(kernel, inputs)).resolves.toBeUndefined()
    const error = await failureOf(broken, { layerMode: 'legacy' })
    expect(error).toMatchObject({ details: { failed: [{ layer: 'L2', section: 'part' }] } })
  })

  it('is strict where the prompt is flat: what is volatile breaks it, too', async () => {
    const change = { layer: 'L2', section: 'part', capability: 'desk' }
    const volatile = section('L2', ({ query }) => query)
    for (const prompt of [
      { contextStrategy: 'jit' },
      { layerMode: 'legacy' },
    ] satisfies PromptOptions[]) {
      const error = await failureOf(volatile, prompt)
      expect(error.details).toMatchObject({ input: 1, changes: [change] })
    }
  })

  it('moves the clock between inputs that are made when it is their turn', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1) })
    const today = section('L1', () => `It is ${new Date().toISOString().slice(0, 10)}.`)
    const kernel = createKernel({ model: scriptedModel([]), capabilities: [today] })
    await expect(expectStablePrefix(kernel, [{ query: 'one' }, { query: 'two' }])).resolves.toBe(
      undefined,
    )
    const tomorrow = () => {
      vi.setSystemTime(Date.UTC(2026, 0, 2))
      return { query: 'two' }
    }
    await expect(expectStablePrefix(kernel, [{ query: 'one' }, tomorrow])).rejects.toMatchObject({
      code: 'KERNEL_PREFIX_UNSTABLE',
      details: {
        input: 1,
        changes: [
          { layer: 'L1', section: 'part', before: 'It is 2026-01-01.', after: 'It is 2026-01-02.' },
        ],
      },
    })
  })

  it.each([[[]], [[{ query: 'one' }]]])('refuses fewer than two inputs: %j', async (few) => {
    const kernel = createKernel({ model: scriptedModel([]) })
    await expect(expectStablePrefix(kernel, few)).rejects.toMatchObject({
      code: 'KERNEL_INPUT_INVALID',
      details: { field: 'inputs' },
    })
  })

  it('passes on why an input has no prompt', async () => {
    const kernel = createKernel({ model: scriptedModel([]) })
    const broken = [{ query: 'one' }, { query: '' }]
    await expect(expectStablePrefix(kernel, broken)).rejects.toMatchObject({
      code: 'KERNEL_INPUT_INVALID',
      details: { field: 'query' },
    })
  })
})

interface Unstable {
  readonly message: string
  readonly details: { readonly changes: readonly object[] }
}

function fail(): never {
  throw new Error('no data')
}

async function failureOf(culprit: Capability, prompt: PromptOptions = {}): Promise<Unstable> {
  const kernel = createKernel({ model: scriptedModel([]), capabilities: [culprit], prompt })
  return expectStablePrefix(kernel, inputs).then(
    () => expect.unreachable('it passed'),
    (error: Unstable) => error,
  )
}

function section(layer: 'L0' | 'L1' | 'L2', render: (view: TurnView) => string): Capability {
  return { name: 'desk', sections: [{ name: 'part', layer, render }] }
}

import { describe, expect, it, vi } from 'vitest'
import type { Capability, ResponseStageName } from './capability.ts'
import { createKernel } from './kernel.ts'
import { silentLogger } from './logger.ts'
import {
  type OwnedStage,
  type ResponseRenderer,
  renderResponse,
  responseStages,
  runResponseStages,
} from './response-pipeline.ts'
import { scriptedModel } from './testing/scripted-model.ts'
import { turnView } from './testing-fixtures/turn-view.ts'

const failures: [string, () => Promise<never>][] = [
  [
    'throws',
    () => {
      throw new Error('down')
    },
  ],
  [
    'throws something that is no error',
    () => {
      throw 'down'
    },
  ],
  ['rejects', () => Promise.reject(new Error('down'))],
]

describe('the stages of an answer', () => {
  it('chain: each gets what the last one gave', async () => {
    const { view } = watched()
    const text = await runResponseStages(
      'a',
      [stage((t) => `${t}b`), stage((t) => `${t}c`)],
      view,
      1_000,
    )
    expect(text).toBe('abc')
  })

  it('may take their time', async () => {
    const { view } = watched()
    const later = stage(async (text) => `${text}!`)
    expect(await runResponseStages('a', [later, later], view, 1_000)).toBe('a!!')
  })

  it('see the turn', async () => {
    const { view } = watched()
    const seen = vi.fn((text: string) => text)
    await runResponseStages('a', [stage(seen)], view, 1_000)
    expect(seen).toHaveBeenCalledWith('a', view)
  })

  it('give the text as it was when there are none', async () => {
    expect(await runResponseStages('as it was', [], watched().view, 1_000)).toBe('as it was')
  })

  it.each(failures)('are passed over and logged when one %s', async (_how, fail) => {
    const { view, warn } = watched()
    const stages = [stage((t) => `${t}b`), stage(fail), stage((t) => `${t}c`)]
    expect(await runResponseStages('a', stages, view, 1_000)).toBe('abc')
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      'a response stage of "desk" failed and was skipped',
      { error: expect.anything() },
    )
  })

  it('run in their locked order whatever the order of the capabilities (KERN-05)', async () => {
    const order: string[] = []
    const tracing = (name: string, ...stages: ResponseStageName[]): Capability => ({
      name,
      stages: Object.fromEntries(
        stages.map((one) => [
          one,
          (text: string) => {
            order.push(`${one} of ${name}`)
            return text
          },
        ]),
      ),
    })
    const kernel = createKernel({
      model: scriptedModel([{ text: 'hi' }]),
      capabilities: [
        tracing('late', 'metacognition', 'salvage'),
        tracing('early', 'fabrication', 'salvage', 'extraction-stripping'),
      ],
      onResponseRender: [
        (text) => {
          order.push('renderer')
          return text
        },
      ],
    })
    await kernel.run({ query: 'hello' })
    expect(responseStages).toEqual([
      'salvage',
      'extraction-stripping',
      'fabrication',
      'metacognition',
    ])
    expect(order).toEqual([
      'salvage of late',
      'salvage of early',
      'extraction-stripping of early',
      'fabrication of early',
      'metacognition of late',
      'renderer',
    ])
  })
})

describe('the rewriters of an answer', () => {
  it('chain, each getting the rewritten text (KERN-07)', async () => {
    const renderers: ResponseRenderer[] = [(t) => `<${t}>`, async (t) => `[${t}]`]
    expect(await renderResponse('a', renderers, watched().view, 1_000)).toBe('[<a>]')
  })

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a number', 4],
    ['an object', { text: 'x' }],
    ['a boxed string', Object('boxed')],
    ['a promise of nothing', Promise.resolve()],
  ])('keep the text when one gives %s (KERN-08)', async (_what, given) => {
    const { view, warn } = watched()
    expect(await renderResponse('a', [() => given, (t) => `${t}!`], view, 1_000)).toBe('a!')
    expect(warn).not.toHaveBeenCalled()
  })

  it('may empty the text', async () => {
    expect(await renderResponse('a', [() => ''], watched().view, 1_000)).toBe('')
  })

  it.each(failures)('are skipped and named in the log when one %s', async (_how, fail) => {
    const { view, warn } = watched()
    expect(await renderResponse('a', [(t) => `${t}b`, fail, (t) => `${t}c`], view, 1_000)).toBe(
      'abc',
    )
    expect(warn).toHaveBeenCalledExactlyOnceWith('onResponseRender[1] failed and was skipped', {
      error: expect.anything(),
    })
  })

  it('are asked in a blocking turn and never on a stream (KERN-11)', async () => {
    const renderer = vi.fn((text: string) => text.toUpperCase())
    const kernel = createKernel({
      model: scriptedModel([{ text: 'hi' }, { text: 'hi' }]),
      onResponseRender: [renderer],
    })
    expect((await kernel.run({ query: 'x' })).text).toBe('HI')
    let last: unknown
    for await (const event of kernel.stream({ query: 'x' })) last = event
    expect(last).toMatchObject({ type: 'turn-end', result: { text: 'hi' } })
    expect(renderer).toHaveBeenCalledTimes(1)
  })
})

function stage(run: OwnedStage['stage']): OwnedStage {
  return { capability: 'desk', stage: run }
}

function watched() {
  const warn = vi.fn()
  const view = turnView({ step: 1, logger: { ...silentLogger, warn } })
  return { view, warn }
}

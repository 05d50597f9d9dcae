import { tool } from 'ai'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createKernel } from '../kernel.ts'
import type { PromptOptions } from '../kernel-options.ts'
import { silentLogger } from '../logger.ts'
import { scriptedModel } from '../testing/scripted-model.ts'
import { turnView } from '../testing-fixtures/turn-view.ts'
import { resolveToolManifest, toolManifestSection } from './tool-manifest.ts'

const look = tool({ inputSchema: z.object({}), execute: async () => 'seen' })

describe('the tool manifest', () => {
  it.each<[string, readonly string[] | undefined, string[]]>([
    ['those declared (PROMPT-16)', ['pay'], ['pay']],
    ['all that are registered where none are', undefined, ['look', 'hydrate_context']],
    ['all that are registered for an empty list', [], ['look', 'hydrate_context']],
  ])('lists %s', (_what, declared, expected) => {
    const manifest = resolveToolManifest(declared, ['look', 'hydrate_context'])
    expect(manifest).toEqual(expected)
    expect(Object.isFrozen(manifest)).toBe(true)
  })

  it('does not follow what the host does to its list afterwards (PROMPT-20)', () => {
    const declared = ['pay']
    const manifest = resolveToolManifest(declared, [])
    declared.push('late')
    expect(manifest).toEqual(['pay'])
  })

  it.each<[string, readonly string[], string]>([
    ['the names in order', ['b', 'a'], '- b\n- a'],
    ['that there are none (PROMPT-19)', [], '(no tools registered)'],
  ])('reads as %s under its heading (PROMPT-18)', async (_what, names, expected) => {
    expect(await toolManifestSection(names, 'cached').render(turnView())).toBe(
      `Use ONLY these exact names when making tool calls:\n${expected}`,
    )
  })

  it.each([
    ['cached', 'L1'],
    ['volatile', 'L2'],
  ] as const)('is %s in %s (PROMPT-21)', (position, layer) => {
    expect(toolManifestSection([], position)).toMatchObject({ layer, name: 'tool-manifest' })
  })
})

describe('in a kernel, the manifest', () => {
  it.each<[string, PromptOptions, string | undefined, string[] | undefined]>([
    ['is left out by default', {}, undefined, undefined],
    ['is left out for false', { toolManifest: false }, undefined, undefined],
    ['lists all tools', { toolManifest: true }, 'L1', ['look', 'pay']],
    ['lists what is declared', { toolManifest: ['pay', 'look'] }, 'L1', ['pay', 'look']],
    [
      'moves to L2 when it is volatile',
      { toolManifest: true, manifestCachePosition: 'volatile' },
      'L2',
      ['look', 'pay'],
    ],
    [
      'stays in L1 of a legacy prompt (PROMPT-22)',
      { toolManifest: true, manifestCachePosition: 'volatile', layerMode: 'legacy' },
      'L1',
      ['look', 'pay'],
    ],
    [
      'lists the tool of the framework, too, and stays in L1 (PROMPT-17, PROMPT-22)',
      { toolManifest: true, manifestCachePosition: 'volatile', contextStrategy: 'jit' },
      'L1',
      ['look', 'pay', 'hydrate_context'],
    ],
  ])('%s', async (_what, prompt, layer, names) => {
    const { found } = await manifestOf(prompt)
    expect(found?.layer).toBe(layer)
    expect(found?.text.split('\n').slice(1)).toEqual(names?.map((name) => `- ${name}`))
  })

  it.each<[string, PromptOptions, RegExp[]]>([
    ['nothing while it lists all', { toolManifest: ['pay', 'look'] }, []],
    ['a tool it does not list', { toolManifest: ['pay'] }, [/does not list look/]],
    [
      'a tool that does not exist',
      { toolManifest: ['pay', 'look', 'nope'] },
      [/lists nope, which no tool is called/],
    ],
    [
      'a position that does nothing under jit',
      { toolManifest: true, manifestCachePosition: 'volatile', contextStrategy: 'jit' },
      [/under the strategy jit/],
    ],
    [
      'a position that does nothing in a legacy prompt',
      { toolManifest: true, manifestCachePosition: 'volatile', layerMode: 'legacy' },
      [/layer mode legacy/],
    ],
    [
      'nothing where there is no manifest',
      { manifestCachePosition: 'volatile', jitContext: true },
      [],
    ],
    [
      'nothing where a position works',
      { toolManifest: true, manifestCachePosition: 'volatile' },
      [],
    ],
  ])('warns once, when it is composed, of %s', async (_what, prompt, expected) => {
    const { warn } = await manifestOf(prompt)
    expect(warn.mock.calls.map(([message]) => message)).toEqual(
      expected.map((pattern) => expect.stringMatching(pattern)),
    )
  })
})

async function manifestOf(prompt: PromptOptions) {
  const warn = vi.fn()
  const kernel = createKernel({
    model: scriptedModel([]),
    tools: { look, pay: look },
    prompt,
    logger: { ...silentLogger, warn },
  })
  await kernel.previewPrompt({ query: 'one' })
  const { layers } = await kernel.previewPrompt({ query: 'two' })
  const sections = layers.flatMap(({ layer, sections: all }) => all.map((s) => ({ ...s, layer })))
  return { found: sections.find(({ name }) => name === 'tool-manifest'), warn }
}

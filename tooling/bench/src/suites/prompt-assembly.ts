import { type Capability, createKernel, type PromptReport } from '@symfonic/kernel'
import { withPlugins } from '@symfonic/kernel/with-plugins'
import type { DomainPlugin } from '@symfonic/plugins'
import type { Suite } from '../suite.ts'
import { instructions, query, tenStepModel, tenTools } from '../ten-step-loop.ts'

const sectionCount = 30
const pluginCount = 20
const limitNs = 100_000

/**
 * What a turn pays for its prompt before the model is called: many sections and plugins of which
 * nothing has changed since the last turn, and the same with one volatile section that always does.
 */
export const promptAssembly: Suite = {
  name: 'kernel/prompt-assembly',
  prepare: async () => {
    let turn = 0
    const still = kernelWith(() => 'Turn by turn the same.')
    const moving = kernelWith(() => {
      turn += 1
      return `Turn ${turn}.`
    })
    assertPrompts([await still(), await still()], { sameVolatile: true })
    assertPrompts([await moving(), await moving()], { sameVolatile: false })
    const what = `${sectionCount} sections and ${pluginCount} plugins`
    return {
      contenders: [
        { name: 'still', units: 1, work: still },
        { name: 'moving', units: 1, work: moving },
      ],
      comparisons: [
        {
          name: `${what}, nothing changed / 100 µs`,
          ours: 'still',
          theirs: limitNs,
          bound: 1,
        },
        { name: `${what}, one volatile text changed / 100 µs`, ours: 'moving', theirs: limitNs },
      ],
    }
  },
}

function kernelWith(volatileText: () => string): () => Promise<PromptReport> {
  const desk: Capability = {
    name: 'desk',
    sections: Array.from({ length: sectionCount }, (_, index) => ({
      name: `section ${index}`,
      layer: index < 5 ? 'L0' : index < sectionCount - 1 ? 'L1' : 'L2',
      render: index < sectionCount - 1 ? () => paragraph(`section ${index}`) : volatileText,
    })),
  }
  const plugins = Array.from({ length: pluginCount }, (_, index): DomainPlugin => {
    const name = `plugin ${index}`
    // Written anew at every turn, as plugins do that know nothing of each other or of a cache.
    return { name, injectContributions: async () => [{ content: paragraph(name) }] }
  })
  const kernel = createKernel({
    model: tenStepModel(),
    tools: tenTools,
    instructions,
    capabilities: [desk, withPlugins({ plugins })],
    cache: { dialect: 'anthropic' },
  })
  return () => kernel.previewPrompt({ query })
}

/** Some 400 characters. */
function paragraph(topic: string): string {
  return `What holds for ${topic}: ${'look things up before you act, and say what you found. '.repeat(7)}`
}

function assertPrompts(
  [first, second]: readonly [PromptReport, PromptReport],
  { sameVolatile }: { sameVolatile: boolean },
): void {
  const sections = second.layers.flatMap((layer) => layer.sections)
  const pieces = sections.flatMap((section) => section.pieces)
  const hashes = (layer: string) =>
    [first, second].map((report) => report.layers.find((one) => one.layer === layer)?.hash)
  const isSame = (layer: string) => new Set(hashes(layer)).size === 1
  // Beside those that are counted: the instructions, and the section of the plugins.
  const holds =
    sections.length === sectionCount + 2 &&
    pieces.length === pluginCount &&
    isSame('L0') &&
    isSame('L1') &&
    isSame('L2') === sameVolatile
  if (!holds) throw new Error(`The prompt is not as it should be: ${sections.length} sections.`)
}

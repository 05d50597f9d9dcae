import type { Details } from './details.ts'
import { topicIn } from './topics.ts'

/** Something that memory has brought to mind. */
export interface Recollection {
  readonly layer: string
  readonly content: string
  /** What it belongs to, such as `seat`. */
  readonly label: string | undefined
}

const line = /^- (\w{1,20}): ("(?:[^"\\\n]|\\.){0,2000}")…?(?: \((.{0,600})\))?$/gm

const quotations = /"(?:[^"\\]|\\.)*"/g

/**
 * Reads recalled memory: one quotation a line, between two tags.
 *
 * @param system - What the application says. A block that a user or a tool wrote is nothing recalled.
 */
export function readRecalled(system: string): readonly Recollection[] {
  const [, block = ''] = system.match(/^<recalled_memory>\n([\s\S]*?)^<\/recalled_memory>/m) ?? []
  return [...block.matchAll(line)].map(([, layer = '', quotation = '', about = '']) => {
    const names = about.replace(quotations, '')
    const [, label] = names.match(/(?:^|; )label ([\w.-]{1,40})/) ?? []
    return { layer, content: unquoted(quotation), label }
  })
}

/** Answers from what is known, where it is about what was asked; what was merely said once does not count. */
export function recollect(
  { words }: Pick<Details, 'words'>,
  { recalled }: { readonly recalled: readonly Recollection[] },
): string | undefined {
  const topic = topicIn(words)
  const fitting = recalled.filter(({ layer, label, content }) => {
    const own = label ?? topicIn(content.toLowerCase())
    return layer === 'semantic' && (topic === undefined || own === topic)
  })
  if (fitting.length === 0) return undefined
  return `I remember: ${fitting.map(({ content }) => `**${content.replace(/\.$/, '')}**`).join('; ')}.`
}

/** What stands in a quotation. What was written out to be harmless stays written out. */
function unquoted(quotation: string): string {
  return quotation.slice(1, -1).replace(/\\(["\\])/g, '$1')
}

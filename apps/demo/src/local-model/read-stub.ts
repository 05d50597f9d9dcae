import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import type { Mind } from './mind.ts'
import type { ResultRecord } from './records.ts'

/** What stands in place of a tool result. */
export interface Stub {
  readonly id: string
  /** Reads the result itself. */
  readonly tool: LanguageModelV4FunctionTool
  /** How many entries its longest list has, if the stub says so. */
  readonly entries: number | undefined
}

/** What stubs of all kinds share. What stands in quotes was written by a tool. */
const pattern =
  /^\[Stub written by the host(?:[^"]|"(?:[^"\\]|\\.)*"){1,300}?, id (\w{1,80})\. (\w{1,64}) reads /

/** The stub in a tool result: one that names a tool the model has. Any other text is a text. */
export function readStub(value: unknown, { tools }: Pick<Mind, 'tools'>): Stub | undefined {
  if (typeof value !== 'string') return undefined
  const [, id, name] = value.match(pattern) ?? []
  const tool = tools.find((each) => each.name === name)
  if (id === undefined || tool === undefined) return undefined
  const counts = [...value.matchAll(/\[(\d{1,9}) items\b/g)].map(([, count]) => Number(count))
  return { id, tool, entries: counts.length === 0 ? undefined : Math.max(...counts) }
}

/** The entries that can be read whole in a piece of JSON, as a search in a result gives it. */
export function recordsInText(text: string): readonly ResultRecord[] {
  return (text.match(/\{[^{}]{1,600}\}/g) ?? []).flatMap((found) => {
    try {
      return [JSON.parse(found) as ResultRecord]
    } catch {
      return []
    }
  })
}

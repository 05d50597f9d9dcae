import { asSchema, type ToolSet } from 'ai'
import { withoutMarker } from './cache/limit-markers.ts'

type AnyTool = ToolSet[string]

/** The definition of one tool as a model reads it. */
export interface ToolDefinition {
  readonly name: string
  /** The capability that brings it; `kernel` for what the options declare. */
  readonly capability: string
  /** All that is sent of it, as JSON. Cache markers are no part of it. */
  readonly text: string
}

/** The tools of one turn. The same value as long as every definition says the same. */
export interface OfferedTools {
  /** What the model call gets: a description that is a function has become what it said. */
  readonly tools: ToolSet
  /** In the order of the request. */
  readonly definitions: readonly ToolDefinition[]
}

/**
 * Offers tools turn by turn. A schema is read once; a description that is a function is asked once a
 * turn, so that all steps of the turn send what was described.
 *
 * What cannot be read (a schema that rejects, a description that throws) is described by its name
 * alone: the model call asks for it again, and fails with words of its own.
 *
 * @param owners - The capability of each tool.
 */
export function createToolOffer(
  tools: ToolSet,
  owners: ReadonlyMap<string, string>,
): () => Promise<OfferedTools> {
  const entries = Object.entries(tools)
  const isFixed = entries.every(([, { description }]) => typeof description !== 'function')
  let schemas: Promise<readonly unknown[]> | undefined
  let last: OfferedTools | undefined

  return async () => {
    if (last !== undefined && isFixed) return last
    schemas ??= Promise.all(entries.map(([, tool]) => schemaOf(tool)))
    const read = await schemas
    const said = isFixed ? tools : withSaid(entries)
    const definitions = Object.entries(said).map(([name, tool], index) =>
      Object.freeze({
        name,
        capability: owners.get(name) ?? 'kernel',
        text: write(name, tool, read[index]),
      }),
    )
    const isSame = last?.definitions.every(({ text }, index) => text === definitions[index]?.text)
    if (last === undefined || !isSame) {
      last = Object.freeze({ tools: said, definitions: Object.freeze(definitions) })
    }
    return last
  }
}

/** The tools as one text, as they stand in a request. */
export function joinDefinitions(definitions: readonly { readonly text: string }[]): string {
  return `[${definitions.map(({ text }) => text).join(',')}]`
}

/** Rejections are kept as undefined, which no schema is. */
async function schemaOf(tool: AnyTool): Promise<unknown> {
  try {
    return tool.type === 'provider' ? undefined : await asSchema(tool.inputSchema).jsonSchema
  } catch {
    return undefined
  }
}

function withSaid(entries: readonly [string, AnyTool][]): ToolSet {
  // No prototype: a tool called __proto__ becomes an entry like any other.
  const said = Object.create(null) as ToolSet
  for (const [name, tool] of entries) said[name] = withDescription(tool)
  return Object.freeze(said)
}

function withDescription(tool: AnyTool): AnyTool {
  if (typeof tool.description !== 'function') return tool
  try {
    // As the AI SDK asks it: a kernel hands tools no context before they run.
    const description = tool.description({ context: undefined })
    return { ...tool, description } as AnyTool
  } catch {
    return tool
  }
}

function write(name: string, tool: AnyTool, inputSchema: unknown): string {
  if (tool.type === 'provider') return JSON.stringify({ name, id: tool.id, args: tool.args })
  const { description, inputExamples, strict } = tool
  if (inputSchema === undefined || typeof description === 'function')
    return JSON.stringify({ name })
  const providerOptions = optionsOf(tool)
  try {
    return JSON.stringify({
      name,
      description,
      inputSchema,
      inputExamples,
      providerOptions,
      strict,
    })
  } catch {
    return JSON.stringify({ name })
  }
}

/** Without the cache marker, which moves without changing what is cached. */
function optionsOf(tool: AnyTool): unknown {
  if (tool.providerOptions === undefined) return undefined
  const { anthropic, ...others } = withoutMarker(tool).providerOptions ?? {}
  const options = Object.keys(anthropic ?? {}).length > 0 ? { ...others, anthropic } : others
  return Object.keys(options).length > 0 ? options : undefined
}

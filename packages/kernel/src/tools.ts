import { asSchema, type ToolSet } from 'ai'
import { markerOn, withMarker, withoutMarker } from './cache/limit-markers.ts'
import type { CacheTtl, Capability } from './capability.ts'
import { KernelError } from './errors.ts'
import { createToolOffer, type OfferedTools } from './tool-definitions.ts'

/** Any tool of the AI SDK: static, dynamic, of a provider, with or without `execute`. */
export type AnyTool = ToolSet[string]

/** The tools of a kernel, frozen when it is composed (KERN-29). */
export interface ToolRegistry {
  /** As declared: what the kernel executes and what UI helpers read. */
  readonly declared: ToolSet
  /** Without `execute`, with schemas converted once. */
  readonly offered: ToolSet
  readonly names: readonly string[]
  /** The tool that can end the definitions with a cache marker: the last that is no provider's. */
  readonly markable: string | undefined
  /** The marker the host has put on a definition, if any. */
  readonly marked: { readonly name: string; readonly ttl: CacheTtl } | undefined
  /** The tools of a turn that begins now. */
  readonly offer: () => Promise<OfferedTools>
}

/**
 * Gathers the host's tools and those of the capabilities (LO-10).
 *
 * Schemas are wrapped here once: the SDK would convert each zod schema to JSON schema again at every
 * step, which costs more than the rest of the step together.
 *
 * @throws KernelError `KERNEL_TOOL_NAME_TAKEN`, `KERNEL_CONFIGURATION_INVALID`.
 */
export function createToolRegistry(
  tools: ToolSet,
  capabilities: readonly Capability[],
): ToolRegistry {
  const owners = new Map<string, string>()
  const brought = new Map<string, string>()
  const declared = emptyToolSet()
  const offered = emptyToolSet()

  const register = (owner: string, name: string, tool: AnyTool) => {
    const first = owners.get(name)
    if (first !== undefined) {
      throw new KernelError(
        'KERNEL_TOOL_NAME_TAKEN',
        `The tool name "${name}" is declared by ${first} and again by ${owner}. Rename one of them.`,
        { details: { toolName: name, owners: [first, owner] } },
      )
    }
    if (typeof tool !== 'object' || tool === null) {
      throw new KernelError(
        'KERNEL_CONFIGURATION_INVALID',
        `The tool "${name}" of ${owner} is ${tool === null ? 'null' : typeof tool}. Give the result of the AI SDK's tool().`,
        { details: { option: 'tools', toolName: name } },
      )
    }
    refuseUnheeded(owner, name, tool)
    owners.set(name, owner)
    declared[name] = tool
    offered[name] = offer(tool)
  }

  for (const [name, tool] of Object.entries(tools)) register('the tools option', name, tool)
  for (const capability of capabilities) {
    for (const [name, tool] of Object.entries(capability.tools ?? {})) {
      register(`the capability "${capability.name}"`, name, tool)
      brought.set(name, capability.name)
    }
  }
  const names = [...owners.keys()]
  const own = names.filter((name) => declared[name]?.type !== 'provider')
  const marked = own.flatMap((name) => {
    const ttl = markerOn(declared[name] ?? {})
    return ttl === undefined ? [] : [{ name, ttl }]
  })
  return Object.freeze({
    declared: Object.freeze(declared),
    offered: Object.freeze(offered),
    names: Object.freeze(names),
    markable: own.at(-1),
    marked: marked.at(-1),
    offer: createToolOffer(offered, brought),
  })
}

/** The offered tools with one marker, or with none. The same set for the same marker. */
export function markTools(
  offered: ToolSet,
  marker: { readonly name: string; readonly ttl: CacheTtl } | undefined,
): ToolSet {
  const key = marker === undefined ? '' : `${marker.ttl} ${marker.name}`
  const variants = markedTools.get(offered) ?? new Map<string, ToolSet>()
  markedTools.set(offered, variants)
  const known = variants.get(key)
  if (known !== undefined) return known
  const made = emptyToolSet()
  for (const [name, tool] of Object.entries(offered)) {
    const bare = markerOn(tool) === undefined ? tool : withoutMarker(tool)
    made[name] = name === marker?.name ? withMarker(bare, marker.ttl) : bare
  }
  variants.set(key, Object.freeze(made))
  return made
}

const markedTools = new WeakMap<ToolSet, Map<string, ToolSet>>()

/** A tool by the name a model wrote: own properties only, so `constructor` is not a tool. */
export function findTool(registry: ToolRegistry, name: string): AnyTool | undefined {
  return Object.hasOwn(registry.declared, name) ? registry.declared[name] : undefined
}

/** Does the kernel run it? A tool without `execute` is the caller's to run. */
export function isExecutable(tool: AnyTool | undefined): tool is AnyTool {
  return typeof tool?.execute === 'function'
}

/** Declared by a tool, called by the SDK's own loop only. Approval above all must not be skipped in silence. */
const unheeded = ['needsApproval', 'onInputStart', 'onInputDelta', 'onInputAvailable'] as const

function refuseUnheeded(owner: string, toolName: string, tool: AnyTool) {
  const trait = unheeded.find((name) => tool[name] !== undefined && tool[name] !== false)
  if (trait === undefined) return
  throw new KernelError(
    'KERNEL_CONFIGURATION_INVALID',
    `The tool "${toolName}" of ${owner} declares ${trait}, which a kernel does not heed. Judge its calls in a capability's gate, or watch the kernel's events, and leave ${trait} out.`,
    { details: { option: 'tools', toolName, trait } },
  )
}

function offer(tool: AnyTool): AnyTool {
  // Tools that a provider defines and the client runs have an execute too.
  const { execute: _, ...rest } = tool
  return { ...rest, inputSchema: asSchema(tool.inputSchema) } as AnyTool
}

function emptyToolSet(): ToolSet {
  // No prototype: a tool called __proto__ becomes an entry like any other.
  return Object.create(null) as ToolSet
}

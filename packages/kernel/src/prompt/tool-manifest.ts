import type { PromptSection } from '../capability.ts'

/**
 * The tool names that the prompt may list: those declared, or all that are registered where none are
 * (PROMPT-16). Registered ones include the framework's own (PROMPT-17).
 */
export function resolveToolManifest(
  declared: readonly string[] | undefined,
  registered: readonly string[],
): readonly string[] {
  return Object.freeze([...(declared?.length ? declared : registered)])
}

/**
 * The manifest as a section, behind the rules of its layer (PROMPT-18, PROMPT-19). It is the same in
 * every turn.
 */
export function toolManifestSection(
  manifest: readonly string[],
  position: 'cached' | 'volatile',
): PromptSection {
  const text = `Use ONLY these exact names when making tool calls:\n${list(manifest)}`
  return {
    name: 'tool-manifest',
    layer: position === 'volatile' ? 'L2' : 'L1',
    priority: 80,
    render: () => text,
  }
}

function list(manifest: readonly string[]): string {
  if (manifest.length === 0) return '(no tools registered)'
  return manifest.map((name) => `- ${name}`).join('\n')
}

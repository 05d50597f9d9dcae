/** The hooks of a plugin. All are optional, and no other member of a plugin is ever called. */
export const hookNames = [
  'injectContributions',
  'injectSystemPrompt',
  'validateStateTransition',
  'getDomainTools',
] as const

/** The name of a hook. */
export type HookName = (typeof hookNames)[number]

/** One hook as it is now, or what reading it threw. Absent hooks are undefined or null. */
export function readHook(
  plugin: object,
  hook: HookName,
): { readonly hook: unknown } | { readonly error: unknown } {
  try {
    return { hook: (plugin as Partial<Record<HookName, unknown>>)[hook] }
  } catch (error) {
    return { error }
  }
}

/** Whether a hook is there at all; whether it can be called is another question. */
export function isPresent(hook: unknown): boolean {
  return hook !== undefined && hook !== null
}

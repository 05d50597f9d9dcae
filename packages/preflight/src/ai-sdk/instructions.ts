import type { Instructions, SystemModelMessage } from './sdk.ts'

/** Puts the rules block into instructions. */
export interface InstructionWriter {
  /**
   * The given instructions, then the rules as a system message of their own; a rules message that
   * is among them already is replaced.
   *
   * @param block - The rules block; `''` adds no message.
   */
  write(own: Instructions | undefined, block: string): SystemModelMessage[]
}

/** @param cacheTtl - Lifetime of the cache marker on the rules; undefined for no marker. */
export function createInstructionWriter(cacheTtl: '5m' | '1h' | undefined): InstructionWriter {
  // The SDK hands instructions on from step to step as they are, so our messages are known again.
  const written = new WeakSet<SystemModelMessage>()
  return {
    write: (own, block) => {
      const others = asMessages(own).filter((message) => !written.has(message))
      if (block === '') return others
      const rules: SystemModelMessage = { role: 'system', content: block, ...markedFor(cacheTtl) }
      written.add(rules)
      return [...others, rules]
    },
  }
}

function asMessages(instructions: Instructions | undefined): readonly SystemModelMessage[] {
  if (instructions === undefined) return []
  if (typeof instructions !== 'string') {
    return Array.isArray(instructions) ? instructions : [instructions]
  }
  return [{ role: 'system', content: instructions }]
}

function markedFor(ttl: '5m' | '1h' | undefined): Partial<SystemModelMessage> {
  if (ttl === undefined) return {}
  return { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral', ttl } } } }
}

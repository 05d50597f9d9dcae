import { type PreconditionSource, parsePrecondition } from '@symfonic/predicates'
import { deriveId } from './derive-id.ts'
import type { MemoryEntry } from './entry.ts'
import { parseEntry } from './parse-entry.ts'

/** A skill as an author writes it. @see SKILL-02, SKILL-03 */
export interface AuthoredSkill {
  /** The name shown in a pre-flight rule (SKILL-05). */
  readonly label: string
  /** The text of the skill. */
  readonly content: string
  /** The tool it is about. */
  readonly actionTool?: string
  readonly steps?: readonly string[]
  /** 0 to 10; 5 by default. */
  readonly importance?: number
  /** Tools to call first, conditions on state, or both. */
  readonly precondition?: PreconditionSource
}

/** @see skillEntry */
export interface SkillEntryOptions {
  /** Where it was authored, such as `authored:support-team` (SKILL-04). */
  readonly sourceTag: string
  /** Epoch milliseconds. */
  readonly now: number
}

/**
 * A skill as an entry of the procedural layer. Its metadata hold `label`, `actionTool`, `steps` and
 * `precondition` as written, which is what `defineSkill` of `@symfonic/preflight` takes. Its id comes from
 * tag and label, so seeding it again replaces it (OPEN-SKILL-2).
 *
 * @throws PredicateError - for a malformed precondition, before anything is stored (OPEN-SKILL-1);
 * MemoryError - `MEMORY_ENTRY_INVALID` or `MEMORY_ENTRY_TOO_LARGE`.
 */
export function skillEntry(
  skill: AuthoredSkill,
  { sourceTag, now }: SkillEntryOptions,
): MemoryEntry {
  const { label, content, actionTool, steps, importance, precondition } = skill
  parsePrecondition(precondition)
  const entry = parseEntry(
    {
      layer: 'procedural',
      kind: 'skill',
      label,
      content,
      provenance: { source: 'author', sourceTag },
      ...(importance !== undefined && { importance }),
      metadata: {
        label,
        ...(actionTool !== undefined && { actionTool }),
        ...(steps !== undefined && { steps }),
        ...(precondition !== undefined && precondition !== null && { precondition }),
      },
    },
    { now },
  )
  return { ...entry, id: deriveId({ ...entry, content: '' }) }
}

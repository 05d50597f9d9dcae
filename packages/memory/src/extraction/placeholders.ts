import { MemoryError } from '../errors.ts'

/** Anything that looks like a placeholder, in any spelling an author might try. */
const placeholder = /\{\{[ \t]?([A-Za-z_]\w{0,99})[ \t]?\}\}/g

/**
 * Fills the placeholders of a template, each `{{NAME}}` once and in one pass: what a value holds is
 * never read as a placeholder again, whatever it looks like.
 *
 * @param values - Text by name; every occurrence of a name is replaced.
 * @throws MemoryError - `MEMORY_EXTRACTION_PLACEHOLDERS`, listing each placeholder of the template
 * that has no value.
 * @see MEM-32, MEM-33, OPEN-MEM-4
 */
export function fillPlaceholders(template: string, values: ReadonlyMap<string, string>): string {
  const unresolved = new Set<string>()
  const text = template.replace(placeholder, (written: string, name: string) => {
    const value = written === `{{${name}}}` ? values.get(name) : undefined
    if (value === undefined) unresolved.add(name)
    return value ?? written
  })
  if (unresolved.size === 0) return text
  const names = [...unresolved]
  throw new MemoryError(
    'MEMORY_EXTRACTION_PLACEHOLDERS',
    `Unresolved extraction prompt placeholders: ${names.join(', ')}. Take them out of the template, or use ${[...values.keys()].join(', ')}.`,
    { details: { placeholders: Object.freeze(names) } },
  )
}

import { MemoryError } from './errors.ts'

/**
 * Copies the own fields of what a caller gave, so that each is read once.
 *
 * @throws MemoryError - `MEMORY_QUERY_INVALID`, naming `field`: it is no object, or a getter of it throws.
 */
export function readObject<Given extends object>(field: string, given: Given): Given {
  try {
    if (typeof given === 'object' && given !== null) return { ...given }
  } catch (cause) {
    throw new MemoryError(
      'MEMORY_QUERY_INVALID',
      `"${field}" could not be read. Give a plain object.`,
      { details: { field }, cause },
    )
  }
  throw new MemoryError('MEMORY_QUERY_INVALID', `"${field}" was refused. An object is expected.`, {
    details: { field },
  })
}

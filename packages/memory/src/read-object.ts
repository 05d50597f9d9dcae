import { MemoryError, type MemoryErrorCode } from './errors.ts'

/**
 * Reads what a caller gave. A getter, a revoked proxy or a `toString` that throws meanwhile is malformed
 * input like any other.
 *
 * @throws MemoryError - with this code, naming `field`, in place of what is no error of this package.
 */
export function readSafely<Result>(
  field: string,
  read: () => Result,
  code: MemoryErrorCode = 'MEMORY_QUERY_INVALID',
): Result {
  try {
    return read()
  } catch (cause) {
    if (cause instanceof MemoryError) throw cause
    throw new MemoryError(code, `"${field}" could not be read. Give plain data.`, {
      details: { [named[code] ?? 'field']: field },
      cause,
    })
  }
}

/** What the details call it, where that is no field. */
const named: { readonly [code in MemoryErrorCode]?: string } = {
  MEMORY_SCOPE_INVALID: 'key',
  MEMORY_OPTION_INVALID: 'option',
}

/**
 * Copies the own fields of what a caller gave, so that each is read once.
 *
 * @throws MemoryError - `MEMORY_QUERY_INVALID`, naming `field`: it is no object, or a getter of it throws.
 */
export function readObject<Given extends object>(field: string, given: Given): Given {
  if (typeof given === 'object' && given !== null) {
    return readSafely(field, () => ({ ...given }))
  }
  throw new MemoryError('MEMORY_QUERY_INVALID', `"${field}" was refused. An object is expected.`, {
    details: { field },
  })
}

/**
 * Reads options as `readObject` does. One that does not exist is refused: a slip of the pen would go unnoticed.
 *
 * @param field - What the options are called, for the error.
 * @throws MemoryError - `MEMORY_OPTION_INVALID`, naming the option and those that there are; as `readObject`.
 */
export function readOptions<Given extends object>(
  field: string,
  given: Given,
  known: readonly string[],
): Given {
  const read = readObject(field, given)
  for (const key of Object.keys(read)) {
    if (known.includes(key)) continue
    const option = key.slice(0, 60).toWellFormed()
    throw new MemoryError(
      'MEMORY_OPTION_INVALID',
      `There is no "${option}" in ${field}. Give only ${known.join(', ')}.`,
      { details: { option } },
    )
  }
  return read
}

import { isPlain } from './plain-copy.ts'

/**
 * Freezes plain data all the way down, in place. What is frozen already ends the walk, and so does
 * whatever is no plain object or list, such as a file or a date.
 */
export function deepFreeze<Value>(value: Value): Value {
  if (!isPlain(value) || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const key of Object.keys(value)) deepFreeze(value[key as keyof typeof value])
  return value
}

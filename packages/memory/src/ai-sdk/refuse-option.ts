import type { Memory } from '../create-memory.ts'
import { MemoryError } from '../errors.ts'
import { readSafely } from '../read-object.ts'

/** The refusal of an option, ending with what to give. */
export function refusedOption(option: string, what: string): MemoryError {
  return new MemoryError('MEMORY_OPTION_INVALID', `Option "${option}" was refused. ${what}`, {
    details: { option },
  })
}

/** @throws MemoryError - `MEMORY_OPTION_INVALID` for what `createMemory` did not make. */
export function refuseNoMemory(memory: Memory): void {
  if (hasFunction('memory', memory, 'hydrate')) return
  throw refusedOption('memory', 'It is no memory. createMemory makes one.')
}

/** Whether what was given for an option has a function of this name. */
export function hasFunction<Given>(option: string, given: Given, name: keyof Given): boolean {
  return readSafely(option, () => typeof given?.[name] === 'function', 'MEMORY_OPTION_INVALID')
}

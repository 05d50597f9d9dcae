import type picocolors from 'picocolors'

/** Where a command writes. */
export interface Terminal {
  readonly out: (text: string) => void
  readonly error: (text: string) => void
  readonly colors: ReturnType<typeof picocolors.createColors>
}

/** A value, or why there is none: a problem with how the command was used, for the user to read. */
export type Outcome<Value> =
  | { readonly value: Value }
  /** Not escaped: whoever prints it does that. */
  | { readonly problem: string }

/** What was thrown, in words. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

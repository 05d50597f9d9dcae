import { InvalidToolInputError } from 'ai'

/** What went wrong, in words. Input that does not fit a schema is told by what does not fit. */
export function reasonOf(error: unknown): string {
  const issues = InvalidToolInputError.isInstance(error) ? issuesOf(error) : []
  if (issues.length > 0) return `the input does not fit: ${issues.join('; ')}`
  return error instanceof Error ? error.message : String(error)
}

const causeLimit = 5

/** The issues of a schema library (the Standard Schema shape), somewhere down the causes. */
function issuesOf(error: Error): string[] {
  let cause: unknown = error
  for (let depth = 0; depth < causeLimit && cause instanceof Error; depth += 1) {
    if ('issues' in cause && Array.isArray(cause.issues)) return cause.issues.map(describeIssue)
    cause = cause.cause
  }
  return []
}

function describeIssue(issue: unknown): string {
  const { path, message } = (issue ?? {}) as { path?: unknown; message?: unknown }
  const place = Array.isArray(path) && path.length > 0 ? `${path.map(String).join('.')}: ` : ''
  return `${place}${String(message)}`
}

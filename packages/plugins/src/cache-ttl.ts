/** How long a provider keeps a cached prefix: five minutes or one hour (PLUG-28). */
export type CacheTtl = '5m' | '1h'

/** Whether a value is a lifetime that can be asked for. */
export function isCacheTtl(value: unknown): value is CacheTtl {
  return value === '5m' || value === '1h'
}

/**
 * The longest lifetime that any contribution asks for: `1h` over `5m` over none (PLUG-42).
 *
 * @returns undefined when none asks for one.
 */
export function strongestCacheTtl(
  contributions: readonly { readonly cacheTtl: CacheTtl | undefined }[],
): CacheTtl | undefined {
  let strongest: CacheTtl | undefined
  for (const { cacheTtl } of contributions) {
    if (cacheTtl === '1h') return '1h'
    strongest ??= cacheTtl
  }
  return strongest
}

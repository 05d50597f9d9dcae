import { createRequire } from 'node:module'
import type { DatabaseSync } from 'node:sqlite'

/** Loads at once and only where it is wanted, which `import` cannot. */
const require = createRequire(import.meta.url)

/**
 * Loads sqlite-vec into a connection where it is installed for this platform, and locks the door behind it:
 * nothing else can be loaded afterwards.
 *
 * @returns whether `vec_distance_cosine` is there.
 */
export function loadVectorExtension(connection: DatabaseSync): boolean {
  try {
    const found: typeof import('sqlite-vec') = require('sqlite-vec')
    found.load(connection)
    return true
  } catch {
    // Not installed, or not for this platform.
    return false
  } finally {
    connection.enableLoadExtension(false)
  }
}

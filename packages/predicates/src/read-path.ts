import { MISSING } from './key-sites.ts'
import type { CompiledPath, PathSegment } from './path.ts'

/**
 * Follows a compiled path. The rules are those of `resolvePath`; this form allocates nothing.
 *
 * @returns The live value, or `MISSING`. A getter or proxy trap that throws, throws through.
 * @see PRED-17, PRED-18, DESIGN decision 4
 */
export function readPath(path: CompiledPath, state: unknown): unknown {
  const { length } = path
  // The first two segments are the usual ones and have a call of their own, which V8 can inline.
  const first = path[0] as PathSegment
  if (!isEnterable(state)) return MISSING
  let node = first.read(state, first)
  if (length === 1 || node === MISSING) return node
  const second = path[1] as PathSegment
  if (!isEnterable(node)) return MISSING
  node = second.read(node, second)
  for (let position = 2; position < length && node !== MISSING; position += 1) {
    if (!isEnterable(node)) return MISSING
    const segment = path[position] as PathSegment
    node = segment.read(node, segment)
  }
  return node
}

/** Lists, maps and the like are told from records when the key is read. */
function isEnterable(node: unknown): node is Readonly<Record<string, unknown>> {
  return typeof node === 'object' && node !== null
}

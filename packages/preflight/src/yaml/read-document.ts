import { PreflightError } from '../errors.ts'
import { writeKeyPath } from '../key-path.ts'
import { kindOf } from '../kind-of.ts'
import type { YamlFault } from './fault.ts'
import { yamlLimits } from './limits.ts'
import { parseText } from './parse-text.ts'
import type { PositionOf } from './position.ts'
import { type PlacedValue, resolveTree, type TreeFault } from './resolve-tree.ts'

/** The one document of a file. */
export interface DocumentReading {
  /** Absent when the file is empty, or when it cannot be read at all. */
  readonly root?: PlacedValue
  readonly faults: readonly TreeFault[]
}

/** Parses and resolves a text. Skills are not looked at. Never throws. */
export function readDocument(text: string, positionOf: PositionOf): DocumentReading {
  const { root: tree, faults } = parseText(text)
  const parseFaults = faults.map((fault) => ({ ...fault, path: [] }))
  if (tree === undefined) return { faults: parseFaults }
  const { faults: treeFaults, ...resolved } = resolveTree(tree, positionOf)
  return { ...resolved, faults: [...parseFaults, ...treeFaults] }
}

/**
 * The text of a file without its byte order mark, or why it is not read.
 *
 * @throws PreflightError `PREFLIGHT_TEXT_REQUIRED` for anything that is no string.
 */
export function readableText(text: string): { text: string } | { fault: YamlFault } {
  const given: unknown = text
  if (typeof given !== 'string') {
    const received = kindOf(given)
    throw new PreflightError(
      'PREFLIGHT_TEXT_REQUIRED',
      `The content of a file must be a text, got ${received}. Read the file as UTF-8 first.`,
      { details: { received } },
    )
  }
  if (text.length > yamlLimits.chars) {
    return {
      fault: {
        line: 1,
        column: 1,
        keyPath: '',
        code: 'PREFLIGHT_YAML_TOO_LARGE',
        message: `The file has ${text.length} characters, and at most ${yamlLimits.chars} are read. Split it.`,
      },
    }
  }
  return { text: text.startsWith('\ufeff') ? text.slice(1) : text }
}

/** A fault of the document as the caller sees it. */
export function documentFault(fault: TreeFault, positionOf: PositionOf): YamlFault {
  const { offset, path, code, message } = fault
  return { ...positionOf(offset), keyPath: writeKeyPath(path), message, code }
}

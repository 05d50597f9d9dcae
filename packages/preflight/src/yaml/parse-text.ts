import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type Node,
  Parser,
} from 'yaml'
import { yamlLimits } from './limits.ts'
import { syntaxAdvice, tagMessage } from './syntax-advice.ts'
import type { SyntaxFault, SyntaxNode } from './syntax-tree.ts'

/** A document, or why there is none. A tag that was refused leaves the rest of the tree readable. */
export interface ParsedText {
  /** Absent when the text holds nothing but comments, or is not YAML. */
  readonly root?: SyntaxNode
  readonly faults: readonly SyntaxFault[]
}

/**
 * Parses YAML 1.2 with the core schema: `yes`, `on` and dates are texts. This is the only file that
 * knows the YAML library; it asks it for a syntax tree and for nothing that the library would build
 * from one. Never throws.
 *
 * @param text - At most `yamlLimits.chars` long, without a byte order mark.
 */
export function parseText(text: string): ParsedText {
  const control = forbiddenCharacter.exec(text)
  if (control !== null) return { faults: [controlFault(control)] }
  try {
    return withoutStackTraces(() => parse(text))
  } catch (error) {
    // Fail-safe: a defect in the library must refuse the file, not reach the caller as it is.
    const message = `The YAML library gave up (${oneLine(String(error))}). Simplify the file.`
    return { faults: [{ offset: 0, code: 'PREFLIGHT_YAML_SYNTAX', message }] }
  }
}

function parse(text: string): ParsedText {
  const parser = new Parser()
  const reading = createReading(text)
  let tokenCount = 0
  for (const lexeme of new Lexer().lex(text)) {
    tokenCount += 1
    if (tokenCount > yamlLimits.tokens) return { faults: [tooManyTokens(parser.offset)] }
    for (const token of parser.next(lexeme)) reading.take(token)
    // Beyond the document and a scalar, each entry on the stack is a list or mapping still open.
    // Composing recurses into them, so too many are refused before.
    if (parser.stack.length > yamlLimits.depth + 2) return { faults: [tooDeep(parser.offset)] }
    if (reading.isOver()) break
  }
  if (!reading.isOver()) for (const token of parser.end()) reading.take(token)
  return reading.result()
}

interface Reading {
  take(token: CST.Token): void
  /** True once there is no use in reading on. */
  isOver(): boolean
  result(): ParsedText
}

function createReading(text: string): Reading {
  const composer = new Composer(composerOptions)
  const documents: Document.Parsed[] = []
  const faults: SyntaxFault[] = []
  let documentCount = 0
  let errorCount = 0

  function compose(composed: Iterable<Document.Parsed>): void {
    for (const document of composed) documents.push(document)
  }

  return {
    take(token) {
      if (token.type === 'document') documentCount += 1
      if (token.type === 'error') errorCount += 1
      if (token.type === 'directive' && !/^%YAML +1\.2\s*$/.test(token.source)) {
        faults.push({
          offset: token.offset,
          code: 'PREFLIGHT_YAML_SYNTAX',
          message: 'Files are read as YAML 1.2 and take no directives. Remove this line.',
        })
      } else if (documentCount < 2) {
        compose(composer.next(token))
      } else if (token.type === 'document') {
        faults.push({
          offset: token.offset,
          code: 'PREFLIGHT_YAML_DOCUMENTS',
          message:
            'A second YAML document begins here, and only one is read. Put everything into one, or split the file.',
        })
      }
    },
    isOver: () => documentCount > 1 || errorCount > yamlLimits.faults,
    result() {
      compose(composer.end(true, text.length))
      const [document] = documents
      if (document === undefined) return { faults }
      // A refused tag leaves no doubt about what stands where; anything else may.
      const tags = document.warnings.filter(isAboutTag)
      const warnings = document.warnings.filter((warning) => !isAboutTag(warning))
      const mistakes = [...document.errors, ...warnings]
      if (faults.length + mistakes.length > 0) {
        const listed = [...mistakes, ...tags].slice(0, yamlLimits.faults + 1)
        return { faults: [...faults, ...listed.map(faultOf)] }
      }
      const root = document.contents
      const tagOffsets = tags.map(({ pos }) => pos[0])
      return root === null ? { faults } : { root: createTree(root, tagOffsets), faults }
    },
  }
}

const composerOptions = {
  schema: 'core',
  strict: true,
  stringKeys: true,
  // Found while resolving the tree: the library compares each key with every other.
  uniqueKeys: false,
  // No !!binary, !!timestamp or !!set: what they make is no JSON value.
  resolveKnownTags: false,
  prettyErrors: false,
  logLevel: 'silent',
} as const

/** The library says this of every tag that the core schema does not know, or not for that value. */
function isAboutTag({ code }: LibraryFault): boolean {
  return code === 'TAG_RESOLVE_FAILED'
}

type LibraryFault = Document.Parsed['errors'][number] | Document.Parsed['warnings'][number]

/** A warning is a fault too: it says that the file means something else than it seems to. */
function faultOf(fault: LibraryFault): SyntaxFault {
  const offset = fault.pos[0]
  if (isAboutTag(fault)) return { offset, code: 'PREFLIGHT_YAML_TAG', message: tagMessage }
  const { what = oneLine(fault.message), advice } = syntaxAdvice(fault.code)
  return { offset, code: 'PREFLIGHT_YAML_SYNTAX', message: `${what}. ${advice}` }
}

/**
 * Turns the library's tree into ours. Recursion is safe: the depth was bounded while the text was
 * parsed.
 *
 * @param tagOffsets - Where the refused tags stand, in order.
 */
function createTree(root: Node, tagOffsets: readonly number[]): SyntaxNode {
  let tagCount = 0

  // Nodes are visited in the order of the text, so the last tag passed by is that of the node.
  function refusedTag(node: Node, offset: number): number | undefined {
    while ((tagOffsets[tagCount] ?? Number.POSITIVE_INFINITY) < offset) tagCount += 1
    return hasRefusedTag(node) ? tagOffsets[tagCount - 1] : undefined
  }

  function treeOf(node: Node): SyntaxNode {
    const offset = node.range?.[0] ?? 0
    if (isAlias(node)) return { kind: 'alias', offset, name: node.source }
    const refusedTagAt = refusedTag(node, offset)
    const written = {
      offset,
      ...('anchor' in node && node.anchor !== undefined && { anchor: node.anchor }),
      ...(refusedTagAt !== undefined && { refusedTagAt }),
    }
    if (isSeq<Node>(node)) return { kind: 'list', ...written, items: node.items.map(treeOf) }
    if (isMap<Node, Node | null>(node)) {
      const pairs = node.items.map(({ key, value }) => ({
        key: isScalar(key) ? String(key.value) : '',
        keyOffset: key.range?.[0] ?? offset,
        isMerge: isScalar(key) && key.type === 'PLAIN' && key.value === '<<',
        value: value === null ? nothing(key.range?.[1] ?? offset) : treeOf(value),
      }))
      return { kind: 'mapping', ...written, pairs }
    }
    return isScalar(node)
      ? { kind: 'scalar', ...written, value: node.value, source: node.source ?? '' }
      : nothing(offset)
  }

  return treeOf(root)
}

/** The value of a key without one, in `{ key }`. */
function nothing(offset: number): SyntaxNode {
  return { kind: 'scalar', offset, value: null, source: '' }
}

/** A tag that names what the value is anyway is not refused. */
function hasRefusedTag(node: Node): boolean {
  const { tag } = node
  if (tag === undefined || tag === '!') return false
  const kind = isMap(node) ? 'map' : isSeq(node) ? 'seq' : kindOfScalar(node)
  const kinds = kind === 'int' ? ['int', 'float'] : [kind]
  return !kinds.some((name) => tag === `tag:yaml.org,2002:${name}`)
}

function kindOfScalar(node: Node): string {
  const value = isScalar(node) ? node.value : undefined
  if (value === null) return 'null'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float'
  return 'str'
}

/** What YAML forbids and JSON too; in most cases the file is not text, or not UTF-8. */
const forbiddenCharacter = /(?![\t\n\r\x7f-\x9f])\p{Cc}/u

function controlFault({ index, 0: character }: RegExpExecArray): SyntaxFault {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return {
    offset: index,
    code: 'PREFLIGHT_YAML_SYNTAX',
    message: `The character U+${code} cannot stand in YAML. Save the file as UTF-8 text, or write the character as an escape in double quotes.`,
  }
}

function tooManyTokens(offset: number): SyntaxFault {
  return {
    offset,
    code: 'PREFLIGHT_YAML_TOO_LARGE',
    message: `The file has more than ${yamlLimits.tokens} words and signs of YAML. Split it.`,
  }
}

function tooDeep(offset: number): SyntaxFault {
  return {
    offset,
    code: 'PREFLIGHT_YAML_TOO_LARGE',
    message: `Lists and mappings are nested more than ${yamlLimits.depth} levels deep. Nest them less deeply.`,
  }
}

/** The library quotes the source in some messages, of any length and with line breaks. */
function oneLine(message: string): string {
  const line = message.replace(/\p{C}+/gu, ' ').trim()
  return line.length > 120 ? `${line.slice(0, 120)}…` : line
}

/**
 * Runs synchronous work in which errors are made but their stack traces are never read. The library
 * makes an error object for every mistake; a file of a million commas takes twenty times as long
 * with stack traces as without. Where the limit does not exist or is locked, nothing changes.
 */
function withoutStackTraces<Result>(work: () => Result): Result {
  const limit = Error.stackTraceLimit
  if (typeof limit !== 'number' || !Reflect.set(Error, 'stackTraceLimit', 0)) return work()
  try {
    return work()
  } finally {
    Error.stackTraceLimit = limit
  }
}

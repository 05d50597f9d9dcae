import { readText } from './workspace.ts'

/** One fenced code block of a document. */
export interface CodeBlock {
  /** Path of the document from the root. */
  document: string
  /** Line of the opening fence, from 1. */
  line: number
  /** What follows the fence: `ts`, `ts no-run`, `sh`, ... */
  info: string
  code: string
}

/** One thing said outside of the code blocks, with the line it stands on. */
export interface Mention {
  document: string
  line: number
  text: string
}

/** The fenced code blocks of a document, in order. A fence may be indented, as in a list. */
export function codeBlocks(document: string): CodeBlock[] {
  const pattern = /^( *)```([^\n]*)\n([\s\S]*?)^\1```$/gm
  const text = readText(document)
  return [...text.matchAll(pattern)].map(([, indent = '', info = '', code = ''], index, all) => ({
    document,
    line: lineAt(text, all[index]?.index ?? 0),
    info: info.trim(),
    code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }))
}

/** The targets of every link that leads to a file or a heading of the repository. */
export function relativeLinks(document: string): Mention[] {
  return mentions(document, /\]\(([^()\s]+)\)/g).filter(({ text }) => !/^[a-z]+:/.test(text))
}

/** What stands between single backticks. */
export function inlineCode(document: string): Mention[] {
  return mentions(document, /`([^`\n]+)`/g)
}

/** The anchors that a document's headings make, as a web host writes them. */
export function anchorsOf(document: string): string[] {
  return mentions(document, /^#+ (.+)$/gm).map(({ text }) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-'),
  )
}

function mentions(document: string, pattern: RegExp): Mention[] {
  const text = withoutBlocks(readText(document))
  return [...text.matchAll(pattern)].map((match) => ({
    document,
    line: lineAt(text, match.index),
    text: match[1] ?? '',
  }))
}

/** Blanks the code blocks and keeps the lines. */
function withoutBlocks(text: string): string {
  return text.replace(/^( *)```[\s\S]*?^\1```$/gm, (block) => block.replace(/[^\n]/g, ''))
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

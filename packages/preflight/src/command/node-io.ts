import { createReadStream } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { styleText } from 'node:util'
import type { CommandIo } from './io.ts'

/** Bytes of one file. Far more than a file of skills may have, and no more than memory can bear. */
const maxBytes = 16 * 1024 * 1024

/** Folders inside one another that are looked into for skill files. */
const maxDepth = 16

/** The world as Node sees it. */
export async function createNodeIo(): Promise<CommandIo> {
  return {
    readFile: (path) => textOf(createReadStream(path)),
    readInput: () => textOf(process.stdin),
    async skillFilesIn(path) {
      return (await stat(path)).isDirectory() ? skillFiles(path, maxDepth) : undefined
    },
    write: (text) => process.stdout.write(text),
    writeError: (text) => process.stderr.write(text),
    paint: (paint, text) => styleText(paint, text, { stream: process.stdout }),
    version: await ownVersion(),
  }
}

async function textOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream) {
    size += chunk.length
    if (size > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks))
  } catch {
    throw new Error('it is not a text in UTF-8')
  }
}

/** In the order of their paths by code unit, which no locale changes. Links are not followed. */
async function skillFiles(folder: string, depth: number): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const found: string[] = []
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = join(folder, entry.name)
    if (entry.isFile() && entry.name === 'SKILL.md') found.push(path)
    const isOpen = entry.isDirectory() && !/^\.|^node_modules$/u.test(entry.name)
    if (isOpen && depth > 0) found.push(...(await skillFiles(path, depth - 1)))
  }
  return found
}

/** This file lies one folder below the package, or two when it runs from source. */
async function ownVersion(): Promise<string> {
  for (const path of ['../package.json', '../../package.json']) {
    try {
      const manifest: unknown = JSON.parse(await readFile(new URL(path, import.meta.url), 'utf8'))
      const { name, version } = manifest as { name?: unknown; version?: unknown }
      if (name === '@symfonic/preflight' && typeof version === 'string') return version
    } catch {
      // Not there; the next place may be right.
    }
  }
  return 'unknown'
}

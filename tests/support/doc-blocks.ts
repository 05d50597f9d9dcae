import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CodeBlock } from './markdown.ts'
import { type Finished, run } from './run.ts'
import { root } from './workspace.ts'

/** A code block written out as a file that Node and TypeScript can read. */
export interface WrittenBlock extends CodeBlock {
  /** Path from the root. It lies in the workspace whose dependencies the block may import. */
  path: string
}

/** What the compiler said: about each block by path, and about everything else. */
export interface Compiled {
  about: Map<string, string[]>
  elsewhere: string[]
}

const folderName = '.doc-blocks'
const project = `tests/${folderName}`

/** Writes each block into its workspace, below folders that git does not keep. */
export function writeBlocks(blocks: readonly CodeBlock[]): WrittenBlock[] {
  return blocks.map((block) => {
    const folder = `${homeOf(block.document)}/${folderName}`
    const name = block.document.replace(/\.md$/, '').replaceAll('/', '-')
    const path = `${folder}/${name}-line-${block.line}.ts`
    mkdirSync(join(root, folder), { recursive: true })
    writeFileSync(join(root, path), block.code)
    return { ...block, path }
  })
}

/** Takes away what `writeBlocks` and `compileBlocks` left. */
export function removeBlocks(blocks: readonly CodeBlock[]): void {
  const folders = blocks.map(({ document }) => `${homeOf(document)}/${folderName}`)
  for (const folder of new Set([...folders, project])) {
    rmSync(join(root, folder), { recursive: true, force: true })
  }
}

/** Checks all blocks in one run of the compiler, under the rules of the repository. */
export async function compileBlocks(blocks: readonly WrittenBlock[]): Promise<Compiled> {
  mkdirSync(join(root, project), { recursive: true })
  const files = blocks.map(({ path }) => `../../${path}`)
  const config = { extends: '../../tsconfig.base.json', files }
  writeFileSync(join(root, project, 'tsconfig.json'), JSON.stringify(config))
  const { status, stdout } = await run('tsc', ['--project', project, '--pretty', 'false'])
  const about = new Map(blocks.map(({ path }): [string, string[]] => [path, []]))
  const elsewhere: string[] = []
  for (const line of stdout.split('\n').filter((line) => / error TS/.test(line))) {
    const path = /^(.*?)\(\d+,\d+\): error/.exec(line)?.[1] ?? ''
    ;(about.get(path) ?? elsewhere).push(line)
  }
  const silent = status !== 0 && !stdout.includes(' error TS')
  return { about, elsewhere: silent ? [`tsc ended with ${status}: ${stdout}`] : elsewhere }
}

/** Runs blocks from source, two at a time. The answers keep the order of the blocks. */
export async function runBlocks(blocks: readonly WrittenBlock[]): Promise<Finished[]> {
  const finished: Finished[] = []
  const waiting = [...blocks.entries()]
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, { path }] = next
      const args = ['--conditions=@symfonic/source', join(root, path)]
      finished[index] = await run(process.execPath, args)
    }
  }
  await Promise.all([worker(), worker()])
  return finished
}

/** The workspace of a document; the demo for those of the root. */
function homeOf(document: string): string {
  return /^(?:packages|apps|tooling)\/[^/]+(?=\/)/.exec(document)?.[0] ?? 'apps/demo'
}

import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { runBench } from './run-bench.ts'
import { suites } from './suites.ts'

// `npm run bench [-- --suite NAME --rounds N --json FILE --strict]`: how fast we are, as ratios to
// public packages.

const effort = { turnMs: 5, warmUpMs: 1500 }
const output = { print: console.log, tell: console.error }

console.error(
  `node ${process.versions.node}, ${versions('ai', 'sift', 'json-logic-js', 'json-rules-engine', 'langchain', '@strands-agents/sdk')}`,
)
process.exitCode = await runBench(process.argv.slice(2), suites, effort, output)

function versions(...names: string[]): string {
  const withVersions = names.map((name) => {
    const manifest = findPackageJSON(name, import.meta.url)
    return manifest === undefined
      ? name
      : `${name} ${JSON.parse(readFileSync(manifest, 'utf8')).version}`
  })
  return withVersions.join(', ')
}

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
// @ts-expect-error a plain JavaScript rule file has no declaration
import untypedConfig from '../.dependency-cruiser.mjs'
import { type Cruise, cruise } from './support/modules.ts'
import { patienceMs } from './support/run.ts'
import { filesBelow, root, workspaces } from './support/workspace.ts'

const config = join(root, '.dependency-cruiser.mjs')
const { forbidden } = untypedConfig as { forbidden: { name: string }[] }
const folders = (['packages', 'apps', 'tooling'] as const).flatMap((group) =>
  workspaces(group).map(({ folder }) => `${folder}/src`),
)

describe('the import rules over the workspace', () => {
  let found: Cruise

  beforeAll(async () => {
    found = await cruise(folders, { config, cwd: root })
  }, patienceMs)

  it('reads every source file there is', () => {
    const read = found.modules.map(({ source }) => source).filter(isOurs)
    const present = folders.flatMap((folder) => filesBelow(folder, '.ts'))
    expect(present.length).toBeGreaterThan(0)
    expect(read.sort()).toEqual(present.sort())
  })

  it('sees through the source condition into a neighbour', () => {
    const imported = found.modules
      .filter(({ source }) => source.startsWith('packages/preflight/src/'))
      .flatMap(({ dependencies }) => dependencies.map(({ resolved }) => resolved))
    expect(imported).toContain('packages/predicates/src/index.ts')
  })

  it('finds no broken rule', () => {
    expect(found.violations).toEqual([])
  })
})

/** One wrong file per rule; the rest of the little workspace is there to be imported. */
const seeds: { rule: string; file: string; text: string }[] = [
  { rule: 'no-circular', file: 'packages/predicates/src/a.ts', text: `import './b.ts'` },
  { rule: 'no-unresolvable', file: 'apps/demo/src/main.ts', text: `import 'not-installed'` },
  {
    rule: 'predicates-knows-its-place',
    file: 'packages/predicates/src/place.ts',
    text: `import '../../preflight/src/index.ts'`,
  },
  {
    rule: 'preflight-knows-its-place',
    file: 'packages/preflight/src/place.ts',
    text: `import type { Kernel } from '../../kernel/src/index.ts'\nexport type K = Kernel`,
  },
  {
    rule: 'plugins-knows-its-place',
    file: 'packages/plugins/src/place.ts',
    text: `import '../../predicates/src/index.ts'`,
  },
  {
    rule: 'result-policy-knows-its-place',
    file: 'packages/result-policy/src/place.ts',
    text: `import '../../predicates/src/index.ts'`,
  },
  {
    rule: 'memory-knows-its-place',
    file: 'packages/memory/src/place.ts',
    text: `import '../../preflight/src/index.ts'`,
  },
  {
    rule: 'kernel-knows-its-place',
    file: 'packages/kernel/src/place.ts',
    text: `import '../../predicates/src/index.ts'`,
  },
  {
    rule: 'kernel-reaches-peers-through-with-files',
    file: 'packages/kernel/src/loop.ts',
    text: `import type { Skill } from '../../preflight/src/index.ts'\nexport type S = Skill`,
  },
  {
    rule: 'packages-stand-alone',
    file: 'packages/kernel/src/alone.ts',
    text: `import '../../../apps/demo/src/main.ts'`,
  },
  {
    rule: 'neighbours-by-name',
    file: 'tooling/bench/src/main.ts',
    text: `import '../../../packages/predicates/src/index.ts'`,
  },
  {
    rule: 'modules-not-the-index',
    file: 'packages/predicates/src/inside.ts',
    text: `import './index.ts'`,
  },
  {
    rule: 'ai-behind-its-subpath',
    file: 'packages/preflight/src/gate.ts',
    text: `import type { Tool } from 'ai'\nexport type T = Tool`,
  },
  {
    rule: 'zod-behind-its-subpath',
    file: 'packages/predicates/src/schema.ts',
    text: `import { z } from 'zod'\nexport const s = z`,
  },
  {
    rule: 'gpt-tokenizer-behind-its-subpath',
    file: 'packages/result-policy/src/count.ts',
    text: `import 'gpt-tokenizer'`,
  },
  {
    rule: 'sqlite-vec-behind-its-subpath',
    file: 'packages/memory/src/vectors.ts',
    text: `import 'sqlite-vec'`,
  },
  {
    rule: 'yaml-behind-its-subpath',
    file: 'packages/preflight/src/load.ts',
    text: `import 'yaml'`,
  },
  {
    rule: 'pure-packages-run-anywhere',
    file: 'packages/predicates/src/read.ts',
    text: `import 'node:fs'`,
  },
  {
    rule: 'tests-are-not-code',
    file: 'packages/predicates/src/helper.ts',
    text: `import './a.test.ts'`,
  },
]

/** Where each optional library may be imported. */
const homes: { library: string; file: string }[] = [
  { library: 'ai', file: 'packages/preflight/src/ai-sdk/tools.ts' },
  { library: 'ai', file: 'packages/plugins/src/ai-sdk/tools.ts' },
  { library: 'ai', file: 'packages/result-policy/src/ai-sdk/tools.ts' },
  { library: 'ai', file: 'packages/memory/src/ai-sdk/tools.ts' },
  { library: 'gpt-tokenizer', file: 'packages/result-policy/src/gpt-tokenizer.ts' },
  { library: 'sqlite-vec', file: 'packages/memory/src/sqlite/vectors.ts' },
  { library: 'yaml', file: 'packages/preflight/src/yaml/parse.ts' },
  { library: 'zod', file: 'packages/predicates/src/zod.ts' },
  { library: 'zod', file: 'packages/preflight/src/zod.ts' },
  { library: 'zod', file: 'packages/result-policy/src/zod.ts' },
]

describe('the import rules on seeded violations', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'boundaries-'))
  let found: Cruise

  beforeAll(async () => {
    const files: Record<string, string> = {
      'package.json': '{ "type": "module" }',
      'node_modules/ai/package.json': library('ai'),
      'node_modules/ai/index.js': 'export const Tool = 1\n',
      'node_modules/gpt-tokenizer/package.json': library('gpt-tokenizer'),
      'node_modules/gpt-tokenizer/index.js': 'export const countTokens = 1\n',
      'node_modules/sqlite-vec/package.json': library('sqlite-vec'),
      'node_modules/sqlite-vec/index.js': 'export const load = 1\n',
      'node_modules/yaml/package.json': library('yaml'),
      'node_modules/yaml/index.js': 'export const parse = 1\n',
      'node_modules/zod/package.json': library('zod'),
      'node_modules/zod/index.js': 'export const z = 1\n',
      'packages/predicates/src/index.ts': 'export const p = 1\n',
      'packages/predicates/src/b.ts': `import './a.ts'\n`,
      'packages/predicates/src/a.test.ts': 'export const t = 1\n',
      'packages/preflight/src/index.ts': 'export interface Skill { label: string }\n',
      'packages/kernel/src/index.ts': 'export interface Kernel { name: string }\n',
      ...Object.fromEntries(homes.map(({ library, file }) => [file, `import '${library}'\n`])),
      ...Object.fromEntries(seeds.map(({ file, text }) => [file, `${text}\n`])),
    }
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(cwd, dirname(path)), { recursive: true })
      writeFileSync(join(cwd, path), text)
    }
    found = await cruise(['packages', 'apps', 'tooling'], { config, cwd })
  }, patienceMs)

  afterAll(() => rmSync(cwd, { recursive: true, force: true }))

  it.each(seeds)('$rule catches $file', ({ rule, file }) => {
    expect(found.violations.filter((violation) => violation.rule === rule)).toContainEqual(
      expect.objectContaining({ from: file }),
    )
  })

  it.each(homes)('$library may be imported by $file', ({ file }) => {
    expect(found.modules.map(({ source }) => source)).toContain(file)
    expect(found.violations.filter(({ from }) => from === file)).toEqual([])
  })

  it('has a seeded violation for every rule', () => {
    expect(seeds.map(({ rule }) => rule).sort()).toEqual(forbidden.map(({ name }) => name).sort())
  })
})

function isOurs(source: string): boolean {
  return /^(packages|apps|tooling)\/[^/]+\/src\//.test(source)
}

function library(name: string): string {
  return JSON.stringify({ name, version: '1.0.0', type: 'module', exports: './index.js' })
}

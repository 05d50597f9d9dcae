import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository's root folder. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')

/** What the checks read of a `package.json`. */
export interface Manifest {
  name: string
  version: string
  private?: boolean
  scripts?: Record<string, string>
  exports?: Record<string, string | Record<string, string>>
  dependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
  publishConfig?: { exports?: Record<string, string | Record<string, string>> }
}

/** One folder of the workspace. */
export interface Workspace {
  /** Path from the root, as `packages/predicates`. */
  folder: string
  manifest: Manifest
}

/** One subpath a package exports, with the source file behind it. */
export interface Entry {
  /** As written in `exports`: `.` or `./zod`. */
  subpath: string
  /** Path from the root, as `packages/predicates/src/zod.ts`. */
  source: string
}

/** The workspace folders below one of the three groups, in name order. */
export function workspaces(group: 'packages' | 'apps' | 'tooling'): Workspace[] {
  return readdirSync(join(root, group))
    .sort()
    .map((name) => `${group}/${name}`)
    .filter((folder) => existsSync(join(root, folder, 'package.json')))
    .map((folder) => ({ folder, manifest: manifestOf(folder) }))
}

/** Reads the `package.json` of a folder given from the root (`.` is the root's own). */
export function manifestOf(folder: string): Manifest {
  return JSON.parse(readText(`${folder}/package.json`)) as Manifest
}

/** The code entries of a package, that is every export except `./package.json`. */
export function entriesOf({ folder, manifest }: Workspace): Entry[] {
  return Object.entries(manifest.exports ?? {}).flatMap(([subpath, target]) => {
    const source = typeof target === 'string' ? undefined : target['@symfonic/source']
    return source === undefined ? [] : [{ subpath, source: join(folder, source) }]
  })
}

/** Every file below a folder, tests included, as paths from the root. */
export function filesBelow(folder: string, extension: string): string[] {
  const start = join(root, folder)
  if (!existsSync(start)) return []
  return readdirSync(start, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && file.name.endsWith(extension))
    .map((file) => relative(root, join(file.parentPath, file.name)))
    .filter((path) => !path.includes('node_modules/'))
    .sort()
}

/** True for a file that holds tests, or serves them only, rather than shipped code. */
export function isTest(path: string): boolean {
  return /\.test(-d)?\.ts$|\/testing-fixtures\//.test(path)
}

/** Reads a file given by its path from the root. */
export function readText(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

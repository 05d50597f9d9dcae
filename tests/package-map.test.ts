import { isBuiltin } from 'node:module'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { packageMap } from './package-map.ts'
import { type Declarations, emitDeclarations, exportedNames } from './support/declarations.ts'
import { type Cruise, cruise, packageOf } from './support/modules.ts'
import { patienceMs } from './support/run.ts'
import {
  type Entry,
  entriesOf,
  filesBelow,
  isTest,
  readText,
  root,
  workspaces,
} from './support/workspace.ts'

const packages = workspaces('packages').map((workspace) => ({
  ...workspace,
  name: workspace.manifest.name,
  pinned: packageMap[workspace.manifest.name],
}))

const entries = packages.flatMap((workspace) =>
  entriesOf(workspace).map((entry) => ({ ...entry, name: workspace.name })),
)

const meant = 'If this change is meant, write it into tests/package-map.ts and add a changeset.'

let found: Cruise
let declarations: Declarations

beforeAll(async () => {
  const config = join(root, '.dependency-cruiser.mjs')
  const folders = packages.map(({ folder }) => `${folder}/src`)
  ;[found, declarations] = await Promise.all([
    cruise(folders, { config, cwd: root }),
    emitDeclarations(),
  ])
}, patienceMs)

it('pins every published package and no other', () => {
  expect(packages.map(({ name }) => name).sort(), meant).toEqual(Object.keys(packageMap).sort())
})

describe.each(packages)('the package $name', ({ folder, manifest, name, pinned }) => {
  const dependencies = Object.keys(manifest.dependencies ?? {}).sort()
  const peers = Object.keys(manifest.peerDependencies ?? {}).sort()
  const uses = Object.entries(pinned?.peers ?? {})
  const passedOn = uses.flatMap(([peer, use]) =>
    use !== 'required' && 'neededBy' in use ? [{ peer, neededBy: use.neededBy }] : [],
  )

  it('installs and expects beside it exactly what is pinned', () => {
    expect({
      dependencies: dependencies.filter(isOurs),
      libraries: dependencies.filter((library) => !isOurs(library)),
      peers: Object.fromEntries(peers.map((peer) => [peer, isOptional(peer)])),
    }).toEqual({
      dependencies: pinned?.dependencies,
      libraries: pinned?.libraries,
      peers: Object.fromEntries(
        uses.map(([peer, use]) => [peer, use !== 'required' && 'onlyIn' in use]),
      ),
    })
  })

  it('imports exactly what it declares, save what only a peer of it asks for', () => {
    const imported = importsOf(folder).map(({ library }) => library)
    const unused = passedOn.map(({ peer }) => peer)
    expect([...new Set([...imported, ...unused])].sort()).toEqual(
      [...dependencies, ...peers].sort(),
    )
    expect(imported.filter((library) => unused.includes(library))).toEqual([])
  })

  it.each(passedOn)('expects $peer because $neededBy does', ({ peer, neededBy }) => {
    const path = `${folder}/node_modules/${neededBy}/package.json`
    const { peerDependencies } = JSON.parse(readText(path)) as typeof manifest
    expect(Object.keys(peerDependencies ?? {})).toContain(peer)
  })

  it('imports an optional peer only from the file that names it', () => {
    const homes = uses.flatMap(([peer, use]) =>
      use !== 'required' && 'onlyIn' in use ? [`${peer} in ${folder}/${use.onlyIn}`] : [],
    )
    const found = importsOf(folder)
      .filter(({ library }) => isOptional(library))
      .map(({ library, source }) => `${library} in ${source}`)
    expect([...new Set(found)].sort()).toEqual(homes.sort())
  })

  it('exports the same subpaths from source and as published', () => {
    const published = manifest.publishConfig?.exports ?? {}
    const { exports = {} } = manifest
    expect(Object.keys(exports)).toEqual([...Object.keys(pinned?.entries ?? {}), './package.json'])
    const withoutSource = Object.entries(exports).map(([subpath, target]) => {
      if (typeof target === 'string') return [subpath, target]
      const { '@symfonic/source': _, ...rest } = target
      return [subpath, rest]
    })
    expect(published).toEqual(Object.fromEntries(withoutSource))
  })

  it(`is reached from its root entry without any optional peer of ${name}`, () => {
    const entry = `${folder}/src/index.ts`
    const reached = reachedFrom(entry)
    expect(reached).toContain(entry)
    const libraries = importsOf(folder).filter(({ source }) => reached.includes(source))
    expect(libraries.filter(({ library }) => isOptional(library))).toEqual([])
  })

  function isOptional(library: string): boolean {
    return manifest.peerDependenciesMeta?.[library]?.optional === true
  }
})

it('weighs every entry and nothing else', () => {
  const limits = JSON.parse(readText('.size-limit.json')) as { name: string }[]
  const names = entries.map(({ name, subpath }) => `${name}${subpath.slice(1)}`)
  expect(limits.map(({ name }) => name).sort()).toEqual(names.sort())
})

describe.each(
  packages.filter(({ name }) =>
    ['@symfonic/predicates', '@symfonic/plugins', '@symfonic/result-policy'].includes(name),
  ),
)('the root entry of $name', ({ folder, manifest }) => {
  const reached = () => reachedFrom(`${folder}/src/index.ts`)

  it('brings in no other package', () => {
    const files = reached()
    expect(files.length).toBeGreaterThan(1)
    expect(importsOf(folder).filter(({ source }) => files.includes(source))).toEqual([])
  })

  it('reaches exactly the files beside it, save the other entries', () => {
    const others = entriesOf({ folder, manifest }).filter(({ subpath }) => subpath !== '.')
    const beside = filesBelow(`${folder}/src`, '.ts').filter(
      (file) => dirname(file) === `${folder}/src` && !isTest(file),
    )
    expect(reached().sort()).toEqual(
      beside.filter((file) => others.every(({ source }) => source !== file)),
    )
  })
})

describe.each(entries)(
  'the entry $subpath of $name',
  ({ source, subpath, name }: Entry & { name: string }) => {
    const pinned = packageMap[name]?.entries[subpath]

    it('offers exactly the pinned names at run time', async () => {
      const module = (await import(join(root, source))) as Record<string, unknown>
      expect(Object.keys(module).sort(), meant).toEqual(pinned?.values)
    })

    it('declares exactly the pinned names', () => {
      const names = exportedNames(source, declarations)
      const ofKind = (kind: string) =>
        names
          .filter((name) => name.kind === kind)
          .map(({ name }) => name)
          .sort()
      expect({ values: ofKind('value'), types: ofKind('type') }, meant).toEqual(pinned)
    })
  },
)

function isOurs(library: string): boolean {
  return library.startsWith('@symfonic/')
}

/** Every import of another package in the shipped files below a folder, types included. */
function importsOf(folder: string): { source: string; library: string }[] {
  return found.modules
    .filter(({ source }) => source.startsWith(`${folder}/src/`) && !isTest(source))
    .flatMap(({ source, dependencies }) =>
      dependencies
        .map(({ module }) => packageOf(module))
        .filter((library) => library !== undefined)
        .filter((library) => !isBuiltin(library))
        .map((library) => ({ source, library })),
    )
}

/** The files of ours that importing one file loads, itself included. */
function reachedFrom(entry: string): string[] {
  const reached = new Set<string>()
  const follow = (source: string) => {
    if (reached.has(source)) return
    reached.add(source)
    const module = found.modules.find((module) => module.source === source)
    for (const { module: specifier, resolved } of module?.dependencies ?? []) {
      if (packageOf(specifier) === undefined) follow(resolved)
    }
  }
  follow(entry)
  return [...reached]
}

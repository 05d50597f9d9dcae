import { run } from './run.ts'

/** One import of a module, as dependency-cruiser resolved it. */
export interface Dependency {
  /** The specifier as written: `./path.ts`, `zod`, `node:fs`. */
  module: string
  /** The file it leads to, from the folder that was cruised. */
  resolved: string
  couldNotResolve: boolean
}

/** One module and what it imports, type-only imports included. */
export interface Module {
  source: string
  dependencies: Dependency[]
}

/** What a run of dependency-cruiser reports. */
export interface Cruise {
  modules: Module[]
  /** Names of the broken rules, one per violation. */
  violations: { rule: string; from: string; to: string }[]
}

interface Report {
  modules: Module[]
  summary: { violations: { from: string; to: string; rule: { name: string } }[] }
}

/**
 * Cruises folders with a rule file, below `cwd`.
 *
 * @throws Error when dependency-cruiser gives no report, with what it said instead.
 */
export async function cruise(
  folders: readonly string[],
  { config, cwd }: { config: string; cwd: string },
): Promise<Cruise> {
  const { stdout, stderr } = await run(
    'depcruise',
    [...folders, '--config', config, '--output-type', 'json'],
    { cwd },
  )
  if (!stdout.startsWith('{')) throw new Error(`depcruise gave no report: ${stderr}${stdout}`)
  const { modules, summary } = JSON.parse(stdout) as Report
  return {
    modules,
    violations: summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to })),
  }
}

/** The package a bare specifier belongs to (`ai/test` is `ai`), or undefined for a relative one. */
export function packageOf(specifier: string): string | undefined {
  if (specifier.startsWith('.') || specifier.startsWith('/')) return undefined
  const [first = '', second = ''] = specifier.split('/')
  return first.startsWith('@') ? `${first}/${second}` : first
}

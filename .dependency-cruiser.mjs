// Who may import whom. tests/boundaries.test.ts seeds a violation of every rule below and counts
// the modules that were read, because a cruiser without a parser is content with none.

/** Files that hold tests, or serve them only, may reach for more than the code they test. */
const tests = '\\.test(-d)?\\.ts$|/testing-fixtures/'

const packages = ['predicates', 'preflight', 'plugins', 'result-policy', 'memory', 'kernel']

/** What each package may import of ours; anything unlisted is refused. */
const mayImport = {
  predicates: [],
  preflight: ['predicates'],
  plugins: [],
  'result-policy': [],
  memory: ['predicates'],
  kernel: ['memory', 'plugins', 'preflight', 'result-policy'],
}

/** The packages that run wherever JavaScript does. */
const pure = '(predicates|preflight|plugins|result-policy|memory)'

/** Libraries that these packages work without, and the one place that may import each. */
const optionalLibraries = [
  {
    library: 'ai',
    path: 'node_modules/(ai|@ai-sdk)/',
    home: '^packages/(preflight|plugins|result-policy|memory)/src/ai-sdk(/|\\.ts$)',
  },
  {
    library: 'gpt-tokenizer',
    path: 'node_modules/gpt-tokenizer/',
    home: '^packages/result-policy/src/gpt-tokenizer\\.ts$',
  },
  {
    library: 'sqlite-vec',
    path: 'node_modules/sqlite-vec/',
    home: '^packages/memory/src/sqlite/',
  },
  { library: 'yaml', path: 'node_modules/yaml/', home: '^packages/preflight/src/yaml(/|\\.ts$)' },
  {
    library: 'zod',
    path: 'node_modules/zod/',
    home: '^packages/(predicates|preflight|result-policy)/src/zod\\.ts$',
  },
]

/** The program for a terminal; all else in predicates and preflight runs in a browser or at the edge. */
const commandLine = '^packages/preflight/src/(cli\\.ts$|command/)'

/** The database that Node brings along, behind the subpath that names it. */
const sqliteFiles = '^packages/(memory|result-policy)/src/sqlite/'

export default {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'A cycle means two files are one mechanism, or a third is missing.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-unresolvable',
      comment: 'The import leads nowhere: mend the path or declare the dependency.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    ...packages.map((name) => ({
      name: `${name}-knows-its-place`,
      comment: 'DESIGN.md of the package map: a package imports only what it is listed for.',
      severity: 'error',
      from: { path: `^packages/${name}/src` },
      to: { path: `^packages/(?!(${[name, ...mayImport[name]].join('|')})/)` },
    })),
    {
      name: 'kernel-reaches-peers-through-with-files',
      comment: 'The kernel works without its optional peers; only with-*.ts may import one.',
      severity: 'error',
      from: {
        path: '^packages/kernel/src',
        pathNot: ['^packages/kernel/src/with-[^/]+\\.ts$', tests],
      },
      to: { path: '^packages/(?!kernel/)' },
    },
    {
      name: 'packages-stand-alone',
      comment: 'What is published never imports an application or a tool of this repository.',
      severity: 'error',
      from: { path: '^packages/' },
      to: { path: '^(apps|tooling|tests)/' },
    },
    {
      name: 'neighbours-by-name',
      comment: 'Another workspace is reached by its package name, so that its exports decide.',
      severity: 'error',
      from: { path: '^(packages|apps|tooling)/([^/]+)/' },
      to: {
        path: '^(packages|apps|tooling)/',
        pathNot: '^$1/$2/',
        dependencyTypes: ['local'],
      },
    },
    {
      name: 'modules-not-the-index',
      comment: 'Inside a package import the module itself; the index is for those outside.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/src', pathNot: tests },
      to: { path: '^packages/$1/src/index\\.ts$' },
    },
    ...optionalLibraries.map(({ library, path, home }) => ({
      name: `${library}-behind-its-subpath`,
      comment: 'An optional library is imported only by the file whose subpath names it.',
      severity: 'error',
      from: { path: `^packages/${pure}/src`, pathNot: [home, tests] },
      to: { path },
    })),
    {
      name: 'pure-packages-run-anywhere',
      comment: 'The capabilities run in a browser or at the edge: no Node built-in.',
      severity: 'error',
      from: { path: `^packages/${pure}/src`, pathNot: [commandLine, sqliteFiles, tests] },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'tests-are-not-code',
      comment: 'Shipped code never imports a test or a test runner.',
      severity: 'error',
      from: { path: '^(packages|apps|tooling)/', pathNot: tests },
      to: { path: [tests, 'node_modules/(vitest|fast-check)/'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(packages|apps|tooling)/[^/]+/dist/' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@symfonic/source', 'import', 'types', 'node', 'default'],
      extensions: ['.ts', '.js', '.mjs', '.d.ts', '.json'],
    },
  },
}

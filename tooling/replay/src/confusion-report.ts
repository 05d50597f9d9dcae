import type picocolors from 'picocolors'
import { type ByReward, type Confusion, type ConfusionTable, sumOf } from './confusion.ts'
import type { PlacedViolation } from './oracle.ts'

type Colors = ReturnType<typeof picocolors.createColors>
type Row = ReturnType<typeof sumOf>

/** The part of a report that compares gate and oracle, rule by rule; lines for a terminal. */
export function renderConfusion(confusion: Confusion, colors: Colors): string[] {
  const { tables, inexpressible, unknownRules, kernel } = confusion
  return [
    ...tables.flatMap((table) => renderTable(table, colors)),
    ...renderInexpressible(inexpressible),
    ...unknownRules.map((rule) =>
      colors.red(`  ${rule}: the oracle names it, and nobody knows it`),
    ),
    ...renderKernel(kernel, colors),
  ]
}

const joins = {
  position: 'as it was: a result answers the call before it',
  'last-use-of-id': 'as the oracle reads it: a result answers each call that has its id',
} as const

interface Column {
  readonly heading: string
  readonly of: (row: Row) => number
  /** What makes the comparison unsound is a fault; what a person should look at is a notice. */
  readonly kind?: 'notice' | 'fault'
}

const columns: readonly Column[] = [
  { heading: 'judged', of: ({ judged }) => judged },
  { heading: 'both', of: ({ agreed }) => agreed.length },
  { heading: 'oracle*', of: ({ namedByIdReuse }) => namedByIdReuse.length, kind: 'notice' },
  { heading: 'oracle', of: ({ namedOnly }) => namedOnly.length, kind: 'fault' },
  { heading: 'gate*', of: ({ overlookedByIdReuse: { length } }) => length, kind: 'notice' },
  { heading: 'gate, 1', of: ({ refusedOnly }) => refusedOnly.full.length, kind: 'fault' },
  { heading: 'gate, <1', of: ({ refusedOnly }) => refusedOnly.less.length, kind: 'notice' },
]

function renderTable({ joinResults, rows, unnamedCalls }: ConfusionTable, colors: Colors) {
  const rules = [...new Set(rows.map(({ rule }) => rule))]
  const names = [...rows.map(({ source }) => `  ${source}`), ...rules, 'all rules']
  const width = Math.max(...names.map(({ length }) => length))
  const line = (name: string, row: Row) =>
    [name.padEnd(width), ...columns.map((column) => cell(column, row, colors))].join('  ')
  return [
    '',
    colors.bold(`gate and oracle, ${joins[joinResults]}`),
    colors.dim(
      ['rule'.padEnd(width), ...columns.map(({ heading }) => heading.padStart(8))].join('  '),
    ),
    ...rules.flatMap((rule) => {
      const own = rows.filter((row) => row.rule === rule)
      return [
        colors.bold(line(rule, sumOf(own))),
        ...own.map((row) => line(`  ${row.source}`, row)),
      ]
    }),
    colors.bold(line('all rules', sumOf(rows))),
    ...(joinResults === 'position' ? legend.map((text) => colors.dim(text)) : []),
    ...listed(
      'oracle* ',
      rows.flatMap(({ namedByIdReuse }) => namedByIdReuse),
    ),
    ...listed(
      'oracle  ',
      rows.flatMap(({ namedOnly }) => namedOnly),
    ),
    ...listed(
      'gate*   ',
      rows.flatMap(({ overlookedByIdReuse }) => overlookedByIdReuse),
    ),
    ...listed(
      'gate, 1 ',
      rows.flatMap(({ refusedOnly }) => refusedOnly.full),
    ),
    ...listed(
      'gate, <1',
      rows.flatMap(({ refusedOnly }) => refusedOnly.less),
    ),
    `  calls refused that the oracle names under no rule: ${counted(unnamedCalls)}`,
  ]
}

const legend = [
  '  both: named and refused; oracle: named, not refused; gate: refused, not named, by reward of the run',
  '  *: only because the oracle joins results by ids that the run uses again',
]

function cell({ of, kind }: Column, row: Row, colors: Colors): string {
  const count = of(row)
  const text = (count === 0 ? '·' : String(count)).padStart(8)
  if (count === 0 || kind === undefined) return text
  return kind === 'fault' ? colors.red(text) : colors.yellow(text)
}

function renderInexpressible(rules: Confusion['inexpressible']): string[] {
  const width = Math.max(...rules.map(({ id }) => id.length), 0)
  return [
    '',
    'rules that no precondition can say, how many violations the oracle names, and why',
    ...rules.map(({ id, named, reason }) => `  ${id.padEnd(width)}  ${named}  ${reason}`),
  ]
}

function renderKernel(kernel: Confusion['kernel'], colors: Colors): string[] {
  const { onRecord, inKernel, onlyAfterRefusal, onlyWithoutRefusal, unexplained } = kernel
  return [
    '',
    `refused on the record as it stands: ${onRecord} calls; by the kernel, where refusals hold: ${inKernel}`,
    ...onlyAfterRefusal.flatMap((one) =>
      listed(`kernel only, shown by a refused call (reward ${one.reward ?? 'unknown'}):`, [one]),
    ),
    ...listed('record only, done by a refused call:', onlyWithoutRefusal),
    ...(unexplained.length > 0 ? [colors.red('  the kernel judges otherwise:')] : []),
    ...listed(' ', unexplained),
  ]
}

function counted({ full, less }: ByReward): string {
  return `${full.length} in runs with reward 1, ${less.length} in others`
}

function listed(what: string, calls: readonly PlacedViolation[]): string[] {
  return calls.map(({ run, tool, callId }) => `  ${what} ${run}  ${callId}  ${tool}`)
}

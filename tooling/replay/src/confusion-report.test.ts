import picocolors from 'picocolors'
import { describe, expect, it } from 'vitest'
import type { Confusion, ConfusionRow } from './confusion.ts'
import { renderConfusion } from './confusion-report.ts'

const call = (callId: string) => ({ run: 'r', tool: 'write', callId, messageIndex: 1 })
const row = (rule: string, source: string, more: Partial<ConfusionRow> = {}): ConfusionRow => ({
  ...{ rule, source, judged: 4, agreed: [], namedByIdReuse: [], namedOnly: [] },
  ...{ overlookedByIdReuse: [], refusedOnly: { full: [], less: [] } },
  ...more,
})
const confusion: Confusion = {
  tables: [
    {
      joinResults: 'position',
      rows: [
        row('A1-look', 'desk', { agreed: [call('a'), call('b')], namedByIdReuse: [call('c')] }),
        row('A1-look', 'office', { namedOnly: [call('d')], overlookedByIdReuse: [call('e')] }),
        row('A2-ask', 'desk', { refusedOnly: { full: [call('f')], less: [call('g')] } }),
      ],
      unnamedCalls: { full: [call('f')], less: [] },
    },
    {
      joinResults: 'last-use-of-id',
      rows: [row('A1-look', 'desk')],
      unnamedCalls: { full: [], less: [] },
    },
  ],
  inexpressible: [
    { id: 'A7-count', reason: 'counts', named: 0 },
    { id: 'A10-count-all', reason: 'compares', named: 2 },
  ],
  unknownRules: ['Z1-new'],
  kernel: {
    ...{ onRecord: 3, inKernel: 4 },
    onlyAfterRefusal: [{ ...call('h'), reward: 1 }],
    onlyWithoutRefusal: [call('i')],
    unexplained: [call('j')],
  },
}

describe('renderConfusion', () => {
  it('shows each rule with its sources, what stands behind the numbers, and the kernel', () => {
    expect(renderConfusion(confusion, picocolors.createColors(false)).join('\n')).toBe(
      `
gate and oracle, as it was: a result answers the call before it
rule         judged      both   oracle*    oracle     gate*   gate, 1  gate, <1
A1-look           8         2         1         1         1         ·         ·
  desk            4         2         1         ·         ·         ·         ·
  office          4         ·         ·         1         1         ·         ·
A2-ask            4         ·         ·         ·         ·         1         1
  desk            4         ·         ·         ·         ·         1         1
all rules        12         2         1         1         1         1         1
  both: named and refused; oracle: named, not refused; gate: refused, not named, by reward of the run
  *: only because the oracle joins results by ids that the run uses again
  oracle*  r  c  write
  oracle   r  d  write
  gate*    r  e  write
  gate, 1  r  f  write
  gate, <1 r  g  write
  calls refused that the oracle names under no rule: 1 in runs with reward 1, 0 in others

gate and oracle, as the oracle reads it: a result answers each call that has its id
rule         judged      both   oracle*    oracle     gate*   gate, 1  gate, <1
A1-look           4         ·         ·         ·         ·         ·         ·
  desk            4         ·         ·         ·         ·         ·         ·
all rules         4         ·         ·         ·         ·         ·         ·
  calls refused that the oracle names under no rule: 0 in runs with reward 1, 0 in others

rules that no precondition can say, how many violations the oracle names, and why
  A7-count       0  counts
  A10-count-all  2  compares
  Z1-new: the oracle names it, and nobody knows it

refused on the record as it stands: 3 calls; by the kernel, where refusals hold: 4
  kernel only, shown by a refused call (reward 1): r  h  write
  record only, done by a refused call: r  i  write
  the kernel judges otherwise:
    r  j  write`,
    )
  })

  it('paints faults and notices, each its own way', () => {
    const colors = { ...picocolors.createColors(true) }
    const text = renderConfusion(confusion, colors).join('\n')
    expect(text).toContain(colors.red('       1'))
    expect(text).toContain(colors.yellow('       1'))
  })
})

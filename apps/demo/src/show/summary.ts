import type { CheckedTurn } from '../talk/play.ts'
import type { Checked } from '../talk/promises.ts'
import { type Page, printLine, printTitle } from './page.ts'
import { printableLine } from './printable.ts'

/**
 * Prints what the written conversation has shown. What the kernel promises for every turn stands at
 * the end, once, unless a turn broke it.
 *
 * @param strict - As in `hasKept`.
 */
export function printSummary(turns: readonly CheckedTurn[], page: Page, strict: boolean): void {
  const { paint } = page
  const print = (label: string, { promised, kept, binding }: Checked) => {
    const [mark, style, note] = kept
      ? ['✓', paint.green, '']
      : binding || strict
        ? ['✗', paint.red, ' (not shown)']
        : ['–', paint.dim, ' (not shown, and not asked of this model)']
    printLine(page, printableLine(`${promised}${note}`), { label, mark, style })
  }
  printTitle(page, 'what this has shown')
  const always: Checked[] = []
  for (const { turn, checks } of turns) {
    const own = checks.filter(({ by, kept }) => by === 'turn' || !kept)
    always.push(...checks.filter(({ by, kept }) => by === 'kernel' && kept))
    for (const [index, check] of own.entries()) print(index === 0 ? `turn ${turn}` : '', check)
  }
  const [first] = always
  if (first && always.length === turns.length) print('always', first)
}

import { type CheckedTurn, type InputTokens, sumInput } from '../talk/play.ts'
import type { Checked } from '../talk/promises.ts'
import { type Savings, sumSavings } from '../talk/savings.ts'
import { count } from './amounts.ts'
import { type Page, printLine, printTitle } from './page.ts'
import { printableLine } from './printable.ts'
import { costOf } from './result-lines.ts'

/**
 * Prints what the written conversation has shown. What the kernel promises for every turn stands at
 * the end, once, unless a turn broke it; behind it, what the prompt cache gave.
 *
 * @param about.strict - As in `hasKept`.
 * @param about.pricedAs - Whose prices the model was given.
 * @param about.unbroken - What the same conversation gave without the plugin that breaks the cache.
 */
export function printSummary(
  turns: readonly CheckedTurn[],
  page: Page,
  about: {
    readonly strict: boolean
    readonly unbroken?: InputTokens | undefined
    readonly pricedAs?: string | undefined
  },
): void {
  const { paint } = page
  const { strict, unbroken, pricedAs } = about
  const print = (label: string, { promised, kept, binding }: Checked) => {
    const [mark, style, note] = kept
      ? ['✓', paint.green, '']
      : binding || strict
        ? ['✗', paint.red, ' (not shown)']
        : ['–', paint.dim, ' (not shown, and not asked of this model)']
    printLine(page, printableLine(`${promised}${note}`), { label, mark, style })
  }
  printTitle(page, 'what this has shown')
  const always = new Map<string, Checked>()
  for (const { turn, checks } of turns) {
    const own = checks.filter(({ by, kept }) => by === 'turn' || !kept)
    for (const check of checks) if (check.by === 'kernel') always.set(check.promised, check)
    for (const [index, check] of own.entries()) print(index === 0 ? `turn ${turn}` : '', check)
  }
  const held = [...always.values()].filter(({ promised }) =>
    turns.every(({ checks }) => checks.every((each) => each.promised !== promised || each.kept)),
  )
  for (const [index, check] of held.entries()) print(index === 0 ? 'always' : '', check)
  const savings = sumSavings(turns.map((turn) => turn.savings))
  if (savings && savings.sentChars < savings.plainChars) printSavings(savings, page, pricedAs)
  const input = sumInput(turns)
  if (input.readTokens === 0 && unbroken === undefined) return
  printLine(page, `${describeRead(input)} came from the cache`, { label: 'cache' })
  if (unbroken === undefined) return
  const more = Math.round(100 * (notRead(input) / Math.max(1, notRead(unbroken)) - 1))
  printLine(page, `${describeRead(unbroken)} without the clock, which left ${more}% more unread`)
}

/** What the same calls would have been without stubs; and what that costs, where recalls count as well. */
function printSavings(savings: Savings, page: Page, pricedAs: string | undefined): void {
  const { plainChars, sentChars, unit, plainCost, cost } = savings
  const fewer = Math.round(100 * (1 - sentChars / plainChars))
  const chars = `${count(sentChars)} chars of history sent, ${count(plainChars)} without stubs (${fewer}% fewer)`
  printLine(page, chars, { label: 'stubs' })
  const prices = pricedAs === undefined ? '' : `, at the prices of ${pricedAs}`
  const costs = `it costs ${costOf(cost, unit)}, recalls included, not ${costOf(plainCost, unit)}`
  printLine(page, printableLine(`${costs}${prices}`))
}

/** `41,210 of 62,003 tokens in (66%)`. */
function describeRead({ inputTokens, readTokens }: InputTokens): string {
  const share = inputTokens === 0 ? 0 : Math.round((100 * readTokens) / inputTokens)
  return `${count(readTokens)} of ${count(inputTokens)} tokens in (${share}%)`
}

function notRead({ inputTokens, readTokens }: InputTokens): number {
  return inputTokens - readTokens
}

import type { NetSaving, Rates, ResultDecision } from '@symfonic/result-policy'
import type { Savings } from '../talk/savings.ts'
import { count } from './amounts.ts'
import { printableLine } from './printable.ts'

/** What goes out in place of a result: `search_flights: 21,674 chars, a stub of 343 is sent, r_4f1887`. */
export function describeStub(decision: ResultDecision): string {
  const { toolName, sizeChars, stubChars, id } = decision
  const sizes = `${count(sizeChars)} chars, a stub of ${count(stubChars)} is sent`
  return printableLine(`${toolName}: ${sizes}, ${shortId(id)}`)
}

/**
 * Why that pays: `5,333 tokens × 10 calls (1 × $3.75/M + 9 × $0.30/M) − rewrite 0 − recalls $0.0018 =
 * $0.0326 saved`.
 */
export function describeArithmetic({ inputs, terms, net }: NetSaving): string {
  const { freedTokens, remainingCalls, isCached, rates } = inputs
  const { unit, read, write } = rates
  const calls = [
    ...(isCached ? [] : [`1 × ${rateOf(write, unit)}`]),
    `${remainingCalls - (isCached ? 0 : 1)} × ${rateOf(read, unit)}`,
  ]
  const freed = `${count(Math.round(freedTokens))} tokens × ${remainingCalls} calls (${calls.join(' + ')})`
  const costs = `− rewrite ${amountOf(terms.rewrite, unit)} − recalls ${amountOf(terms.recall, unit)}`
  return `${freed} ${costs} = ${costOf(net, unit)} saved`
}

/**
 * What stubs saved in some calls: `4,450 chars of history sent, not 23,888; $0.0189 of $0.0207 saved`.
 *
 * @returns undefined where no stub was sent.
 */
export function describeSavings(savings: Savings): string | undefined {
  const { plainChars, sentChars, unit, plainCost, cost } = savings
  if (sentChars === plainChars) return undefined
  const chars = `${count(sentChars)} chars of history sent, not ${count(plainChars)}`
  return `${chars}; ${amountOf(plainCost - cost, unit)} of ${costOf(plainCost, unit)} saved`
}

/** What a search behind a stub has found, from a little in front of it. */
export function describeRecalled(output: unknown, input: unknown): string {
  const text = String(output)
  const { search = '' } = (input ?? {}) as { readonly search?: unknown }
  const at = text.toLowerCase().indexOf(String(search).toLowerCase())
  return printableLine(at > leadChars ? `…${text.slice(at - leadChars)}` : text)
}

const leadChars = 11

/** The stubs of a conversation, for somebody who asks. */
export function describeStubs(stubs: readonly ResultDecision[]): string {
  if (stubs.length === 0) return 'No result is sent as a stub in this conversation.'
  return [
    ...stubs.flatMap((decision) => [
      `${describeStub(decision)} (${decision.reason})`,
      ...(decision.netSaving ? [`         ${describeArithmetic(decision.netSaving)}`] : []),
    ]),
    'Read one: /recall <id>, with a text to look for, or a JSON pointer such as /offers/0.',
  ].join('\n')
}

/** Enough of an id to know a result again. */
function shortId(id = ''): string {
  return id.slice(0, 8)
}

/** An amount on its own: `$0.0326`, or `8,120 input tokens` where the model has no price. */
export function costOf(amount: number, unit: Rates['unit']): string {
  return unit === 'usd' ? amountOf(amount, unit) : `${amountOf(amount, unit)} input tokens`
}

function amountOf(amount: number, unit: Rates['unit']): string {
  if (amount === 0) return '0'
  return unit === 'usd' ? `$${amount.toFixed(4)}` : count(Math.round(amount))
}

/** Of one token, for a million of them; in multiples of an input token where there is no price. */
function rateOf(rate: number, unit: Rates['unit']): string {
  return unit === 'usd' ? `$${(rate * 1_000_000).toFixed(2)}/M` : String(rate)
}

import { ResultPolicyError } from './errors.ts'
import { type Logger, quietly, silentLogger } from './logger.ts'
import type { Rates } from './net-saving.ts'
import { type ModelPrice, modelPrices } from './price-table.ts'

/** Prices by model name, with what a host knows better. */
export interface Pricing {
  /**
   * What a model costs: an override, else the table. The name is tried as it is, then without what
   * platforms put around it: a provider or a path before the last `/` or `:`, a region and a vendor
   * as Bedrock writes them with the revision at the end, a date or `latest`, and a point between two
   * numbers, which Anthropic writes as a hyphen. undefined when it is unknown: no model is ever given
   * the price of another one of its family.
   */
  priceOf(modelName: string): ModelPrice | undefined
  /**
   * Puts overrides in place of those that are there. An empty map is skipped: it is no wish to clear
   * (KERN-48). Replacing overrides by different ones warns, once (KERN-49).
   *
   * @throws ResultPolicyError `RESULT_PRICE_INVALID`; nothing has changed then.
   */
  install(overrides: PriceOverrides): void
  /** The same, but an empty map clears: for whoever says so explicitly (KERN-48). @throws as `install` */
  register(overrides: PriceOverrides): void
  /** The overrides in force. */
  overrides(): PriceOverrides
}

/** Prices by model name. */
export type PriceOverrides = Readonly<Record<string, ModelPrice>>

/** How prices are made. Everything is optional. */
export interface PricingOptions {
  /** Installed at once. Default none. */
  readonly overrides?: PriceOverrides | undefined
  /** What stands below the overrides. Default `modelPrices`. */
  readonly table?: PriceOverrides | undefined
  /** Gets the warning, and one info line per change that names models and no prices. Default silent. */
  readonly logger?: Logger | undefined
}

/**
 * A price table with overrides. Share one between all agents of a process: what it charges for a
 * model is then the same everywhere (KERN-48).
 *
 * @throws ResultPolicyError `RESULT_PRICE_INVALID` for overrides or a table that cannot be.
 * @see KERN-48, KERN-49, RES-24
 */
export function createPricing(options: PricingOptions = {}): Pricing {
  const { logger = silentLogger } = options
  const table = checked(options.table ?? modelPrices)
  let current: PriceOverrides = Object.freeze({})
  let hasWarned = false

  const pricing: Pricing = {
    priceOf(modelName) {
      for (const name of namesOf(modelName)) {
        const price = own(current, name) ?? own(table, name)
        if (price !== undefined) return price
      }
      return undefined
    },
    install(overrides) {
      const next = checked(overrides)
      if (Object.keys(next).length > 0) replace(next)
    },
    register: (overrides) => replace(checked(overrides)),
    overrides: () => current,
  }
  if (options.overrides !== undefined) pricing.install(options.overrides)
  return Object.freeze(pricing)

  function replace(next: PriceOverrides): void {
    const [before, after] = [canonical(current), canonical(next)]
    if (before === after) return
    const models = Object.keys(next).sort()
    if (Object.keys(current).length > 0 && models.length > 0 && !hasWarned) {
      hasWarned = true
      const what = 'Price overrides are replaced by different ones.'
      const wish = 'Install them once per process, or register them explicitly.'
      quietly(() => logger.warn(`${what} ${wish}`, { models }))
    }
    current = next
    quietly(() => logger.info('Price overrides changed.', { models }))
  }
}

/**
 * What one token costs at a price, for a way of caching. Without a price: multiples of an input
 * token in the proportions in which a rewrite of the cached prefix is dearest, so that what pays by
 * these pays by any price list.
 *
 * @param price - undefined, or null as some price lists say, where it is unknown.
 * @throws ResultPolicyError `RESULT_PRICE_INVALID` for what is no price, such as a promise of one.
 */
export function ratesOf(price: ModelPrice | undefined | null, cache: '5m' | '1h' | 'none'): Rates {
  const isKnown = price !== undefined && price !== null
  const { input, output, cacheRead, cacheWrite5m, cacheWrite1h } = isKnown
    ? checkedPrice(price)
    : relativePrice
  const perToken = isKnown ? 1_000_000 : 1
  const short = cacheWrite5m ?? input
  const write = { '5m': short, '1h': cacheWrite1h ?? short, none: input }[cache]
  const read = cache === 'none' ? input : (cacheRead ?? input)
  return {
    unit: isKnown ? 'usd' : 'input-tokens',
    read: read / perToken,
    write: write / perToken,
    output: output / perToken,
  }
}

const relativePrice: ModelPrice = {
  input: 1,
  output: 5,
  cacheRead: 0.1,
  cacheWrite5m: 1.25,
  cacheWrite1h: 2,
}

/** The names under which a price may stand, from the whole name to the barest. */
function* namesOf(modelName: string): Generator<string> {
  yield modelName
  const [, onBedrock] = bedrockName.exec(modelName) ?? []
  const bare = onBedrock ?? modelName.replace(/^.*[/:]/s, '')
  yield bare
  const undated = bare.replace(/(?:[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|latest)|@default)$/, '')
  yield undated
  yield undated.replaceAll(/(\d)\.(?=\d)/g, '$1-')
}

// Such as `us.anthropic.claude-sonnet-4-5-20250929-v1:0`, alone or at the end of an ARN.
const bedrockName = /^(?:.*[/:])?(?:[a-z-]+\.)+([a-z][^/]*?)(?:-v\d+(?::\d+)?)?$/s

function checked(prices: PriceOverrides): PriceOverrides {
  if (typeof prices !== 'object' || prices === null || Array.isArray(prices)) {
    const message = 'Prices must be an object of prices by model name.'
    throw new ResultPolicyError('RESULT_PRICE_INVALID', message)
  }
  const copies = Object.keys(prices).map((name) => [name, checkedPrice(prices[name], name)])
  return Object.freeze(Object.fromEntries(copies))
}

const rates = ['input', 'output', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h'] as const

function checkedPrice(price: unknown, modelName?: string): ModelPrice {
  const found: Partial<Record<(typeof rates)[number], number>> = {}
  for (const rate of rates) {
    const value: unknown =
      typeof price === 'object' && price !== null && Object.hasOwn(price, rate)
        ? Reflect.get(price, rate)
        : undefined
    if (value === undefined && rate !== 'input' && rate !== 'output') continue
    if (typeof value !== 'number' || !(value >= 0) || value === Number.POSITIVE_INFINITY) {
      const whose = modelName === undefined ? '' : ` of ${JSON.stringify(modelName.slice(0, 80))}`
      const message = `The price ${rate}${whose} is no amount. Write US dollars per million tokens, 0 or more.`
      const details = modelName === undefined ? { rate } : { modelName, rate }
      throw new ResultPolicyError('RESULT_PRICE_INVALID', message, { details })
    }
    found[rate] = value
  }
  const { input = 0, output = 0, ...cached } = found
  return Object.freeze({ input, output, ...cached })
}

function canonical(prices: PriceOverrides): string {
  const sorted = Object.keys(prices)
    .sort()
    .map((name) => [name, rates.map((rate) => own(prices, name)?.[rate] ?? null)])
  return JSON.stringify(sorted)
}

function own(prices: PriceOverrides, name: string): ModelPrice | undefined {
  return Object.hasOwn(prices, name) ? prices[name] : undefined
}

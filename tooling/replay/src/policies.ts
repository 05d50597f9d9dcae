import type { Capability, ProposedCall, TurnView } from '@symfonic/kernel'
import { withPreflight } from '@symfonic/kernel/with-preflight'
import { breachesIn } from './judge-record.ts'
import type { Recording } from './recording.ts'
import { standInQuery } from './replay.ts'
import type { RuleSet } from './rule-set.ts'
import { airlineInexpressible, airlineRules } from './rules/airline.ts'
import { airlineState } from './rules/airline-state.ts'
import { apiState } from './rules/api-state.ts'
import { apiRules } from './rules/apis.ts'
import { type PolicyRule, skillsOf } from './rules/policy-rule.ts'
import { retailInexpressible, retailRules } from './rules/retail.ts'
import { retailState } from './rules/retail-state.ts'

/**
 * The policies of an airline and of a shop, as far as preconditions can say them, and what some APIs
 * ask for. All skills are there at all times, as in one file; the state says whose desk it is.
 */
export const policies: RuleSet = {
  name: 'policies',
  sentence: 'What an airline, a shop and some APIs ask of their agents.',
  policies: {
    rules: [...airlineRules, ...retailRules, ...apiRules],
    inexpressible: [...airlineInexpressible, ...retailInexpressible],
    rulesFor,
  },
  capabilities: (recording) => (desks.has(recording.domain) ? [capabilityFor(recording)] : []),
  subjectOf: (recording, { name, args }) =>
    rulesFor(recording).some(({ tools }) => tools.includes(name)) ? subjectOf(args) : undefined,
  breachesOf: (recording, joinResults) =>
    breachesIn(recording, policies.capabilities(recording), { joinResults }),
}

/** What the predicates read: whose desk it is, and what the rules of that desk speak of. */
type Reduce = (
  messages: TurnView['messages'],
  call: ProposedCall | undefined,
  startState: unknown,
) => object

const desks = new Map<string, { readonly rules: readonly PolicyRule[]; readonly reduce: Reduce }>([
  ['airline', { rules: airlineRules, reduce: airlineState }],
  ['retail', { rules: retailRules, reduce: retailState }],
  ['apis', { rules: apiRules, reduce: (messages, call, start) => apiState(start, messages, call) }],
])

const skills = [...desks].flatMap(([desk, { rules }]) => skillsOf(rules, desk))

function rulesFor({ domain }: Recording): readonly PolicyRule[] {
  return desks.get(domain)?.rules ?? []
}

function capabilityFor({ domain, startState }: Recording): Capability {
  const reduce = desks.get(domain)?.reduce
  return withPreflight({
    skills,
    readState: ({ messages }, call) => ({
      desk: domain,
      ...reduce?.(messages.filter(isOfRecord), call, startState),
    }),
    // The state knows what was shown, and about what. That a tool was called says less: it may have
    // shown something else. So while a skill is active, what it requires is missing.
    readCalled: () => nothingCalled,
  })
}

const nothingCalled: ReadonlySet<string> = new Set()

/** The last word of the user must not be one that the replay put there. */
function isOfRecord({ role, content }: TurnView['messages'][number]): boolean {
  return role !== 'user' || content !== standInQuery
}

/** Arguments that say what a call is about, the nearest first. */
const subjects = ['reservation_id', 'order_id', 'user_id', 'product_id']

function subjectOf(args: unknown): string {
  if (typeof args !== 'object' || args === null) return '(none)'
  const given = new Map<string, unknown>(Object.entries(args))
  const subject = subjects.map((key) => given.get(key)).find((value) => typeof value === 'string')
  return typeof subject === 'string' ? subject : '(none)'
}

import { type HookName, hookNames } from './hook.ts'
import { printable } from './printable.ts'

/** A function that nobody would call, since its name is only close to a hook's. */
export interface MisspeltHook {
  readonly member: string
  /** What it should be called to be one. */
  readonly hook: HookName
}

/**
 * The functions of a plugin, own or inherited, whose name is a hook's but for at most two edits. Case,
 * `_` and `-` do not count, so `validate_state_transition` is found as well. A name longer than 64
 * characters is nobody's slip. Looks at values only where the name is close.
 *
 * @throws whatever the plugin throws while it is looked at, and RangeError for prototypes without end.
 * @see DESIGN.md, "Misspelt hooks"
 */
export function misspeltHooks(plugin: object): readonly MisspeltHook[] {
  const found = new Map<string, HookName>()
  let owner: object | null = plugin
  for (let depth = 0; owner !== null && owner !== Object.prototype; depth += 1) {
    if (depth > maxDepth) throw new RangeError(`it has more than ${maxDepth} prototypes`)
    for (const member of Reflect.ownKeys(owner)) {
      if (typeof member !== 'string' || found.has(member)) continue
      const hook = closestHook(member)
      if (hook === undefined || typeof Reflect.get(plugin, member) !== 'function') continue
      found.set(member, hook)
    }
    owner = Object.getPrototypeOf(owner)
  }
  return [...found].map(([member, hook]) => ({ member, hook }))
}

/** Such a slip in the words of a reason. */
export function describeSlip({ member, hook }: MisspeltHook): string {
  return `its ${printable(member)} is no hook; call it ${hook}`
}

const maxDepth = 100
const maxEdits = 2
const maxNameChars = 64
const lettersOfHooks = hookNames.map((hook) => ({ hook, letters: lettersOf(hook) }))
const minNameChars = Math.min(...lettersOfHooks.map(({ letters }) => letters.length)) - maxEdits

/** The hook that a name was meant to be; undefined for a hook itself and for any other name. */
function closestHook(name: string): HookName | undefined {
  if (name.length < minNameChars || name.length > maxNameChars) return undefined
  if (hookNames.some((hook) => hook === name)) return undefined
  const given = lettersOf(name)
  return lettersOfHooks.find(({ letters }) => isWithin(maxEdits, given, letters))?.hook
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '')
}

/** Whether so many insertions, deletions and replacements turn one text into the other. */
function isWithin(edits: number, a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > edits) return false
  let same = 0
  while (same < a.length && a[same] === b[same]) same += 1
  const [restOfA, restOfB] = [a.slice(same), b.slice(same)]
  if (restOfA === '' || restOfB === '') return true
  if (edits === 0) return false
  const [nextOfA, nextOfB] = [restOfA.slice(1), restOfB.slice(1)]
  return (
    isWithin(edits - 1, nextOfA, nextOfB) ||
    isWithin(edits - 1, nextOfA, restOfB) ||
    isWithin(edits - 1, restOfA, nextOfB)
  )
}

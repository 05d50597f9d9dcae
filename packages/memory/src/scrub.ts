import { readOptions } from './read-object.ts'
import { compileCredentialPattern, copyWithout, scrubCredentialKeys } from './scrub-keys.ts'
import { mayHoldSecret, secretKinds } from './scrub-secrets.ts'

/** A text without its secrets. */
export interface ScrubbedText {
  readonly text: string
  /** The kinds that were found, each once, such as `github-token`. */
  readonly kinds: readonly string[]
}

/** Takes secrets out before anything is kept. Every write path goes through one. @see MEM-21 */
export interface Scrubber {
  /** As `scrubSecrets`, or the text itself where secrets are not looked for. */
  readonly text: (text: string) => ScrubbedText
  /**
   * A copy of plain data without credential keys, each text in it scrubbed; the value itself where
   * both are off. What cannot be searched is left out, as `scrubCredentialKeys` says.
   */
  readonly properties: (value: unknown) => unknown
}

/** How a scrubber is made. */
export interface ScrubberOptions {
  /** As `compileCredentialPattern` takes them; `[]` keeps every key. */
  readonly credentialPatterns?: readonly string[]
  /** Whether texts are searched for secrets; true by default. */
  readonly secretsInText?: boolean
}

/** Passes over one text. Two are enough unless a placeholder frees what it stood next to. */
const mostPasses = 8

/**
 * Replaces the secrets in a text by `[removed:<kind>]`: keys and tokens by how they begin, private
 * keys, passwords in addresses and connection strings, headers, values that are named as passwords or
 * secrets, and card numbers. What a person may want to remember around them stays. A secret with invisible
 * characters in it or in wide letters is found as well; such a text is returned without them.
 *
 * Linear in the length of the text. Scrubbing what is scrubbed changes nothing.
 *
 * @returns The text itself when nothing was found. Secrets that look like ordinary words are not
 * found.
 * @see MEM-21, HTTP-08
 */
export function scrubSecrets(text: string): ScrubbedText {
  const scrubbed = replaceSecrets(text)
  const plain = withoutDisguise(scrubbed.text)
  if (plain === scrubbed.text) return scrubbed
  const found = replaceSecrets(plain)
  if (found.kinds.length === 0) return scrubbed
  const kinds = Object.freeze([...new Set([...scrubbed.kinds, ...found.kinds])])
  return Object.freeze({ text: found.text, kinds })
}

function replaceSecrets(text: string): ScrubbedText {
  const kinds = new Set<string>()
  let scrubbed = text
  const passes = mayHoldSecret(text) ? mostPasses : 0
  for (let pass = 0; pass < passes; pass += 1) {
    const before = scrubbed
    for (const { kind, pattern, confirms } of secretKinds) {
      scrubbed = scrubbed.replace(pattern, (match: string, ...rest: unknown[]) => {
        const keep = keptOf(rest)
        if (confirms !== undefined && !confirms(match.slice(keep.length), keep)) return match
        kinds.add(kind)
        return `${keep}[removed:${kind}]`
      })
    }
    if (scrubbed === before) break
  }
  return Object.freeze({ text: scrubbed, kinds: Object.freeze([...kinds]) })
}

const disguise =
  /[\u00ad\u061c\u180e\u200b-\u200c\u200e-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\uff01-\uff5e]|\u200d|\u034f/g

/** Without characters that are not seen, and with the wide forms of ASCII as ASCII. */
function withoutDisguise(text: string): string {
  return text.replace(disguise, (character) => {
    const code = character.charCodeAt(0)
    return code < 0xff01 || code > 0xff5e ? '' : String.fromCharCode(code - 0xfee0)
  })
}

/**
 * Makes the scrubber of an agent. The pattern for keys is compiled here, once.
 *
 * @throws MemoryError - `MEMORY_CREDENTIAL_PATTERN` as `compileCredentialPattern`; `MEMORY_OPTION_INVALID` for an
 * option that does not exist.
 * @see MEM-18 to MEM-21
 */
export function createScrubber(options: ScrubberOptions = {}): Scrubber {
  const { credentialPatterns, secretsInText = true } = readOptions('options', options, [
    'credentialPatterns',
    'secretsInText',
  ])
  const pattern = compileCredentialPattern(credentialPatterns)
  if (!secretsInText) {
    return Object.freeze({
      text: (text: string) => Object.freeze({ text, kinds: Object.freeze([]) }),
      properties: (value: unknown) => scrubCredentialKeys(value, pattern),
    })
  }
  const changeText = (text: string) => scrubSecrets(text).text
  return Object.freeze({
    text: scrubSecrets,
    properties: (value: unknown) => copyWithout(value, { pattern, changeText }),
  })
}

/** The last argument of a replacer holds the named groups, where the pattern has any. */
function keptOf(rest: readonly unknown[]): string {
  const groups = rest.at(-1)
  if (typeof groups !== 'object' || groups === null || !('keep' in groups)) return ''
  return typeof groups.keep === 'string' ? groups.keep : ''
}

import {
  copulas,
  passwordNames,
  prepositions,
  vagueNames,
  verblessNames,
} from './password-names.ts'
import { isMixed, isPlainPassword, unlikeWord } from './password-shape.ts'

/** Whether what was found is a secret, given what stands before it. */
type Confirms = (secret: string, keep: string) => boolean

/** One kind of secret: its name, which the placeholder shows, and how it is recognised. */
export interface SecretKind {
  readonly kind: string
  /** Global. Group `keep` is what stays in front of the placeholder; the rest is the secret. */
  readonly pattern: RegExp
  /** What a secret must be besides. */
  readonly confirms?: Confirms
}

// INVARIANT: every pattern is linear. A run that may grow without bound is entered at its first
// character only (a look-behind sees to it) or cannot fail once it has grown; other repeats are
// bounded. None of them matches within a placeholder, so scrubbing twice changes nothing.

/** Not within a longer word of the same alphabet. */
const start = '(?<![A-Za-z0-9_-])'

/** Not within a longer word; for tokens whose underscores cannot make the search start again and again. */
const startOrUnderscore = '(?<![A-Za-z0-9-])'

/** A token that is known by how it begins. */
function token(kind: string, written: string, before = startOrUnderscore): SecretKind {
  return { kind, pattern: new RegExp(`${before}${written}`, 'g') }
}

const secretNames =
  '(?:api|access|auth|account|shared|secret|private|signing|encryption|master|subscription|client)[ _.-]{0,2}(?:access[ _.-]{0,2})?(?:key|secret|token)(?:[ _.-]data)?|secret|token|credentials?'

/** What may stand between the name of a secret and the secret: `: `, `" = `, `=>`. */
const assigned = String.raw`\\{0,3}["'\x60\]]{0,2}\s{0,3}(?::=|=>|[:=：＝])\s{0,3}`

/** Between name and secret in a sentence. */
const said = String.raw`\s{1,3}(?:${copulas})\s{1,3}`

/** Any character but the beginning of a placeholder. */
const notRemoved = String.raw`(?!\[removed:)`

/** Up to a blank, a quotation mark or what ends a field. */
const bare = String.raw`(?!["'\x60\\]|\/\/)(?:${notRemoved}[^\s"'\x60,;<>])`

/** Behind a quotation mark, up to the same mark or the end of the line. */
const opening = String.raw`\\{0,3}(?<quote>["'\x60])`
const quoted = String.raw`(?:${notRemoved}(?!\k<quote>)[^\n])`

/** A secret that is known by the name before it: as `name: secret`, and in quotes. */
function named(
  kind: string,
  names: string,
  about: { minChars: number; confirms: Confirms; confirmsQuoted: Confirms },
): SecretKind[] {
  const [keep, many] = [`(?<keep>(?:${names})${assigned}`, `{${about.minChars},}`]
  return [
    {
      kind,
      pattern: new RegExp(`${keep}${opening})${quoted}${many}`, 'giu'),
      confirms: about.confirmsQuoted,
    },
    { kind, pattern: new RegExp(`${keep})${bare}${many}`, 'giu'), confirms: about.confirms },
  ]
}

/** A secret that a person tells in a sentence. */
function told(kind: string, names: string, minChars: number): SecretKind {
  return {
    kind,
    pattern: new RegExp(
      `(?<keep>(?:${names})${said}["'\\x60]?)(?:${notRemoved}[^\\s"'\\x60,;<>]){${minChars},}`,
      'giu',
    ),
    confirms: (secret) => unlikeWord(secret),
  }
}

/** Base64 of `user:password`. */
function holdsLogin(text: string): boolean {
  try {
    return /^[\x20-\x7e]+:[\x20-\x7e]+$/.test(atob(text))
  } catch {
    return false
  }
}

function hasDigit(text: string): boolean {
  return /\d/.test(text)
}

/** Between the groups of digits of a card's number. */
const between = String.raw`[ \u00a0\u2007\u2009\u202f.-]`

/** What every secret has: a name before it, an address around it, or a length that few words have. */
const suspicion = new RegExp(
  String.raw`:\/\/|-----BEGIN|\d{4}${between}?\d{4}|[\w+/=.~$-]{18}|${passwordNames}|${vagueNames}|pass\b|secret|token|key|credential|auth|bearer|cookie|curl|private|\bPIN`,
  'iu',
)

/** False when the text holds no secret for sure: most text is done with after this one look. */
export function mayHoldSecret(text: string): boolean {
  return suspicion.test(text)
}

/** The secrets that are looked for, the more particular before the more general. */
export const secretKinds: readonly SecretKind[] = Object.freeze([
  {
    kind: 'private-key',
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----)){0,16384}(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?/g,
  },
  {
    kind: 'private-key',
    pattern:
      /(?<keep>Private-Lines:\s{0,3}\d{1,3})(?:(?:\r?\n|\\n)[A-Za-z0-9+/=]{1,100}(?![A-Za-z0-9+/=-])){1,256}/g,
  },
  { kind: 'age-secret-key', pattern: /(?<![A-Z0-9-])AGE-SECRET-KEY-1[A-Z0-9]{58}/g },
  // Connection strings and addresses that carry a password.
  {
    kind: 'connection-string',
    pattern:
      /(?<keep>(?<![a-z0-9+.-])(?:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|sqlserver|oracle|clickhouse|cockroachdb|kafka|nats|mqtts?|ldaps?|smtps?|imaps?|s?ftps?|ssh)(?:\+[a-z]{1,20})?:\/\/)[^\s:@/["'<>]{0,128}:(?:(?!\[removed:)[^\s"'<>]){1,256}(?=@)/gi,
  },
  {
    kind: 'url-password',
    pattern:
      /(?<keep>(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,30}:\/\/)[^\s:@/["'<>]{0,128}:(?:(?!\[removed:)[^\s@/?#"'<>]){1,256}(?=@)/gi,
  },
  // Tokens that say whose they are.
  // What cannot be anything else is found in the middle of a word, too.
  token('anthropic-key', String.raw`sk-ant-[a-z]{3,6}\d\d-[A-Za-z0-9_-]{20,}`, ''),
  token('anthropic-key', 'sk-ant-[A-Za-z0-9_-]{20,}'),
  token('openrouter-key', 'sk-or-v1-[A-Za-z0-9]{32,}'),
  token(
    'openai-key',
    String.raw`sk-(?:(?=[A-Za-z_-]{0,80}\d)(?=[a-z0-9_-]{0,80}[A-Z])[A-Za-z0-9_-]{20,}|[a-f0-9]{32,})`,
  ),
  token('aws-access-key', '(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])'),
  token('aws-bedrock-key', 'ABSK[A-Za-z0-9+/]{60,}={0,2}'),
  token('google-api-key', 'AIza[A-Za-z0-9_-]{35}'),
  token('google-oauth-token', String.raw`ya29\.[A-Za-z0-9_-]{20,}`),
  token('google-oauth-token', '1//0[A-Za-z0-9_-]{30,}'),
  token('google-client-secret', 'GOCSPX-[A-Za-z0-9_-]{20,}'),
  { kind: 'azure-client-secret', pattern: /(?<![\w~.-])[\w~.-]{3}\dQ~[\w~.-]{31,40}/g },
  {
    kind: 'azure-key',
    pattern: /(?<keep>\b(?:AccountKey|SharedAccessKey)=)[A-Za-z0-9+/]{20,}={0,2}/gi,
  },
  {
    kind: 'signed-address',
    pattern:
      /(?<keep>[?&;](?:X-Amz-(?:Signature|Security-Token)|X-Goog-Signature|Signature)=)[A-Za-z0-9%+/=_~-]{20,}/gi,
  },
  { kind: 'azure-sas', pattern: /(?<keep>[?&;]sig=)[A-Za-z0-9%+/=_-]{20,}/gi },
  token('github-token', 'gh[pousr]_[A-Za-z0-9]{36,}', ''),
  token('github-token', 'gh[pousr]_[A-Za-z0-9]{30,}'),
  token('github-token', 'github_pat_[A-Za-z0-9_]{40,}'),
  token('gitlab-token', 'gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-[A-Za-z0-9_.-]{20,}'),
  token('bitbucket-token', 'ATBB[A-Za-z0-9]{28,}'),
  token('atlassian-token', 'ATATT3[A-Za-z0-9_=-]{40,}'),
  token('slack-token', String.raw`xox[abeoprs]-\d[A-Za-z0-9-]{9,}`),
  token('slack-token', 'xapp-[A-Za-z0-9-]{20,}'),
  {
    kind: 'slack-webhook',
    pattern: /(?<keep>hooks\.slack\.com\/(?:services|workflows|triggers)\/)[A-Za-z0-9/_-]{20,}/gi,
  },
  {
    kind: 'discord-webhook',
    pattern: /(?<keep>discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/)\d{15,20}\/[\w-]{40,}/gi,
  },
  token(
    'discord-token',
    String.raw`[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}`,
  ),
  token('telegram-token', String.raw`\d{8,10}:AA[A-Za-z0-9_-]{32,}`),
  token('stripe-key', '(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}'),
  token('stripe-webhook-secret', 'whsec_[A-Za-z0-9+/]{24,}={0,2}'),
  token('square-token', 'sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{20,}'),
  token('shopify-token', 'shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32,}'),
  token('paypal-token', String.raw`access_token\$production\$[a-z0-9]{8,}\$[a-f0-9]{32}`),
  token('npm-token', 'npm_[A-Za-z0-9]{36,}'),
  token('pypi-token', 'pypi-AgE[A-Za-z0-9_-]{40,}'),
  token('rubygems-key', 'rubygems_[a-f0-9]{40,}'),
  token('docker-token', 'dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}'),
  token('digitalocean-token', 'do[opr]_v1_[a-f0-9]{60,}'),
  token('heroku-key', 'HRKU-[A-Za-z0-9_-]{30,}'),
  token('sendgrid-key', String.raw`SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{30,}`),
  token('mailgun-key', 'key-[a-f0-9]{32}(?![A-Za-z0-9])'),
  token('mailchimp-key', String.raw`[a-f0-9]{32}-us\d{1,2}(?!\d)`),
  token('twilio-key', 'SK[a-f0-9]{32}(?![A-Za-z0-9])'),
  token('huggingface-token', 'hf_[A-Za-z0-9]{30,}'),
  token('replicate-token', 'r8_[A-Za-z0-9]{30,}'),
  token('groq-key', 'gsk_[A-Za-z0-9]{40,}'),
  token('perplexity-key', 'pplx-[A-Za-z0-9]{40,}'),
  token('xai-key', 'xai-[A-Za-z0-9]{40,}'),
  token('databricks-token', 'dapi[a-f0-9]{32}(?:-\\d)?'),
  token('new-relic-key', 'NR(?:AK|JS|II)-[A-Za-z0-9]{20,}'),
  token('grafana-token', 'gl(?:sa|c)_[A-Za-z0-9+/_=-]{30,}'),
  token('vault-token', String.raw`hv[sbr]\.[A-Za-z0-9_-]{20,}`),
  {
    kind: 'terraform-token',
    pattern: /(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{40,}/g,
  },
  token('vercel-token', 'vc[piark]_[A-Za-z0-9]{24,}'),
  token('linear-key', 'lin_(?:api|oauth)_[A-Za-z0-9]{30,}'),
  token('notion-token', '(?:ntn_|secret_)[A-Za-z0-9]{40,}'),
  token('figma-token', 'figd_[A-Za-z0-9_-]{30,}'),
  token('airtable-token', String.raw`pat[A-Za-z0-9]{14}\.[a-f0-9]{60,}`),
  token('postman-key', 'PMAK-[A-Za-z0-9]{20,}-[A-Za-z0-9]{30,}'),
  token('sentry-token', 'sntry[su]_[A-Za-z0-9+/=_-]{40,}'),
  token('supabase-key', 'sb(?:p_[a-f0-9]{40}|_secret_[A-Za-z0-9_-]{20,})'),
  token('planetscale-token', 'pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{30,}'),
  token('doppler-token', String.raw`dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9_.-]{40,}`),
  token('dropbox-token', String.raw`sl\.[A-Za-z0-9_-]{60,}`),
  // What says in its name that it is a key, whoever gave it: vercel_blob_rw_…
  {
    ...token(
      'service-token',
      '[a-z][a-z0-9]{1,15}_(?:[a-z0-9]{1,8}_)?(?:rw|sk|live|api|pat|key|secret|token)_[A-Za-z0-9_]{20,}',
      start,
    ),
    confirms: (secret) => /_(?=[A-Za-z]*\d)[A-Za-z0-9]{16,}/.test(secret),
  },
  token(
    'jwt',
    String.raw`eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+){0,2}`,
    start,
  ),
  // What is a secret by the name before it.
  {
    kind: 'authorization',
    pattern:
      /(?<keep>\b(?:proxy-)?authorization["'`\]]{0,2}\s{0,3}[:=]\s{0,3}["'`]?(?:(?:basic|bearer|token|digest|negotiate|apikey|aws4-hmac-sha256)\s{1,3})?)(?!(?:basic|bearer|token|digest|negotiate|apikey|aws4-hmac-sha256)\s)(?:(?!\[removed:)[^\s"'`<>]){8,}/gi,
    confirms: unlikeWord,
  },
  {
    kind: 'bearer-token',
    pattern: /(?<keep>\bbearer\s{1,3})[A-Za-z0-9._~+/-]{12,}={0,2}/gi,
    confirms: hasDigit,
  },
  {
    kind: 'authorization',
    pattern:
      /(?<keep>\\{0,3}"_?auth\\{0,3}"\s{0,3}:\s{0,3}\\{0,3}")[A-Za-z0-9+/]{4,}={0,2}(?=\\{0,3}")/gi,
    confirms: holdsLogin,
  },
  {
    kind: 'cookie',
    pattern: /(?<keep>\b(?:set-)?cookie:\s{0,3})(?!\[removed:)[^\s=;[]{1,100}=[^\n"'`]{6,}/gi,
  },
  {
    kind: 'password',
    pattern: /(?<keep>\blogin\s{1,3}[^\s[]{1,100}\s{1,3}password\s{1,3})(?!\[removed:)\S{4,}/gi,
  },
  {
    kind: 'password',
    pattern:
      /(?<keep>\bcurl\s[^\n]{0,200}?(?:-[uU]\s{0,3}|--(?:proxy-)?user(?:\s{1,3}|=))["']?)[^\s:"'[]{1,100}:(?!\[removed:)[^\s"']{2,}/g,
  },
  ...named('password', passwordNames, {
    minChars: 4,
    confirms: (secret, keep) => unlikeWord(secret) || keep.includes('='),
    confirmsQuoted: () => true,
  }),
  // As a plain word behind an unmistakable name, with nothing more behind it.
  {
    kind: 'password',
    pattern: new RegExp(
      String.raw`(?<keep>(?:${passwordNames})\s{0,2}[:：]\s{0,3})\p{L}{4,64}(?=[.。]?[^\S\n]{0,3}(?:$|[\n,;|)}\]，；]))`,
      'giu',
    ),
    confirms: isPlainPassword,
  },
  {
    kind: 'password',
    pattern:
      /(?<keep>[A-Z0-9]_?PASS\s{0,3}=\s{0,3}["']?)(?!\[removed:|(?:true|false|yes|no|none|null)\b)[^\s"'`,;<>]{3,}/g,
  },
  {
    kind: 'password',
    pattern: /(?<keep>[a-z0-9]_pass\s{0,3}[=:]\s{0,3}["']?)(?!\[removed:)[^\s"'`,;<>()]{4,}/g,
    confirms: (secret) => /\d/.test(secret) && /\D/.test(secret),
  },
  {
    kind: 'password',
    pattern:
      /(?<keep>(?<![\w-])--(?:[a-z]{1,20}-){0,3}(?:password|passwd|passphrase|pass|pwd)\s{1,3}["']?)(?!\[removed:|-)[^\s"'`,;<>]{4,}/g,
    confirms: unlikeWord,
  },
  {
    kind: 'password',
    pattern:
      /(?<keep><(?:[a-z0-9_]{1,30}[:-])?(?:user|db|proxy)?(?:password|passwd|passphrase|pwd)>)(?!\[removed:)[^<>\n]{1,256}(?=<\/)/gi,
  },
  {
    kind: 'password',
    pattern: /(?<keep>\bPIN\s{0,2}[:：=]\s{0,3})\d{4,8}(?![\d.]\d|\d)/g,
  },
  {
    kind: 'password',
    pattern:
      /(?<keep>(?:密码|密碼|パスワード|비밀번호)(?:是|为|為|は|는|은)\s{0,3})(?!\[removed:)[!-~]{4,}/g,
    confirms: unlikeWord,
  },
  told(
    'password',
    String.raw`(?:${passwordNames})(?:\s{1,3}(?:${prepositions})(?:\s{1,3}[^\s.,;:!?[]{1,20}){0,3})?|\bPIN(?: code)?`,
    4,
  ),
  {
    kind: 'password',
    pattern: new RegExp(
      String.raw`(?<keep>(?:${verblessNames}\s{0,3}[—–-]?\s{0,3}|${vagueNames}(?:${assigned}|${said}))["'\x60]?)(?:${notRemoved}(?!["'\x60,;<>])[!-~]){6,}`,
      'giu',
    ),
    confirms: isMixed,
  },
  ...named('secret', secretNames, { minChars: 8, confirms: hasDigit, confirmsQuoted: hasDigit }),
  told('secret', secretNames, 12),
  {
    kind: 'secret',
    pattern:
      /(?<keep>private_key_id\\{0,3}["']?\s{0,3}[:=]\s{0,3}\\{0,3}["']?)[a-f0-9]{32,64}(?![a-z0-9])/gi,
  },
  {
    kind: 'card-number',
    pattern: new RegExp(
      String.raw`(?<![\d./])(?:(?:4\d{3}|5[1-5]\d\d|2[2-7]\d\d|6011|65\d\d|64[4-9]\d|35\d\d)(?<a>${between}?)\d{4}\k<a>\d{4}\k<a>\d{4}|3[47]\d\d(?<b>${between}?)\d{6}\k<b>\d{5}|3(?:0[0-5]|[68]\d)\d(?<c>${between}?)\d{6}\k<c>\d{4})(?!\.?\d)`,
      'g',
    ),
    confirms: hasCheckDigit,
  },
])

/** Luhn's check digit (ISO/IEC 7812-1): one number in ten has it by chance. */
function hasCheckDigit(text: string): boolean {
  const digits = text.replace(/\D/g, '')
  let sum = 0
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits.at(-1 - index))
    const weighted = index % 2 === 1 ? digit * 2 : digit
    sum += weighted > 9 ? weighted - 9 : weighted
  }
  return sum % 10 === 0
}

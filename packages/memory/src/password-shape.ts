// What a text looks like that stands behind the name of a password.

/** Of letters and digits together, as a person makes a password, and no measure, date, standard or numbered name. */
export function isMixed(text: string): boolean {
  const bare = text.replace(/[.!?:)\]]+$/, '')
  return (
    /\d/.test(bare) &&
    /[a-z]/i.test(bare) &&
    !/^(?:[a-z]{1,20}-\d+|\d+(?:[-.,:/]\d+)*-?[a-z]+)$|^(?:sha|md|aes|rsa|utf|base|iso|din|oauth|argon|bcrypt|wpa|ipv)[-_]?\d|pass/i.test(
      bare,
    )
  )
}

/** Has what a word of everyday language has not. */
export function unlikeWord(text: string): boolean {
  return /\d|[^\p{L}\p{M}.'’…-]/u.test(text.replace(/[.!?:)\]]+$/, ''))
}

/** What stands behind the name of a password and is none: a type, a state, a call for one. */
const noPassword = new Set(
  (
    'any array auto blank boolean bool bytes changed char correct default disabled empty enabled encrypted expired ' +
    'false forgotten forgot generated hash hashed hidden help here incorrect input invalid length masked ' +
    'mandatory missing must never none null number object omitted optional pass passed password passwords ' +
    'passwort please protected provided redacted removed request required reset secret secure sent stored ' +
    'string strong text thanks token true type undefined unchanged unknown unset update updated user username ' +
    'value varchar weak wrong given kept vergessen falsch erforderlich unbekannt geändert ungültig leer keins pflichtfeld ' +
    'oublié requis incorrecta olvidada'
  ).split(' '),
)

/** A plain word that may be a password. Names of variables, such as `userPassword`, are not. */
export function isPlainPassword(text: string): boolean {
  return (
    !noPassword.has(text.toLowerCase()) &&
    !/pass|hash|secret/i.test(text) &&
    !/\p{Ll}\p{Lu}/u.test(text)
  )
}

const written =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3})\d{0,6})?)?(Z|[+-]\d\d:?\d\d)?)?$/i

/**
 * An ISO 8601 date, alone or with a time, as epoch milliseconds. Without an offset it is read as UTC,
 * so that the same text means the same everywhere; a date alone is its first moment.
 *
 * @returns undefined for anything else, days that do not exist (30 February) included.
 */
export function parseInstant(text: string): number | undefined {
  const found = written.exec(text)
  if (found === null) return undefined
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '0', offset] = found
  const [hours, minutes, seconds] = [Number(hour), Number(minute), Number(second)]
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined
  const midnight = Date.parse(`${year}-${month}-${day}T00:00:00Z`)
  if (Number.isNaN(midnight)) return undefined
  // Some engines roll 30 February over into March.
  if (new Date(midnight).getUTCDate() !== Number(day)) return undefined
  const shift = offsetMinutes(offset)
  if (shift === undefined) return undefined
  const milliseconds = Number(fraction.padEnd(3, '0'))
  return midnight + ((hours * 60 + minutes - shift) * 60 + seconds) * 1_000 + milliseconds
}

function offsetMinutes(offset = 'Z'): number | undefined {
  if (/^z$/i.test(offset)) return 0
  const hours = Number(offset.slice(1, 3))
  const minutes = Number(offset.slice(-2))
  if (hours > 14 || minutes > 59) return undefined
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

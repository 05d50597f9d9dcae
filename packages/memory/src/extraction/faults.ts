/** Why something a model wrote for memory was not taken. */
export type ExtractionFault =
  /** A block that the text ends in. A model that ran out of tokens leaves one. */
  | 'block-unterminated'
  /** A block over `extractionLimits.blockChars`. */
  | 'block-too-large'
  /** A block beyond `extractionLimits.blocks` in one text. */
  | 'too-many-blocks'
  /** A closing tag without a block, or the beginning of a tag at the end of the text. */
  | 'stray-delimiter'
  /** A line beyond `extractionLimits.directives` in one text. */
  | 'too-many-directives'
  /** A line over `extractionLimits.lineChars`. */
  | 'line-too-large'
  /** A line that is not JSON. */
  | 'not-json'
  /** A line of JSON that is no object. */
  | 'not-an-object'
  /** A `kind` that does not exist, or none. */
  | 'unknown-kind'
  /** A key that this kind does not have. */
  | 'unknown-key'
  /** A key that this kind needs. */
  | 'missing-key'
  /** A value of the wrong type, out of its bounds, or with characters that cannot be kept. */
  | 'invalid-value'

/** How often each fault occurred; a fault that did not is absent. */
export type ExtractionFaults = Readonly<Partial<Record<ExtractionFault, number>>>

/** Bounds of what is read of one text. What goes over one is a fault and never an error. */
export const extractionLimits = Object.freeze({
  /** Blocks of one text. */
  blocks: 16,
  /** UTF-16 units of one block, between its tags. */
  blockChars: 65_536,
  /** UTF-16 units of one line. */
  lineChars: 8_192,
  /** Lines of one text that are taken as directives. */
  directives: 200,
  /** UTF-16 units of `content` and `replaces`. */
  contentChars: 2_000,
  /** UTF-16 units of ids, labels, types and relations. */
  nameChars: 200,
})

/** Counts faults while a text is read. */
export interface FaultCount {
  readonly add: (fault: ExtractionFault) => void
  /** What has been counted since the last `take`, frozen. Starts over. */
  readonly take: () => ExtractionFaults
}

/** A count that starts at nothing. */
export function createFaultCount(): FaultCount {
  let counted = new Map<ExtractionFault, number>()
  return {
    add: (fault) => void counted.set(fault, (counted.get(fault) ?? 0) + 1),
    take: () => {
      const faults: ExtractionFaults = Object.freeze(Object.fromEntries(counted))
      counted = new Map()
      return faults
    },
  }
}

/** Two counts as one. */
export function sumFaults(a: ExtractionFaults, b: ExtractionFaults): ExtractionFaults {
  const sum: Partial<Record<ExtractionFault, number>> = { ...a }
  for (const [fault, count] of Object.entries(b) as [ExtractionFault, number][]) {
    sum[fault] = (sum[fault] ?? 0) + count
  }
  return Object.freeze(sum)
}

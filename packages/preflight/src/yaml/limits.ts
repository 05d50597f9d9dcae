/**
 * How large a YAML file may be. A file of rules is written by a person; these bounds are far above
 * what people write and low enough that a hostile file costs little. Passing one is a
 * `PREFLIGHT_YAML_TOO_LARGE`, never a truncation.
 */
export const yamlLimits = Object.freeze({
  /** UTF-16 units in one file, checked before anything is parsed. */
  chars: 1_048_576,
  /** Words and signs of YAML in one file, white space and line breaks among them. */
  tokens: 400_000,
  /** Lists and mappings inside one another, aliases followed. */
  depth: 64,
  /** Scalars, lists and mappings in one file, each alias counted as a copy of what it stands for. */
  values: 250_000,
  /**
   * Values that the aliases of one file stand for in all, when the file is small. A value that is
   * shared is still read once for each alias, so without this bound a file of a few thousand
   * characters costs as much as one of a megabyte. A thousand skills may share four predicates.
   */
  copies: 20_000,
  /**
   * The same for a larger file, as a multiple of the values that are written in it; `values` is the
   * bound for both together. Whichever of the two allows more counts.
   */
  copiesPerValue: 10,
  /** Faults reported of one file. When there are more, one more fault says so. */
  faults: 1_000,
})

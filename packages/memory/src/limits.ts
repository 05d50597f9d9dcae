/** Every bound of memory in one place. Going over one is a typed error that names the field. */
export const memoryLimits = Object.freeze({
  /** Characters of one part of a scope. */
  scopePartChars: 256,
  /** Characters of an id, and of the ids in links, provenance and places. */
  idChars: 200,
  /** Characters of an entry's content. */
  contentChars: 32_768,
  /** Characters of the text that is searched beside the content. */
  contextChars: 16_384,
  /** Characters of a label, a kind or a subject. */
  nameChars: 200,
  /** Links of one entry. */
  links: 64,
  /** Entries that one entry supersedes. */
  supersedes: 64,
  /** Nesting of metadata and of a predicate. */
  jsonDepth: 12,
  /** Values within one entry's metadata or predicate. */
  jsonValues: 1_000,
  /** Characters of all texts and keys of one entry's metadata or predicate. */
  jsonChars: 32_768,
  /** Dimensions of an embedding. */
  embeddingDimensions: 4_096,
  /** Entries put, or ids removed, touched, fetched or followed in one call of a store. */
  batch: 1_000,
  /** Entries of one page, and results of one search. */
  page: 1_000,
  /** Characters of a query that are searched for; the rest is left out. */
  queryChars: 8_192,
  /** Steps to either side in a conversation. */
  neighbourRadius: 10,
})

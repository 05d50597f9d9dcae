import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/** Characters of a key that fits into an index beside an id, a kind or a conversation, in any script. */
const keyChars = 400

/** What the tables call a partition: its key, or a digest of a key that is too long for their indexes. */
export function partitionName(key: string): string {
  if (key.length <= keyChars) return key
  // No key begins like this.
  return `#${bytesToHex(sha256(utf8ToBytes(key)))}`
}

/**
 * Six characters that stand for a partition inside an inverted index. They go in front of every term,
 * so that the word of one tenant and the same word of another have lists of their own and a search
 * reads its own only. Two partitions may share a tag; the partition itself is always compared as well.
 */
export function partitionTag(partition: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = sha256(utf8ToBytes(partition))
  const number = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0
  return `${number.toString(36).padStart(7, '0').slice(-6)}:`
}

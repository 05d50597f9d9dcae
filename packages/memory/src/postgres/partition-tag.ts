import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'

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

import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { memoryLimits } from './limits.ts'

/**
 * What a conversation is kept under: its id as it is or, where that is longer than an id may be, `c_` and the
 * SHA-256 of it. Whoever writes or looks up a conversation asks here, so hosts need not know of the bound.
 */
export function conversationKey(sessionId: string): string {
  if (sessionId.length <= memoryLimits.idChars) return sessionId
  // As JSON, because bytes would make halves of surrogate pairs equal to each other.
  return `c_${bytesToHex(sha256(utf8ToBytes(JSON.stringify(sessionId))))}`
}

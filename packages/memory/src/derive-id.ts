import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { MemoryEntry } from './entry.ts'

/**
 * The id of an entry that was given none: `m_` and 128 bits of a SHA-256 over what it says, of whom,
 * and where it comes from. Times, importance and links are left out, so writing the same thing again
 * is the same entry. Synchronous, and the same everywhere: hence no Web Crypto.
 */
export function deriveId(
  entry: Pick<
    MemoryEntry,
    'layer' | 'content' | 'label' | 'kind' | 'subject' | 'provenance' | 'sequence'
  >,
): string {
  const { layer, content, label, kind, subject, provenance, sequence } = entry
  const { source, turnId, tool, author, sourceTag } = provenance
  const said = [layer, content, label, kind, subject, source, turnId, tool, author, sourceTag]
  const parts = [...said, sequence?.sessionId, sequence?.index].map((part) => part ?? null)
  return `m_${bytesToHex(sha256(utf8ToBytes(JSON.stringify(parts)))).slice(0, 32)}`
}

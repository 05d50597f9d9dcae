import { tagNames } from '../extraction/delimiter.ts'
import { extractionLimits } from '../extraction/faults.ts'

/** Takes the tail of a block off the beginning of a text that arrives in pieces. */
export interface BlockTail {
  /** One more piece; returns what is no tail. */
  readonly push: (delta: string) => string
  /** The end of the text: what was held back and turned out to be no tail. */
  readonly end: () => string
}

const anyTag = new RegExp(`(?:${tagNames.open}|${tagNames.close})(?![\\w-])`, 'i')

/**
 * Takes off what an answer goes on with after a call that came in the middle of a block: everything
 * before the closing tag, which the stripper then takes out as a stray one. Held back until it is known.
 * A text that never closes the block, or opens another one first, has begun anew and is kept whole: no
 * answer is lost.
 *
 * @param isInBlock - Whether the text before ended within a block; otherwise everything passes at once.
 * @see MEM-38
 */
export function createBlockTail(isInBlock: boolean): BlockTail {
  let held: string | undefined = isInBlock ? '' : undefined

  const release = (tag: RegExpExecArray | null, from: number): string => {
    const begin = tag?.[0].startsWith('</') ? from + tag.index : 0
    const rest = (held ?? '').slice(begin)
    held = undefined
    return rest
  }

  return Object.freeze({
    push: (delta: string) => {
      if (held === undefined) return delta
      const from = Math.max(0, held.length - tagNames.close.length)
      held += delta
      const tag = anyTag.exec(held.slice(from))
      // At the end of a piece, the name of a tag may yet become a longer one.
      const isWhole = tag !== null && from + tag.index + tag[0].length < held.length
      return isWhole || held.length > extractionLimits.blockChars ? release(tag, from) : ''
    },
    end: () => release(anyTag.exec(held ?? ''), 0),
  })
}

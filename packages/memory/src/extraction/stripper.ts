import { continuesName, tagNames } from './delimiter.ts'
import { createFaultCount, type ExtractionFaults, extractionLimits } from './faults.ts'

/** What was taken out of a text. */
export interface Stripped {
  /** The text a user may see. */
  readonly text: string
  /** What stood between the tags, block by block, as written. */
  readonly blocks: readonly string[]
  /** What was wrong with the blocks and tags themselves. */
  readonly faults: ExtractionFaults
}

/** Takes extraction blocks out of a text that arrives in pieces. */
export interface ExtractionStripper {
  /** One more piece of the text; returns what may be shown of all that has arrived. Never throws. */
  readonly push: (delta: string) => string
  /**
   * The end of the text: `text` is what was still held back. The stripper then is as new, so the
   * next `push` begins the next text.
   */
  readonly end: () => Stripped
}

/**
 * Takes the extraction blocks out of a whole text.
 *
 * The tags are reserved: wherever they stand (in a code fence, in the middle of a line, in any
 * letter case) they open and close a block and are never shown. What a block holds is not shown,
 * malformed or not, and a block that never ends hides the rest of the text and is not read: the
 * safe side is to keep notes from the user. A closing tag inside a JSON text does not close.
 *
 * A block on lines of its own takes its line break with it; every other character stays.
 *
 * @see MEM-38, KERN-05
 */
export function stripExtraction(text: string): Stripped {
  const stripper = createExtractionStripper()
  const shown = stripper.push(text)
  const rest = stripper.end()
  return Object.freeze({ ...rest, text: shown + rest.text })
}

/** From here on, the beginning of a tag at the end of a text can be nothing else. */
const unmistakable = /^<\/?memory_e/i

/**
 * Takes extraction blocks out of streamed text, with the rules of `stripExtraction`: all that it
 * shows, joined, is what that function shows, however the text is cut into pieces.
 *
 * Held back is only what may yet become a tag: at most one tag, and only from its `<` on. Memory is
 * bounded by `extractionLimits`, however long a block runs.
 *
 * @see STREAM-04, OPEN-STREAM-4
 */
export function createExtractionStripper(): ExtractionStripper {
  const faults = createFaultCount()
  let blocks: string[] = []
  let shown = ''
  let read: (character: string) => void = outside
  /** What may become a tag, as written. */
  let pending = ''
  /** Whether the beginning of another tag was shown just before `pending`. */
  let followsBeginning = false
  let lineIsBlank = true
  let beganOnBlankLine = false
  let body = createBody()

  function show(text: string): void {
    shown += text
    const lineStart = text.lastIndexOf('\n') + 1
    if (lineStart > 0) lineIsBlank = true
    if (lineIsBlank) lineIsBlank = text.slice(lineStart).trim() === ''
  }

  function outside(character: string): void {
    const candidate = pending + character
    if (isTagBeginning(candidate)) {
      pending = candidate
      return
    }
    const tag = pending.toLowerCase()
    const isWholeName = tag === tagNames.open || tag === tagNames.close
    if (isWholeName && !continuesName(character)) {
      beginTag(tag)
      read(character)
      return
    }
    // Only "<" begins a tag, so nothing but this character can begin another one.
    if (character === '<') {
      show(pending)
      pending = character
      followsBeginning = true
      return
    }
    show(candidate)
    pending = ''
    followsBeginning = false
  }

  function beginTag(tag: string): void {
    // Without the blank, what stands before a block and what follows it could join into a tag.
    if (followsBeginning) show(' ')
    followsBeginning = false
    beganOnBlankLine = lineIsBlank
    pending = ''
    if (tag === tagNames.open) {
      body = createBody()
      read = inside
    } else {
      faults.add('stray-delimiter')
      read = afterName
    }
  }

  function inside(character: string): void {
    if (!body.add(character)) return
    if (body.isTooLarge()) faults.add('block-too-large')
    else if (blocks.length === extractionLimits.blocks) faults.add('too-many-blocks')
    else blocks.push(body.text())
    read = afterName
    if (body.endedEarly()) read = afterTag
    else read(character)
  }

  /** After the name of a closing tag: blanks and the bracket, which a careless model leaves out. */
  function afterName(character: string): void {
    if (character === ' ' || character === '\t') return
    read = afterTag
    if (character !== '>') read(character)
  }

  function afterTag(character: string): void {
    const written = pending + character
    pending = ''
    if (written === '\r') {
      pending = written
      return
    }
    read = outside
    if (beganOnBlankLine && (written === '\n' || written === '\r\n')) return
    for (const each of written) outside(each)
  }

  return Object.freeze({
    push: (delta: string) => {
      shown = ''
      feed(delta)
      return shown
    },
    end: () => {
      shown = ''
      finish()
      const stripped = { text: shown, blocks: Object.freeze(blocks), faults: faults.take() }
      blocks = []
      pending = ''
      followsBeginning = false
      lineIsBlank = true
      read = outside
      return Object.freeze(stripped)
    },
  })

  function feed(delta: string): void {
    let from = 0
    while (from < delta.length) {
      if (read === outside && pending === '') {
        // Most text holds no tag: up to the next "<" it is shown in one piece.
        const next = delta.indexOf('<', from)
        const end = next === -1 ? delta.length : next
        if (end > from) show(delta.slice(from, end))
        from = end
        if (from === delta.length) return
      }
      read(delta.charAt(from))
      from += 1
    }
  }

  function finish(): void {
    if (read === inside) {
      faults.add('block-unterminated')
      return
    }
    if (read === outside && unmistakable.test(pending)) {
      // Without the blank, the beginning of a tag that was shown before would end the text, as one cut off.
      if (followsBeginning) show(' ')
      faults.add('stray-delimiter')
      return
    }
    show(pending)
  }
}

function isTagBeginning(text: string): boolean {
  const tag = text.toLowerCase()
  return tagNames.open.startsWith(tag) || tagNames.close.startsWith(tag)
}

/** The inside of one block while it arrives. */
function createBody() {
  let text = ''
  let chars = 0
  let inText = false
  let escaped = false
  /** How much of the closing tag's name stands at the end. */
  let matched = 0
  let isEmptyTag = false

  return {
    /** Takes one character; true when the block has ended with it, and the name of the tag before it. */
    add(character: string): boolean {
      if (matched === tagNames.close.length) {
        if (!continuesName(character)) return true
        matched = 0
      }
      chars += 1
      // Of a block that is too large nothing is read, so nothing of it is kept.
      text = isTooLarge() ? '' : text + character
      if (character === '\n') inText = false
      else if (inText) readText(character)
      else if (character === '"') inText = true
      if (inText) matched = 0
      else if (tagNames.close.startsWith(character.toLowerCase(), matched)) matched += 1
      else matched = character === '<' ? 1 : 0
      isEmptyTag = character === '>' && chars <= 16 && text.trim() === '/>'
      return isEmptyTag
    },
    /** The text between the tags. */
    text: () => (isEmptyTag ? '' : text.slice(0, -tagNames.close.length).replace(/^[ \t]*>/, '')),
    isTooLarge,
    /** Whether the tag that opened the block has closed it, too: `<memory_extraction/>`. */
    endedEarly: () => isEmptyTag,
  }

  function isTooLarge(): boolean {
    return chars > extractionLimits.blockChars + tagNames.close.length
  }

  function readText(character: string): void {
    if (escaped) escaped = false
    else if (character === '\\') escaped = true
    else if (character === '"') inText = false
  }
}

import type { ExtractionDirective } from './directive.ts'
import { createFaultCount, type ExtractionFaults, extractionLimits, sumFaults } from './faults.ts'
import { parseDirective } from './parse-directive.ts'
import { stripExtraction } from './stripper.ts'

/** What the blocks of one text say. */
export interface ParsedExtraction {
  /** In the order written. */
  readonly directives: readonly ExtractionDirective[]
  /** What was not taken, counted by reason. */
  readonly faults: ExtractionFaults
}

/** A text of a model, taken apart. */
export interface Extraction extends ParsedExtraction {
  /** What a user may see. */
  readonly text: string
}

/**
 * Reads blocks as a stripper returns them: one JSON object a line. A line that is not right costs
 * itself and is counted. Blank lines and the marks of a code fence are skipped. Never throws.
 *
 * @param blocks - What stood between the tags.
 */
export function parseExtractionBlocks(blocks: readonly string[]): ParsedExtraction {
  const count = createFaultCount()
  const directives: ExtractionDirective[] = []
  for (const line of blocks.flatMap((block) => block.split('\n'))) {
    const written = line.trim()
    if (written === '' || /^```\w{0,20}$/.test(written)) continue
    if (directives.length === extractionLimits.directives) {
      count.add('too-many-directives')
      continue
    }
    const parsed = parseDirective(written)
    if (parsed.ok) directives.push(parsed.directive)
    else count.add(parsed.fault)
  }
  return Object.freeze({ directives: Object.freeze(directives), faults: count.take() })
}

/**
 * Takes a whole answer of a model apart: what a user may see, what it noted for memory, and what was
 * wrong with the notes. Never throws.
 *
 * @see MEM-38
 */
export function readExtraction(text: string): Extraction {
  const { text: shown, blocks, faults } = stripExtraction(text)
  const parsed = parseExtractionBlocks(blocks)
  return Object.freeze({ ...parsed, text: shown, faults: sumFaults(faults, parsed.faults) })
}

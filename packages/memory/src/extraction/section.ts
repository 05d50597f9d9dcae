import { MemoryError } from '../errors.ts'
import { type Logger, silentLogger } from '../logger.ts'
import {
  type ExtractionState,
  renderExtraction,
  type SplitExtraction,
  splitExtraction,
} from './render-extraction.ts'
import type { ExtractionTemplateName } from './select-template.ts'
import { extractionTemplates } from './templates.ts'

/** Tokens the directives may have, known entities included, before a warning is logged. @see OPEN-MEM-5 */
export const extractionBudgetTokens = 2_000

/** How a section is made. Every option may be left out. */
export interface MemoryExtractionSectionOptions {
  /** A bundled template; `extraction` by default. */
  readonly templateName?: ExtractionTemplateName
  /** The text of a template of one's own. It wins over `templateName`. */
  readonly template?: string
  /** Where that text comes from, for the record; nothing is read from it. @see MEM-34 */
  readonly templatePath?: string | null
  /** A finite number above 0; `extractionBudgetTokens` by default. */
  readonly budgetTokens?: number
  /** How the length of a text is measured; its characters divided by 4 by default. */
  readonly countTokens?: (text: string) => number
  /** Silent by default. */
  readonly logger?: Logger
}

/** The prompt section that asks a model for memory notes. Frozen. @see MEM-22, PROMPT-10 */
export interface MemoryExtractionSection {
  readonly name: 'Memory Extraction Directives'
  /** A failure to render leaves the section out and lets the prompt go on. */
  readonly required: false
  /** Sections with a lower number come earlier. */
  readonly priority: 90
  readonly cacheBreakpoint: false
  readonly templatePath: string | null
  readonly templateName: ExtractionTemplateName
  /** The directives as one text; rejects as `renderExtraction` throws. */
  readonly render: (state: ExtractionState) => Promise<string>
  /** The directives in two parts; rejects as `splitExtraction` throws. */
  readonly renderSplit: (state: ExtractionState) => Promise<SplitExtraction>
}

/**
 * Makes the section. One that is over its budget is rendered all the same, and logs one warning in
 * its life (MEM-39), so make one section an agent.
 *
 * @throws MemoryError - `MEMORY_OPTION_INVALID` for a template that does not exist, is empty or was
 * given as a path alone, and for a budget that is no positive number.
 * @see MEM-22, MEM-23
 */
export function createMemoryExtractionSection(
  options: MemoryExtractionSectionOptions = {},
): MemoryExtractionSection {
  const { templateName = 'extraction', templatePath = null, logger = silentLogger } = options
  const { budgetTokens = extractionBudgetTokens, countTokens = quarterOfChars } = options
  const template = templateOf(options, templateName)
  if (!(Number.isFinite(budgetTokens) && budgetTokens > 0)) {
    throw invalidOption('budgetTokens', 'is no positive number. Give a number of tokens')
  }
  let hasWarned = false

  function warnOverBudget(text: string): void {
    if (hasWarned) return
    const tokens = tokensOf(text)
    if (tokens <= budgetTokens) return
    hasWarned = true
    logger.warn('The extraction directives are over their budget. Shorten the template.', {
      tokens,
      budgetTokens,
    })
  }

  function tokensOf(text: string): number {
    try {
      return countTokens(text)
    } catch {
      // The budget is advice: a counter that fails must not cost the directives.
      return quarterOfChars(text)
    }
  }

  return Object.freeze({
    name: 'Memory Extraction Directives',
    required: false,
    priority: 90,
    cacheBreakpoint: false,
    templatePath,
    templateName,
    render: async (state: ExtractionState) => {
      const text = renderExtraction(template, state)
      warnOverBudget(text)
      return text
    },
    renderSplit: async (state: ExtractionState) => {
      const parts = splitExtraction(template, state)
      warnOverBudget(parts.stable + parts.volatile)
      return parts
    },
  })
}

function templateOf(
  { template, templatePath }: MemoryExtractionSectionOptions,
  name: ExtractionTemplateName,
): string {
  if (template !== undefined) {
    if (typeof template === 'string' && template.trim() !== '') return template
    throw invalidOption('template', 'is blank or no text. Give the text of a template')
  }
  if (templatePath !== undefined && templatePath !== null) {
    throw invalidOption('templatePath', 'is only kept. Read the file and give its text as template')
  }
  if (!Object.hasOwn(extractionTemplates, name)) {
    const names = Object.keys(extractionTemplates).join(' or ')
    throw invalidOption('templateName', `names no template. Write ${names}`)
  }
  return extractionTemplates[name]
}

function quarterOfChars(text: string): number {
  return Math.ceil(text.length / 4)
}

function invalidOption(option: string, what: string): MemoryError {
  return new MemoryError('MEMORY_OPTION_INVALID', `Option "${option}" ${what}.`, {
    details: { option },
  })
}

import { MemoryError } from '../errors.ts'

/** The templates that come with the package. @see MEM-23 */
export type ExtractionTemplateName = 'extraction' | 'extraction_openai'

/** Which template serves an agent: one of its own by path, or one of ours by name. */
export type SelectedTemplate =
  | { readonly templatePath: string }
  | { readonly templateName: ExtractionTemplateName }

/** What the choice goes by. */
export interface SelectTemplateOptions {
  /** The agent's own template. It always wins; reading the file is the host's business. */
  readonly templatePath?: string | null
  /** Who makes the model: `anthropic`, `openai`, `google`, …; `unknown` by default. */
  readonly family?: string
  /** In place of `family`, where a router chooses the provider. */
  readonly router?: {
    /** The family of the provider it uses when nothing else is said. */
    readonly default: string
    /** The family of the provider that serves the agent's model; `default` where there is none. */
    readonly leafForModel?: string
  }
}

/** Families whose models follow the more explicit template better. */
const explicitFamilies = ['openai', 'google']

/**
 * Chooses the extraction template: a path of the agent's own first, then by provider family. A
 * router counts as the provider that will serve, not as its default.
 *
 * @throws MemoryError - `MEMORY_OPTION_INVALID` for a path that is empty.
 * @see MEM-34, MEM-35, MEM-36, LO-19
 */
export function selectExtractionTemplate(options: SelectTemplateOptions = {}): SelectedTemplate {
  const { templatePath, router } = options
  if (templatePath !== undefined && templatePath !== null) {
    if (templatePath === '') {
      throw new MemoryError(
        'MEMORY_OPTION_INVALID',
        'Option "templatePath" is empty. Give the path of a template, or leave it out.',
        { details: { option: 'templatePath' } },
      )
    }
    return Object.freeze({ templatePath })
  }
  const family = router ? (router.leafForModel ?? router.default) : (options.family ?? 'unknown')
  const templateName = explicitFamilies.includes(family) ? 'extraction_openai' : 'extraction'
  return Object.freeze({ templateName })
}

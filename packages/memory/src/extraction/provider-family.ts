/** A model as the AI SDK names one: `openai.responses` and `gpt-5`, or an id of its gateway. */
export interface NamedModel {
  /** Absent for an id of a gateway, which begins with the maker of the model. */
  readonly provider?: string
  readonly modelId: string
}

const families = ['anthropic', 'openai', 'google']

/**
 * Who makes a model, as far as its names say: `anthropic`, `openai`, `google` or `unknown`. A cloud
 * that serves somebody else's models counts as that maker where its name says so.
 *
 * @see MEM-35
 */
export function providerFamily({ provider = 'gateway', modelId }: NamedModel): string {
  const named = provider === 'gateway' ? modelId.replace(/\/.*$/s, '') : provider
  const words = named.toLowerCase().split(/[^a-z]+/)
  // Azure serves the models of OpenAI and is called by its own name.
  if (words.includes('azure') && !words.includes('anthropic')) return 'openai'
  return families.find((family) => words.includes(family)) ?? 'unknown'
}

import { z } from 'zod'
import { ResultPolicyError } from './errors.ts'
import { defaultSettings, defineSettings, type PolicySettings } from './settings.ts'

const { tools: _, ...plain } = defaultSettings

/**
 * A zod schema of the settings, with each unit and default in it: for a configuration file or an HTTP
 * body. Its output is what `defineSettings` gives, whose refusals become issues with their message.
 *
 * @see RES-20, RES-26, CONF-51
 */
export const settingsSchema = z
  .strictObject({
    enabled: z.boolean().default(plain.enabled).describe('Whether anything is replaced.'),
    minChars: amount(
      plain.minChars,
      'Results shorter than this stay whole, unless they repeat one above. Characters.',
    ),
    keepRecentResults: amount(plain.keepRecentResults, 'Read results that stay whole. Count.'),
    expectedConversationDepth: amount(
      plain.expectedConversationDepth,
      'Model calls still to be expected. Count.',
    ),
    expectedRecallProbability: amount(
      plain.expectedRecallProbability,
      'Chance that a replaced result is asked for again, 0 to 1.',
    ),
    modelName: z.string().default(plain.modelName).describe('Whose prices count.'),
    largeOffloadThresholdChars: amount(
      plain.largeOffloadThresholdChars,
      'From here on a result may be offloaded on arrival. Characters.',
    ),
    stubMaxChars: amount(plain.stubMaxChars, 'Longest stub. Characters.'),
    recallMaxChars: amount(plain.recallMaxChars, 'Longest answer of a recall. Characters.'),
    cache: z
      .enum(['5m', '1h', 'none'])
      .default(plain.cache)
      .describe('How long the provider keeps a written prefix.'),
    tools: z
      .record(
        z.string(),
        z.union([z.enum(['never', 'always']), z.strictObject({ offloadAboveChars: z.number() })]),
      )
      .default({})
      .describe('Rules of single tools, by name.'),
  })
  .transform((source, context): PolicySettings => {
    try {
      return defineSettings(source)
    } catch (error) {
      if (!(error instanceof ResultPolicyError)) throw error
      const { code, message, details } = error
      // What follows `tools.` is the name of a tool, whatever is in it.
      const [, tool] = /^tools\.(.*)$/s.exec(String(details['key'])) ?? []
      const path = tool === undefined ? [String(details['key'])] : ['tools', tool]
      context.addIssue({ code: 'custom', message, path, params: { code, details } })
      return z.NEVER
    }
  })

function amount(byDefault: number, description: string) {
  return z.number().default(byDefault).describe(description)
}

import { describe, expect, it } from 'vitest'
import { selectExtractionTemplate } from './select-template.ts'

describe('choosing a template', () => {
  it.each([
    { options: undefined, chosen: { templateName: 'extraction' } },
    { options: { family: 'openai' }, chosen: { templateName: 'extraction_openai' } },
    { options: { family: 'mistral' }, chosen: { templateName: 'extraction' } },
    { options: { family: 'openai', templatePath: 'own.txt' }, chosen: { templatePath: 'own.txt' } },
    {
      options: { router: { default: 'anthropic', leafForModel: 'google' } },
      chosen: { templateName: 'extraction_openai' },
    },
    { options: { router: { default: 'openai' } }, chosen: { templateName: 'extraction_openai' } },
    {
      options: { family: 'openai', router: { default: 'openai', leafForModel: 'anthropic' } },
      chosen: { templateName: 'extraction' },
    },
  ])('goes by path, then by the family that serves: $options', ({ options, chosen }) => {
    expect(selectExtractionTemplate(options)).toEqual(chosen)
  })

  it('refuses an empty path', () => {
    expect(() => selectExtractionTemplate({ templatePath: '' })).toThrow(
      expect.objectContaining({ code: 'MEMORY_OPTION_INVALID' }),
    )
  })
})

import { describe, expect, it } from 'vitest'
import { syntaxAdvice, tagMessage } from './syntax-advice.ts'

describe('advice about syntax', () => {
  it('is a sentence that says what to do', () => {
    expect(syntaxAdvice('TAB_AS_INDENT')).toEqual({ advice: 'Indent with spaces.' })
  })

  it('is there for codes that are not known, so that a new version of the library has some', () => {
    expect(syntaxAdvice('NEW_IN_3')).toEqual({
      advice: 'Check the quotes, brackets and indentation here.',
    })
  })

  it('replaces words that are about settings of the library', () => {
    expect(syntaxAdvice('NON_STRING_KEY').what).toBe('A key must be a plain text')
  })

  it('about tags ends with what to do', () => {
    expect(tagMessage).toMatch(/Remove it, and put a text into quotes\.$/)
  })
})

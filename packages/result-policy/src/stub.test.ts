import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { placeholderId } from './ledger.ts'
import { type StubFacts, stubWith, writeRepeatStub, writeStub } from './stub.ts'

const facts = { toolName: 'search', isError: false, text: 'word '.repeat(2000) }
const written = (about: StubFacts, maxChars: number) =>
  stubWith(placeholderId, writeStub(about, maxChars))

describe('a stub', () => {
  it('names the tool, the size, the id, and how to read the rest', () => {
    const [head, digest] = written(facts, 600).split('\n')
    expect(head).toBe(
      `[Stub written by the host in place of a result of "search", 10000 characters, id ${placeholderId}. ` +
        'recall_tool_result reads it whole, by offset, JSON pointer or search.]',
    )
    expect(digest).toMatch(/^text, 1 line; starts "word word/)
  })

  it('says that it stands for an error', () => {
    expect(written({ ...facts, isError: true }, 600)).toContain('in place of an error of')
  })

  it('is shorter for a shorter result', () => {
    const of = (text: string) => written({ ...facts, text }, 1000).length
    expect(of('word '.repeat(250))).toBeLessThan(of('word '.repeat(1000)))
    expect(of('word '.repeat(100_000))).toBeLessThanOrEqual(1000)
  })

  it('keeps to its two lines and its length whatever the tool is called', () => {
    const name = fc.string({ unit: 'binary', maxLength: 300 })
    fc.assert(
      fc.property(name, fc.integer({ min: 300, max: 2000 }), (toolName, maxChars) => {
        const stub = written({ ...facts, toolName }, maxChars)
        expect(stub.split(/\r|\n|\u2028|\u2029/)).toHaveLength(2)
        expect(stub.length).toBeLessThanOrEqual(Math.max(maxChars, 620))
      }),
    )
  })

  it('depends on nothing but the result, so that it keeps its bytes', () => {
    expect(written({ ...facts }, 600)).toBe(written({ ...facts }, 600))
  })
})

describe('a line for a result that repeats', () => {
  it('is one line that says whose, how long and how it begins, whatever that is', () => {
    const odd = fc.string({ unit: 'binary', maxLength: 300 })
    fc.assert(
      fc.property(odd, odd, (toolName, text) => {
        const line = stubWith(placeholderId, writeRepeatStub({ toolName, text }))
        expect(line).toMatch(/^\[Stub written by the host: ".*", id r_0+\. .*\]$/)
        expect(line).toContain(`the same ${text.length} characters as the last time, above`)
        expect(line.length).toBeLessThan(900)
      }),
    )
  })
})

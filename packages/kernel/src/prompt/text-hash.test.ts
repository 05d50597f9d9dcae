import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { createTextHash } from './text-hash.ts'

describe('the hash of a text', () => {
  // NIST's own examples of SHA-256.
  it.each([
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ])('is SHA-256 in hexadecimal: %j', (text, expected) => {
    expect(createTextHash()(text)).toEqual({ text, hash: expected })
  })

  it('is one frozen value for equal texts, hashed once', () => {
    const sha256 = vi.fn((text: string) => `#${text}`)
    const hash = createTextHash(sha256)
    const first = hash('ab')
    expect(hash(['a', 'b'].join(''))).toBe(first)
    expect(Object.isFrozen(first)).toBe(true)
    expect(sha256).toHaveBeenCalledTimes(1)
  })

  it('is right for any texts in any order, remembered or not', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('', 'a', 'b', 'ab', 'é')), (texts) => {
        const hash = createTextHash((text) => `#${text}`)
        for (const text of texts) expect(hash(text)).toEqual({ text, hash: `#${text}` })
      }),
    )
  })
})

describe('what is remembered', () => {
  it('is forgotten beyond 2,000 texts, the longest unused first', () => {
    const sha256 = vi.fn((text: string) => text)
    const hash = createTextHash(sha256)
    for (let index = 0; index < 2_000; index += 1) hash(String(index))
    hash('0')
    hash('one more')
    sha256.mockClear()
    hash('0')
    hash('2')
    expect(sha256).not.toHaveBeenCalled()
    hash('1')
    expect(sha256).toHaveBeenCalledExactlyOnceWith('1')
  })

  it('is forgotten beyond eight million characters', () => {
    const sha256 = vi.fn((text: string) => String(text.length))
    const hash = createTextHash(sha256)
    const long = (letter: string) => letter.repeat(3_000_000)
    for (const letter of ['a', 'b', 'c']) hash(long(letter))
    sha256.mockClear()
    hash(long('b'))
    hash(long('c'))
    expect(sha256).not.toHaveBeenCalled()
    hash(long('a'))
    expect(sha256).toHaveBeenCalledTimes(1)
  })

  it('leaves out a text that alone is too long', () => {
    const sha256 = vi.fn((text: string) => String(text.length))
    const hash = createTextHash(sha256)
    const text = 'x'.repeat(8_000_001)
    expect(hash(text).hash).toBe('8000001')
    hash(text)
    expect(sha256).toHaveBeenCalledTimes(2)
  })
})

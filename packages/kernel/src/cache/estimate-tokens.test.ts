import type { ModelMessage } from 'ai'
import { describe, expect, it, vi } from 'vitest'
import { silentLogger } from '../logger.ts'
import { estimateTokens, readMessage, withRuleOfThumb } from './estimate-tokens.ts'
import { cacheMarker } from './limit-markers.ts'

const bytes = new Uint8Array(30_000).fill(7)
const picture = (data: unknown): ModelMessage =>
  ({ role: 'user', content: [{ type: 'file', mediaType: 'image/png', data }] }) as ModelMessage

describe('the tokens of a text', () => {
  it.each([
    ['', 0],
    ['a', 1],
    ['four', 1],
    ['five.', 2],
  ])('are its characters by four, rounded up: %j', (text, expected) => {
    expect(estimateTokens(text)).toBe(expected)
  })
})

describe('the tokens of a text, by an estimator of the host’s', () => {
  it('are what it says', () => {
    const estimate = withRuleOfThumb((text) => text.length / 2, silentLogger)
    expect(estimate('five.')).toBe(2.5)
  })

  it.each<[string, () => unknown]>([
    ['NaN', () => Number.NaN],
    ['-1', () => -1],
    ['Infinity', () => Number.POSITIVE_INFINITY],
    ['gave string', () => '5'],
    ['gave undefined', () => undefined],
    ['gave object', () => Promise.resolve(5)],
    ['gave object', () => Promise.reject(new Error('down'))],
    ['failed: down', raise],
  ])('are estimated as by default where it gives none, with one warning: %s', (what, given) => {
    const warn = vi.fn()
    const estimate = withRuleOfThumb(given as () => number, { ...silentLogger, warn })
    expect(['five.', '', 'five.'].map(estimate)).toEqual([2, 0, 2])
    expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringContaining(what))
  })

  function raise(): never {
    throw new Error('down')
  }
})

describe('the tokens of a message', () => {
  it('are those of its text, as the estimator has it', () => {
    const message: ModelMessage = { role: 'user', content: 'hello' }
    expect(readMessage(message, (text) => text.length).tokens).toBe('user\nhello'.length)
  })

  it.each<[string, ModelMessage]>([
    ['bytes', picture(bytes)],
    ['base64', picture(Buffer.from(bytes).toString('base64'))],
    ['a tagged value', picture({ type: 'data', data: bytes })],
    ['an address', picture(new URL('https://example.com/cat.png'))],
    ['an image part', { role: 'user', content: [{ type: 'image', image: bytes }] }],
  ])('do not grow with the bytes of a picture: %s', (_what, message) => {
    const tokens = tokensOf(message)
    expect(tokens).toBeGreaterThan(1_500)
    expect(tokens).toBeLessThan(1_560)
  })

  it('do grow with what a tool was given under such a name', () => {
    const input = { type: 'report', data: 'x'.repeat(8_000) }
    const call = { type: 'tool-call' as const, toolCallId: 'c', toolName: 't', input }
    expect(tokensOf({ role: 'assistant', content: [call] })).toBeGreaterThan(2_000)
  })
})

describe('the text of a message', () => {
  const part = { type: 'text' as const, text: 'hello' }

  it('does not depend on cache markers and other options of providers, wherever they are', () => {
    const bare: ModelMessage = { role: 'user', content: [part] }
    const marked: ModelMessage = {
      role: 'user',
      content: [{ ...part, providerOptions: cacheMarker('1h') }],
      providerOptions: cacheMarker('5m'),
    }
    expect(textOf(marked)).toBe(textOf(bare))
  })

  it.each<[string, ModelMessage, ModelMessage]>([
    ['who says it', { role: 'user', content: 'x' }, { role: 'assistant', content: 'x' }],
    ['what is said', { role: 'user', content: 'x' }, { role: 'user', content: 'y' }],
    ['a picture in bytes', picture(Uint8Array.of(1)), picture(Uint8Array.of(2))],
    ['a picture in a buffer', picture(Buffer.of(1)), picture(Buffer.of(2))],
    ['a picture in an array buffer', picture(bufferOf(1)), picture(bufferOf(2))],
  ])('tells apart %s', (_what, one, other) => {
    expect(textOf(one)).not.toBe(textOf(other))
  })

  it('is the same for the same bytes, however they are held', () => {
    const held = [Uint8Array.of(1, 2), Buffer.of(1, 2), bufferOf(1, 2), 'AQI=']
    expect(new Set(held.map((data) => textOf(picture(data)))).size).toBe(1)
  })

  it('can be written for a number that JSON has not', () => {
    const input = { amount: 5n }
    const call = { type: 'tool-call' as const, toolCallId: 'c', toolName: 't', input }
    expect(textOf({ role: 'assistant', content: [call] })).toContain('"amount":"5"')
  })
})

function bufferOf(...values: number[]): ArrayBuffer {
  return Uint8Array.from(values).buffer
}

function tokensOf(message: ModelMessage): number {
  return readMessage(message, estimateTokens).tokens
}

function textOf(message: ModelMessage): string {
  return readMessage(message, estimateTokens).text
}

import { describe, expect, it } from 'vitest'
import { contentText, isViewable, restub } from './transcript.ts'

const cyclic: Record<string, unknown> = {}
cyclic['self'] = cyclic
const throwing = Object.defineProperty({}, 'toJSON', {
  get() {
    throw new Error('no')
  },
})

describe('the text of some content', () => {
  it.each([
    ['abc', 'abc'],
    [undefined, ''],
    [null, ''],
    [[], ''],
    [[{ type: 'text', text: 'a' }, 'b', { text: 'c' }], 'abc'],
    [[{ type: 'image', data: 'd' }], '{"type":"image","data":"d"}'],
    [[{ text: 3 }], '{"text":3}'],
    [[null, 1, true], 'null1true'],
    [{ a: 1 }, '{"a":1}'],
    [42, '42'],
    [10n, '10'],
    [cyclic, '[object Object]'],
    [throwing, '[object Object]'],
    [
      Object.create(null, {
        toJSON: {
          get: () => {
            throw new Error('no')
          },
        },
      }),
      '',
    ],
    [Object.create({ text: 'inherited' }), '{}'],
  ])('case %#', (content, text) => {
    expect(contentText(content)).toBe(text)
  })
})

describe('viewable content', () => {
  it.each([
    ['long text', false],
    [undefined, false],
    [[], false],
    [['a', 1, null], false],
    [[{ text: 'a' }], false],
    [[{ type: 'text', text: 'a' }], false],
    [[{ type: undefined }], false],
    [[{ type: null }], false],
    [[{ type: 'image' }], true],
    [[{ type: 'text' }, { type: 'hologram' }], true],
    [[{ type: 3 }], true],
    [[Object.create({ type: 'image' })], false],
  ])('case %#', (content, viewable) => {
    expect(isViewable(content)).toBe(viewable)
  })
})

describe('restub', () => {
  it('copies the call id verbatim, and what is attached', () => {
    const additional = { k: 1 }
    const message = {
      toolCallId: ' id/with "odd" parts ',
      content: 'big',
      additional,
      status: 'error',
    }
    const made = restub(message, { content: 'stub', toolName: 't' })
    expect(made).toEqual({ ...message, content: 'stub', toolName: 't' })
    expect(made.additional).not.toBe(additional)
  })

  it.each(['', undefined])('gives no name for %j', (toolName) => {
    expect(restub({ toolCallId: 'c' }, { content: 's', toolName })).toEqual({
      toolCallId: 'c',
      content: 's',
    })
  })
})

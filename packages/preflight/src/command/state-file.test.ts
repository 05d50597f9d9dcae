import { describe, expect, it } from 'vitest'
import { readState } from './state-file.ts'
import { memoryIo } from './testing/memory-io.ts'

describe('readState', () => {
  it.each([
    ['an object', '{ "page": { "platform": "slack" } }'],
    ['one after a byte order mark', '\ufeff{ "page": { "platform": "slack" } }'],
  ])('reads %s', async (_, text) => {
    const state = { page: { platform: 'slack' } }
    expect(await readState('state.json', memoryIo({ 'state.json': text }))).toEqual({
      value: state,
    })
    expect(await readState('-', memoryIo({ '-': text }))).toEqual({ value: state })
  })

  it.each([
    ['[{}]', 'must be an object, got a list'],
    ['null', 'must be an object, got null'],
    ['"page"', 'must be an object, got a text'],
    ['1', 'must be an object, got a number'],
    ['', 'is not JSON'],
    ['\ufeff\ufeff{}', 'is not JSON'],
  ])('refuses %j', async (text, problem) => {
    expect(await readState('state.json', memoryIo({ 'state.json': text }))).toEqual({
      problem: expect.stringContaining(`The state state.json ${problem}`),
    })
  })
})

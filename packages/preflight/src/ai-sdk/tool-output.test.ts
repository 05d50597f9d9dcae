import { type ToolSet, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { convertByTool, errorOutput, isSuccess, modelOutput } from './tool-output.ts'

const plain: ToolSet[string] = tool({ inputSchema: z.object({}), execute: async () => 1 })
const converting = (toModelOutput: (about: { output: unknown }) => unknown) =>
  ({ ...plain, toModelOutput }) as unknown as ToolSet[string]
const call = { toolCallId: 'c1', toolName: 'read', input: { id: 1 } }
const mcpError = (...content: unknown[]) => ({ isError: true, content })

describe('isSuccess', () => {
  it.each<[unknown, boolean]>([
    [{ type: 'text', value: '' }, true],
    [{ type: 'content', value: [] }, true],
    [{ type: 'json', value: null }, true],
    [{ type: 'json', value: { isError: true } }, true],
    [{ type: 'json', value: { isError: false, content: [] } }, true],
    [{ type: 'json', value: mcpError() }, false],
    [{ type: 'error-text', value: 'x' }, false],
    [{ type: 'error-json', value: {} }, false],
    [{ type: 'execution-denied' }, false],
    [{ type: 'of a later SDK' }, false],
    [{}, false],
    ['text', false],
    [null, false],
    [undefined, false],
  ])('reads %j as %s', (output, expected) => {
    expect(isSuccess(output)).toBe(expected)
  })
})

describe('modelOutput', () => {
  it.each<[unknown, unknown]>([
    ['x', { type: 'text', value: 'x' }],
    [
      { at: new Date(0), left: undefined },
      { type: 'json', value: { at: '1970-01-01T00:00:00.000Z' } },
    ],
    [undefined, { type: 'json', value: null }],
    [() => {}, { type: 'json', value: null }],
  ])('writes %j down as the SDK does', (value, expected) => {
    expect(modelOutput(plain, call, value)).toEqual(expected)
  })

  it('leaves it to the tool where that converts its results', async () => {
    const own = converting((about) => ({ type: 'json', value: { about } }))
    expect(await modelOutput(own, call, 'x')).toEqual({
      type: 'json',
      value: { about: { toolCallId: 'c1', input: { id: 1 }, output: 'x' } },
    })
  })
})

describe('convertByTool', () => {
  const about = (output: unknown) => ({ toolCallId: 'c1', input: {}, output })

  it.each<[unknown[], string]>([
    [
      [
        { type: 'text', text: 'no such' },
        { type: 'text', text: 'reservation' },
      ],
      'no such\nreservation',
    ],
    [[{ type: 'image', data: 'x' }, null], 'The tool reported an error without saying which.'],
    [[], 'The tool reported an error without saying which.'],
  ])('makes an error of an MCP result that is one: %j', async (content, value) => {
    const own = converting(() => ({ type: 'content', value: [] }))
    expect(await convertByTool(own, about(mcpError(...content)))).toEqual({
      type: 'error-text',
      value,
    })
  })

  it.each([undefined, null, 'x', {}])('refuses %j for an output', async (output) => {
    await expect(
      convertByTool(
        converting(() => output),
        about('x'),
      ),
    ).rejects.toThrow(TypeError)
  })
})

describe('errorOutput', () => {
  it.each<[unknown, string]>([
    [new Error('gone'), 'Error: gone'],
    ['gone', 'gone'],
    [undefined, 'undefined'],
  ])('says %s', (error, value) => {
    expect(errorOutput(error)).toEqual({ type: 'error-text', value })
  })
})

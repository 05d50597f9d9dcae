import { describe, expect, it } from 'vitest'
import { memoryIo } from './testing/memory-io.ts'
import { readToolNames } from './tool-names.ts'

describe('readToolNames', () => {
  it.each<[string, string, string[]]>([
    ['names between commas', 'read, cancel,', ['read', 'cancel']],
    ['a single name', 'read', ['read']],
  ])('reads %s', async (_, value, names) => {
    expect(await readToolNames(value, memoryIo({}))).toEqual({ value: names })
  })

  it.each<[string, unknown, string[]]>([
    ['a list of names', ['read', 'cancel'], ['read', 'cancel']],
    ['a list of tools', [{ name: 'read', description: 'x' }, 'cancel'], ['read', 'cancel']],
    ['a list of functions', [{ type: 'function', function: { name: 'read' } }], ['read']],
    ['what an MCP server lists', { tools: [{ name: 'read' }] }, ['read']],
    ['a set of tools', { tools: { read: {}, cancel: {} } }, ['read', 'cancel']],
    ['an empty list', [], []],
  ])('reads a file with %s', async (_, content, names) => {
    const io = memoryIo({ 'tools.json': JSON.stringify(content), '-': JSON.stringify(content) })
    expect(await readToolNames('tools.json', io)).toEqual({ value: names })
    expect(await readToolNames('-', io)).toEqual({ value: names })
  })

  it.each<[string, string, string]>([
    ['an object that has no tools', '{ "read": {} }', 'lists no tools. Write a list of names'],
    ['a list with something else in it', '["read", 7]', 'lists no tools. Write a list of names'],
    ['a tool without a name', '[{ "title": "read" }]', 'lists no tools. Write a list of names'],
    ['null', 'null', 'lists no tools. Write a list of names'],
    ['what is not JSON', 'read', 'is not JSON'],
  ])('refuses a file with %s', async (_, text, problem) => {
    expect(await readToolNames('tools.json', memoryIo({ 'tools.json': text }))).toEqual({
      problem: expect.stringContaining(problem),
    })
  })

  it('refuses a file that is not there', async () => {
    expect(await readToolNames('tools.json', memoryIo({}))).toEqual({
      problem:
        'The file of tools tools.json cannot be read: there is no such file. Name a JSON file.',
    })
  })
})

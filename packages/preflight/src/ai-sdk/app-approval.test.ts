import { type ToolSet, tool } from 'ai'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { type ApprovalRequest, askApp, own } from './app-approval.ts'

const plain = tool({ inputSchema: z.object({}), execute: async () => 1 }) as ToolSet[string]
const contextSchema = z.object({ desk: z.string().default('travel') })

function request(traits: object = {}, toolsContext: object = {}): ApprovalRequest {
  return {
    toolCall: { type: 'tool-call', toolCallId: 'c1', toolName: 'read', input: { id: 1 } },
    tools: { read: { ...plain, ...traits } as ToolSet[string] },
    toolsContext,
    runtimeContext: { run: 1 },
    messages: [],
  } as unknown as ApprovalRequest
}

describe('askApp', () => {
  it('asks a function about everything, and no one else', async () => {
    const needsApproval = vi.fn(() => true)
    const about = request({ needsApproval })
    const configuration = vi.fn(() => undefined)
    expect(await askApp(configuration, about)).toBeUndefined()
    expect(configuration).toHaveBeenCalledExactlyOnceWith(about)
    expect(needsApproval).not.toHaveBeenCalled()
  })

  it('asks the entry of the tool with its checked context', async () => {
    const entry = vi.fn(() => 'approved' as const)
    const about = request({ contextSchema, needsApproval: true }, { read: {} })
    expect(await askApp({ read: entry }, about)).toBe('approved')
    expect(entry).toHaveBeenCalledExactlyOnceWith(
      { id: 1 },
      {
        toolCallId: 'c1',
        messages: [],
        toolContext: { desk: 'travel' },
        runtimeContext: { run: 1 },
      },
    )
  })

  it.each<[unknown, string | undefined]>([
    [true, 'user-approval'],
    [false, undefined],
    [undefined, undefined],
    [() => true, 'user-approval'],
    [async () => false, undefined],
  ])('falls back to needsApproval of the tool: %s', async (needsApproval, expected) => {
    const about = request({ needsApproval })
    expect(await askApp(undefined, about)).toBe(expected)
    expect(await askApp({ read: undefined, other: 'denied' }, about)).toBe(expected)
  })

  it('gives needsApproval the input and the checked context', async () => {
    const needsApproval = vi.fn(() => true)
    await askApp({}, request({ needsApproval, contextSchema }, { read: { desk: 'x' } }))
    expect(needsApproval).toHaveBeenCalledExactlyOnceWith(
      { id: 1 },
      { toolCallId: 'c1', messages: [], context: { desk: 'x' } },
    )
  })

  it('throws for a context that the tool does not accept', async () => {
    const about = request({ needsApproval: () => true, contextSchema }, { read: { desk: 1 } })
    await expect(askApp(undefined, about)).rejects.toThrow()
  })

  it('says nothing about a tool that it does not know', async () => {
    const about = { ...request(), tools: undefined } as ApprovalRequest
    expect(await askApp(undefined, about)).toBeUndefined()
  })
})

describe('own', () => {
  it('finds own properties only', () => {
    expect(own({ a: 1 }, 'a')).toBe(1)
    expect(own<unknown>({}, 'constructor')).toBeUndefined()
    expect(own(undefined, 'a')).toBeUndefined()
  })
})

import { describe, expect, it, vi } from 'vitest'
import type { PreflightRefusal } from './options.ts'
import { createReport, quietly, reason, refusalError } from './refusals.ts'

const refused: PreflightRefusal = {
  toolCall: { toolCallId: 'c1', toolName: 'cancel', input: {} },
  refusal: { toolName: 'cancel', missing: ['read'], skills: ['Read first'], message: 'Read it.' },
  by: 'execute',
  cause: undefined,
}

describe('a report', () => {
  it('hands the refusal to the app and logs nothing when the rules were clear', () => {
    const onRefusal = vi.fn()
    const logger = { debug: vi.fn(), warn: vi.fn() }
    createReport({ onRefusal, logger })(refused)
    expect(onRefusal).toHaveBeenCalledExactlyOnceWith(refused)
    expect(logger.warn).not.toHaveBeenCalled()
  })

  it('logs why the rules could not be asked', () => {
    const logger = { debug: vi.fn(), warn: vi.fn() }
    createReport({ logger })({ ...refused, cause: new Error('store down') })
    expect(logger.warn).toHaveBeenCalledExactlyOnceWith('rules for cancel not readable: store down')
  })

  it('is silent without a callback and a log', () => {
    expect(() => createReport({})({ ...refused, cause: 'x' })).not.toThrow()
  })
})

describe('refusalError', () => {
  it('reads as the message alone, and carries the details', () => {
    const cause = new Error('x')
    const error = refusalError({ ...refused, cause })
    expect(`${error}`).toBe('Read it.')
    expect(error.cause).toBe(cause)
    expect(error.details).toEqual({
      toolCallId: 'c1',
      toolName: 'cancel',
      missing: ['read'],
      skills: ['Read first'],
    })
    expect(refusalError(refused)).not.toHaveProperty('cause')
  })
})

describe('quietly', () => {
  it('keeps errors to itself, those of now and those of later', async () => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    quietly(() => {
      throw new Error('now')
    })
    quietly(async () => {
      throw new Error('later')
    })
    await new Promise((resolve) => setTimeout(resolve, 2))
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })
})

describe('reason', () => {
  it.each<[unknown, string]>([
    [new Error('x'), 'x'],
    ['x', 'x'],
    [undefined, 'undefined'],
  ])('puts %s in few words', (error, expected) => {
    expect(reason(error)).toBe(expected)
  })
})

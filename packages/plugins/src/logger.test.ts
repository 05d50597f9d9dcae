import { describe, expect, it, vi } from 'vitest'
import { quietly, silentLogger } from './logger.ts'

describe('quietly', () => {
  it('runs the work, and bears that it throws now or later', async () => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    const work = vi.fn()
    quietly(work)
    expect(work).toHaveBeenCalledTimes(1)
    const fail = () => {
      throw new Error('down')
    }
    expect(() => quietly(fail)).not.toThrow()
    quietly(async () => fail())
    await new Promise((resolve) => setTimeout(resolve, 1))
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })
})

describe('the silent logger', () => {
  it.each(['debug', 'info', 'warn', 'error'] as const)('has nothing to say at %s', (level) => {
    expect(silentLogger[level]('x')).toBeUndefined()
    expect(Object.isFrozen(silentLogger)).toBe(true)
  })
})
